import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Dynamic initialisation (in motion): finds a first state from up to two seconds of inertial samples and feature
/// tracks.
///
/// A closed form (`ClosedFormInitializer`) is followed by one nonlinear refinement of all unknowns
/// (`InitializationRefinement`), whose information matrix gives the covariance; `InitializationAttempt` has the steps.
/// Under constant acceleration the scale is unobservable: such states are refused or get a large covariance.
package struct DynamicInitializer {
  /// Why there is no state yet.
  package enum Refusal: String, Error, Equatable, Sendable {
    /// Too few frames, or over too short a time.
    case frames
    /// The inertial samples have gaps.
    case imu
    /// Too few points with long enough tracks.
    case features
    /// Too little parallax.
    case parallax
    /// Gravity is not separable from acceleration, or the accelerometer bias exceeds what its grade allows.
    case gravity
    /// There was motion, but the scale, and with it the speed, is not observable.
    case scale
    /// Observations and inertial samples are inconsistent.
    case residual
    /// A speed has been found, but no second window has confirmed it yet.
    case agreement
  }

  /// Shortest window, seconds. Over shorter ones acceleration, tilt and bias are so correlated that some states are
  /// wrong by far more than their covariance.
  static let shortest = 0.8
  /// Fewest frames of a window.
  static let fewestFrames = 4
  /// Smallest and largest number of points.
  static let points = 12...80
  /// Largest reduced chi-square: allows a pixel noise stated 40 % too small.
  static let largestReducedCost = 2.0
  /// Parallax, in sigmas of an observation, below which the device counts as not having moved.
  static let leastParallax = 3.0
  /// Largest 1-sigma of the velocity as a fraction of the window's mean speed. Beyond it the second-order terms, errors
  /// of baseline times errors of inverse distance, are as large as the parallax, and the covariance is invalid.
  static let relativeSigmaLimit = 0.2
  /// The same when the start is urgent.
  static let urgentRelativeSigmaLimit = 0.5

  let calibration: IMUCalibration
  let camera: FilterCamera
  let gauge: GaugeChoice

  /// - Parameter origin: pose of the body when a previous filter was restarted.
  package init(calibration: IMUCalibration, camera: FilterCamera, origin: Pose = .identity) {
    self.calibration = calibration
    self.camera = camera
    gauge = GaugeChoice(origin: origin)
  }

  /// Estimates the state at the window's last frame, in one piece.
  ///
  /// - Parameter isUrgent: accept an uncertain speed rather than no state.
  package func attempt(_ window: InitializationWindow, _ samples: IMUBuffer, isUrgent: Bool = false)
    -> Result<InitialEstimate, Refusal>
  {
    Result { () throws(Refusal) in
      var attempt = try begin(window, samples, isUrgent: isUrgent)
      while true { if let estimate = try attempt.advance() { return estimate } }
    }
  }

  /// Begins an estimate of the state at the window's last frame, to be continued step by step.
  func begin(_ window: InitializationWindow, _ samples: IMUBuffer, isUrgent: Bool) throws(Refusal)
    -> InitializationAttempt
  {
    guard window.span >= Self.shortest else { throw .frames }
    let (times, tracks) = window.selection(lens: camera.lens)
    guard times.count >= Self.fewestFrames else { throw .frames }
    let intervals = zip(times, times.dropFirst()).compactMap { IMUInterval(samples, from: $0, to: $1) }
    guard intervals.count == times.count - 1 else { throw .imu }
    let selected = Self.selected(tracks)
    guard selected.count >= Self.points.lowerBound else { throw .features }
    let rates = times.compactMap { samples.sample(at: $0)?.angularVelocity }
    return try InitializationAttempt(
      self, time: times[times.count - 1], intervals: intervals, rates: rates, tracks: selected, isUrgent: isUrgent)
  }

  /// The longest tracks, ties by id.
  private static func selected(_ tracks: [FeatureTrack]) -> [FeatureTrack] {
    let usable = tracks.filter { $0.observations.count >= VisualUpdate.fewestObservations }
    let sorted = usable.sorted { ($1.observations.count, $0.featureID) < ($0.observations.count, $1.featureID) }
    return Array(sorted.prefix(points.upperBound))
  }

  /// All unknowns as a guess predicts them; nil when it is infeasible.
  func refinement(
    _ guess: InitializationGuess, _ intervals: [IMUInterval], _ rates: [Vector3], _ tracks: [FeatureTrack]
  ) -> InitializationRefinement? {
    let propagation = InertialPropagation(gravityMagnitude: calibration.gravityMagnitude)
    let noise = InertialNoise(calibration, instability: AccelerometerInstability(calibration))
    let states = guess.states(intervals, propagation)
    let factors = zip(intervals, states).compactMap { InertialFactor($0, from: $1, propagation, noise) }
    guard factors.count == intervals.count else { return nil }
    return InitializationRefinement(
      states: states, rig: RigEstimate(mount: CameraMount(imuFromCamera: camera.imuFromCamera)), fixed: 0,
      points: tracks.map { InitializationPoint($0, from: states, camera) }, factors: factors, rates: rates,
      camera: camera, calibration: calibration)
  }

  func isHardlyMoving(_ refinement: InitializationRefinement) -> Bool {
    refinement.parallax * camera.lens.focalLength < Self.leastParallax * camera.pixelNoise
  }

  /// The last state and its covariance, judged.
  func evaluated(_ refinement: InitializationRefinement, at time: Timestamp, isUrgent: Bool)
    throws(Refusal) -> InitialEstimate
  {
    let state = refinement.states[refinement.states.count - 1]
    let grade = SensorGrade(calibration)
    guard state.accelerometerBias.norm <= 4 * grade.accelerometerBias else { throw .gravity }
    guard var covariance = refinement.covariance, state.isFinite else { throw .scale }
    let variance = (6..<9).reduce(0) { $0 + covariance[16 * $1] }
    let states = refinement.states
    let speed = (states.reduce(0) { $0 + $1.velocity.squaredNorm } / Double(states.count)).squareRoot()
    let relativeSigma = speed > 0 ? variance.squareRoot() / speed : .infinity
    if relativeSigma > (isUrgent ? Self.urgentRelativeSigmaLimit : Self.relativeSigmaLimit) { throw .scale }
    // The neglected second-order terms grow with the square of the relative sigma; a reduced cost above 1 indicates
    // more noise than stated.
    let inflation =
      max(1, relativeSigma * relativeSigma / (Self.relativeSigmaLimit * Self.relativeSigmaLimit))
      * max(1, refinement.reducedCost)
    covariance = covariance.map { $0 * inflation }
    addCurvature(to: &covariance, state)
    return InitialEstimate(time: time, state: state, covariance: covariance)
  }

  /// Adds what a covariance of first order leaves out where the tilt is uncertain: specific force fixes the sum of the
  /// bias and of gravity as tilted, `b = g (R(theta) - 1) e_z`, whose part of second order is `g |theta|^2 / 2` along
  /// the vertical. Its second moment for a normal theta is `g^2 / 4 (2 tr P^2 + (tr P)^2)`: negligible for a tilt known
  /// to a degree, larger than all else for five.
  private func addCurvature(to covariance: inout [Double], _ state: InertialState) {
    let (a, b, c) = (covariance[0], covariance[1], covariance[16])
    let g = calibration.gravityMagnitude
    let moment = g * g / 4 * (2 * (a * a + 2 * b * b + c * c) + (a + c) * (a + c))
    let up = state.rotation.inverse * Vector3(0, 0, 1)
    for i in 0..<3 { for j in 0..<3 { covariance[15 * (12 + i) + 12 + j] += moment * up[i] * up[j] } }
  }
}
