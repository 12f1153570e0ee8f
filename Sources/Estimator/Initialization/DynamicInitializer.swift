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
  private static let fewestFrames = 4
  /// Smallest and largest number of points.
  static let points = 12...80
  /// Largest reduced chi-square: allows a pixel noise stated 40 % too small.
  static let largestReducedCost = 2.0
  /// Parallax, in sigmas of an observation, below which the device counts as not having moved.
  static let leastParallax = 3.0
  /// Largest 1-sigma of the velocity as a fraction of the window's mean speed. Beyond it the second-order terms, errors
  /// of baseline times errors of inverse distance, are as large as the parallax, and the covariance is invalid.
  private static let relativeSigmaLimit = 0.2
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
    var state = refinement.states[refinement.states.count - 1]
    let grade = SensorGrade(calibration)
    guard state.accelerometerBias.norm <= 4 * grade.accelerometerBias else { throw .gravity }
    guard var covariance = refinement.covariance, state.isFinite else { throw .scale }
    if let weighed = AccelerometerBiasPrior(grade).posterior(state, covariance) {
      (state, covariance) = (weighed.state, weighed.covariance)
    }
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

/// One attempt of dynamic initialisation as a state machine, a few milliseconds a step, so that a start holds up no
/// frame.
///
/// All guesses descend; the one of least cost goes on. Points with large residuals are removed until none are, then
/// points that contradict all others; with the estimated noise of the tracks (tracks that drift over the scene carry
/// less information than independent observations) a last, thorough descent follows.
struct InitializationAttempt: Sendable {
  typealias Refusal = DynamicInitializer.Refusal

  /// Most steps of a descent, and of the last one.
  private static let coarse = 12, thorough = 80
  /// Most rounds of each outlier removal.
  private static let rounds = 5

  private enum Phase {
    /// The next guess is due.
    case guess
    case guessDescent(InitializationRefinement.Descent)
    /// `isSame`: the round before removed nothing.
    case residuals(InitializationRefinement.Descent, round: Int, isSame: Bool)
    case deletion(InitializationRefinement, round: Int)
    case deletionDescent(InitializationRefinement.Descent, round: Int)
    case last(InitializationRefinement.Descent)
  }

  /// Time of the state.
  let time: Timestamp
  private let initializer: DynamicInitializer
  private let intervals: [IMUInterval]
  private let rates: [Vector3]
  private let tracks: [FeatureTrack]
  /// Accepts an uncertain speed rather than no state.
  let isUrgent: Bool
  private var guesses: ArraySlice<InitializationGuess>
  private var best: InitializationRefinement?
  private var phase = Phase.guess

  /// - Throws: `.gravity` where there is no guess.
  init(
    _ initializer: DynamicInitializer, time: Timestamp, intervals: [IMUInterval], rates: [Vector3],
    tracks: [FeatureTrack], isUrgent: Bool
  ) throws(Refusal) {
    self.initializer = initializer
    self.time = time
    self.intervals = intervals
    self.rates = rates
    self.tracks = tracks
    self.isUrgent = isUrgent
    guesses = InitializationGuess.all(intervals, tracks, initializer.calibration, initializer.camera)[...]
    if guesses.isEmpty { throw .gravity }
  }

  /// Takes a step: at most one of a descent. The state once there is one, nil while there is more to do.
  mutating func advance() throws(Refusal) -> InitialEstimate? {
    switch phase {
    case .guess:
      if let guess = guesses.popFirst() {
        if let start = initializer.refinement(guess, intervals, rates, tracks) {
          phase = .guessDescent(.init(start, rounds: Self.coarse))
        }
      } else {
        guard let best else { throw .residual }
        try removeResiduals(from: best, round: 0)
      }
    case .guessDescent(var descent):
      if descent.step() == nil { phase = .guessDescent(descent) } else { compare(descent.refinement) }
    case .residuals(var descent, let round, let isSame):
      switch descent.step() {
      case nil: phase = .residuals(descent, round: round, isSame: isSame)
      case true? where isSame:
        guard descent.refinement.reducedCost <= DynamicInitializer.largestReducedCost else { throw .residual }
        phase = .deletion(descent.refinement, round: 0)
      case _?: try removeResiduals(from: descent.refinement, round: round + 1)
      }
    case .deletion(let current, let round): try removeDeletionOutliers(from: current, round: round)
    case .deletionDescent(var descent, let round):
      phase =
        descent.step() == nil ? .deletionDescent(descent, round: round) : .deletion(descent.refinement, round: round)
    case .last(var descent):
      if descent.step() != nil { return try result(descent.refinement) }
      phase = .last(descent)
    }
    return nil
  }

