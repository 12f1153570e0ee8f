import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Finds a first state while the device moves, from up to two seconds of inertial samples and tracks.
///
/// Closed form first (`ClosedFormInitializer`), then one refinement of everything (`InitializationRefinement`), whose information matrix says
/// how well the state is known. What it cannot know it refuses, or knows only widely: with a constant acceleration nothing
/// tells the scale.
package struct DynamicInitializer {
  /// Why there is no state yet.
  package enum Refusal: String, Error, Equatable, Sendable {
    /// Too few frames, or over too short a time.
    case frames
    /// The inertial samples have gaps.
    case imu
    /// Too few points are seen for long enough.
    case features
    /// The device hardly moved from where it was.
    case parallax
    /// Gravity cannot be told from acceleration, or the accelerometer would be off by more than its kind ever is.
    case gravity
    /// Moved, but in a way that leaves the scale, and with it the speed, open.
    case scale
    /// Sights and inertial samples contradict each other.
    case residual
    /// A speed has been found, and no second window has told the same yet.
    case agreement
  }

  /// Shortest window, seconds: over shorter ones acceleration, tilt and bias look so alike that some states are wrong by far
  /// more than they say.
  static let shortest = 0.8
  /// Fewest frames of a window.
  static let fewestFrames = 4
  /// Fewest points, and most.
  static let points = 12...80
  /// Largest misfit per degree of freedom: pixel noise that is stated 40 % too small.
  static let worstMisfit = 2.0
  /// Parallax, in sigmas of a sight, below which the device counts as hardly moved.
  static let leastParallax = 3.0
  /// Share of the window's mean speed that the velocity's 1-sigma may be. Beyond it the scale is so uncertain that the
  /// products of two errors, baseline times inverse distance, are as large as the parallax, and no covariance holds.
  static let settled = 0.2
  /// The same when waiting longer does not pay.
  static let bearable = 0.5
  /// How often points that do not agree with the rest are left out anew.
  static let rounds = 5

  let calibration: IMUCalibration
  let camera: FilterCamera
  let place: GaugeChoice

  /// - Parameter origin: where the body was when an earlier filter was given up.
  package init(calibration: IMUCalibration, camera: FilterCamera, origin: Pose = .identity) {
    self.calibration = calibration
    self.camera = camera
    place = GaugeChoice(origin: origin)
  }

  /// The state at the window's last frame.
  ///
  /// - Parameter isUrgent: take a state with an uncertain speed rather than none.
  package func attempt(_ window: InitializationWindow, _ samples: IMUBuffer, isUrgent: Bool = false)
    -> Result<InitialEstimate, Refusal>
  {
    Result { () throws(Refusal) in
      guard window.span >= Self.shortest else { throw .frames }
      let (times, tracks) = window.selection(lens: camera.lens)
      guard times.count >= Self.fewestFrames else { throw .frames }
      let stretches = zip(times, times.dropFirst()).compactMap { IMUInterval(samples, from: $0, to: $1) }
      guard stretches.count == times.count - 1 else { throw .imu }
      let chosen = Self.chosen(tracks)
      guard chosen.count >= Self.points.lowerBound else { throw .features }
      let rates = times.compactMap { samples.sample(at: $0)?.angularVelocity }
      let refinement = try refined(stretches, rates, chosen)
      return try judged(refinement, at: times[times.count - 1], isUrgent: isUrgent)
    }
  }

  /// The longest tracks, ties by id.
  private static func chosen(_ tracks: [FeatureTrack]) -> [FeatureTrack] {
    let usable = tracks.filter { $0.sights.count >= VisualUpdate.fewestObservations }
    let sorted = usable.sorted { ($1.sights.count, $0.featureID) < ($0.sights.count, $1.featureID) }
    return Array(sorted.prefix(points.upperBound))
  }

  /// Everything refined together from a guess; nil when the guess cannot be right.
  private func refined(
    _ guess: InitializationGuess, _ stretches: [IMUInterval], _ rates: [Vector3], _ tracks: [FeatureTrack]
  ) -> InitializationRefinement? {
    let propagation = InertialPropagation(gravityMagnitude: calibration.gravityMagnitude)
    let noise = InertialNoise(calibration, wander: AccelerometerInstability(calibration))
    let states = guess.states(stretches, propagation)
    let factors = zip(stretches, states).compactMap { InertialFactor($0, from: $1, propagation, noise) }
    guard factors.count == stretches.count else { return nil }
    var refinement = InitializationRefinement(
      states: states, rig: RigEstimate(mount: CameraMount(imuFromCamera: camera.imuFromCamera)), fixed: 0,
      points: tracks.map { InitializationPoint($0, from: states, camera) }, factors: factors, rates: rates, camera: camera,
      calibration: calibration)
    _ = refinement?.descend(rounds: 12)
    return refinement
  }

  /// The best end of all guesses, again without the points that do not agree, and again with sights that err as these did: tracks
  /// that drift over the scene tell less than as many independent ones.
  private func refined(_ stretches: [IMUInterval], _ rates: [Vector3], _ tracks: [FeatureTrack]) throws(Refusal)
    -> InitializationRefinement
  {
    let guesses = InitializationGuess.all(stretches, tracks, calibration, camera)
    if guesses.isEmpty { throw .gravity }
    let ends = guesses.compactMap { refined($0, stretches, rates, tracks) }
    guard let best = ends.min(by: { $0.cost < $1.cost }) else { throw .residual }
    var rest = best
    var hasSettled = false
    for _ in 0..<Self.rounds where !hasSettled {
      let agreeing = rest.agreeing
      guard 2 * agreeing.count >= tracks.count, agreeing.count >= Self.points.lowerBound,
        var fewer = rest.with(agreeing)
      else { break }
      let isAtRest = fewer.descend(rounds: 12)
      hasSettled = isAtRest && agreeing.count == rest.points.count
      rest = fewer
    }
    guard hasSettled else { throw isHardlyMoving(rest) ? .parallax : .residual }
    guard rest.misfit <= Self.worstMisfit else { throw .residual }
    rest = try withoutSliding(rest, of: tracks.count)
    let times = stretches.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1.duration) }
    let last = stretches.count, noise = rest.trackNoise(times)
    if noise != TrackNoise() {
      guard var doubtful = rest.with(noise, spacing: times[last] / Double(last)) else { throw .residual }
      _ = doubtful.descend(rounds: 12)
      rest = doubtful
    }
    let there = place.worldFromIMU(
      up: rest.states[last].rotation.inverse * Vector3(0, 0, 1), bodyFromIMU: calibration.bodyFromIMU)
    guard let placed = rest.placed(last, at: there) else { throw .residual }
    return placed
  }

  /// Again without the points that all others contradict, until there are none.
  private func withoutSliding(_ refinement: InitializationRefinement, of count: Int) throws(Refusal) -> InitializationRefinement {
    var rest = refinement
    for _ in 0..<Self.rounds {
      guard let standing = rest.standing else { return rest }
      guard 2 * standing.count >= count, standing.count >= Self.points.lowerBound, var fewer = rest.with(standing)
      else {
        break
      }
      _ = fewer.descend(rounds: 12)
      rest = fewer
    }
    throw .residual
  }

  private func isHardlyMoving(_ refinement: InitializationRefinement) -> Bool {
    refinement.parallax * camera.lens.focalLength < Self.leastParallax * camera.pixelNoise
  }

  private func judged(_ refinement: InitializationRefinement, at time: Timestamp, isUrgent: Bool)
    throws(Refusal) -> InitialEstimate
  {
    let state = refinement.states[refinement.states.count - 1]
    let grade = SensorGrade(calibration)
    guard state.accelerometerBias.norm <= 4 * grade.accelerometerBias else { throw .gravity }
    guard var covariance = refinement.covariance, state.isFinite else { throw .scale }
    let variance = (6..<9).reduce(0) { $0 + covariance[16 * $1] }
    let states = refinement.states
    let speed = (states.reduce(0) { $0 + $1.velocity.squaredNorm } / Double(states.count)).squareRoot()
    let share = speed > 0 ? variance.squareRoot() / speed : .infinity
    if share > (isUrgent ? Self.bearable : Self.settled) { throw .scale }
    // What the linearisation leaves out grows with the square of the share; a misfit speaks of more noise than stated.
    let doubt = max(1, share * share / (Self.settled * Self.settled)) * max(1, refinement.misfit)
    covariance = covariance.map { $0 * doubt }
    return InitialEstimate(time: time, state: state, covariance: covariance)
  }
}