  private mutating func compare(_ end: InitializationRefinement) {
    if best.map({ end.cost < $0.cost }) ?? true { best = end }
    phase = .guess
  }

  /// Removes points with large residuals and begins to descend again.
  private mutating func removeResiduals(from current: InitializationRefinement, round: Int) throws(Refusal) {
    let inliers = current.residualInliers
    guard round < Self.rounds, suffices(inliers.count), let fewer = current.with(inliers) else {
      throw initializer.isHardlyMoving(current) ? .parallax : .residual
    }
    phase = .residuals(
      .init(fewer, rounds: Self.coarse), round: round, isSame: inliers.count == current.points.count)
  }

  /// Removes points inconsistent with all others and begins to descend again; without any, the last descent begins.
  private mutating func removeDeletionOutliers(from current: InitializationRefinement, round: Int) throws(Refusal) {
    guard round < Self.rounds else { throw .residual }
    guard let inliers = current.deletionInliers else {
      phase = .last(
        .init(
          try reweighted(current), rounds: Self.thorough, gain: InitializationRefinement.Descent.leastGain))
      return
    }
    guard suffices(inliers.count), let fewer = current.with(inliers) else { throw .residual }
    phase = .deletionDescent(.init(fewer, rounds: Self.coarse), round: round + 1)
  }

  private func suffices(_ inliers: Int) -> Bool {
    2 * inliers >= tracks.count && inliers >= DynamicInitializer.points.lowerBound
  }

  private func reweighted(_ current: InitializationRefinement) throws(Refusal) -> InitializationRefinement {
    let times = intervals.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1.duration) }
    let last = intervals.count, noise = current.trackNoise(times)
    if noise == TrackNoise() { return current }
    guard let reweighted = current.with(noise, spacing: times[last] / Double(last)) else { throw .residual }
    return reweighted
  }

  private func result(_ current: InitializationRefinement) throws(Refusal) -> InitialEstimate {
    let last = intervals.count
    let target = initializer.gauge.worldFromIMU(
      up: current.states[last].rotation.inverse * Vector3(0, 0, 1), bodyFromIMU: initializer.calibration.bodyFromIMU)
    guard let withGauge = current.withGauge(last, at: target) else { throw .residual }
    return try initializer.evaluated(withGauge, at: time, isUrgent: isUrgent)
  }
}

/// Initial guess for the refinement: velocity and vertical in the axes of the first pose.
struct InitializationGuess {
  /// Velocity of the IMU, m/s.
  var velocity: Vector3
  /// Vertical, of any length.
  var up: Vector3

  /// All initial guesses.
  ///
  /// With little parallax the closed form can be far off and the refinement would reach another local minimum. The
  /// second guess is that the device hardly accelerated. The result of lower cost is used.
  static func all(
    _ intervals: [IMUInterval], _ tracks: [FeatureTrack], _ calibration: IMUCalibration, _ camera: FilterCamera
  ) -> [InitializationGuess] {
    let weightless = InertialPropagation(gravityMagnitude: 0)
    var moments = [ClosedFormInitializer.Moment(seconds: 0, pose: .identity)]
    var state = InertialState()
    for interval in intervals {
      state = interval.propagated(state, weightless)
      moments.append(.init(seconds: moments[moments.count - 1].seconds + interval.duration, pose: state.worldFromIMU))
    }
    let linear = ClosedFormInitializer(
      moments, tracks: tracks, imuFromCamera: camera.imuFromCamera, gravityMagnitude: calibration.gravityMagnitude,
      angularNoise: camera.pixelNoise / camera.lens.focalLength,
      gyroscopeBiasRate: SensorGrade(calibration).gyroscopeBias)
    var guesses: [InitializationGuess] = []
    if let linear { guesses.append(InitializationGuess(velocity: linear.velocity, up: -linear.gravity)) }
    // In free fall the vertical is undefined.
    if state.velocity.norm > 1e-3 { guesses.append(InitializationGuess(velocity: .zero, up: state.velocity)) }
    return guesses
  }

  /// The states predicted from the guess by the samples, in a level world with origin at the first pose; biases zero.
  func states(_ intervals: [IMUInterval], _ propagation: InertialPropagation) -> [InertialState] {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var states = [InertialState(rotation: level, velocity: level * velocity)]
    for interval in intervals { states.append(interval.propagated(states[states.count - 1], propagation)) }
    return states
  }
}
