import CameraGeometry
import Geometry
import Inertial
import LeastSquares
import SensorData

/// Chooses the initialisation: static initialisation once the device is still or hardly moves, dynamic initialisation (in
/// motion) once two windows agree on the speed, and a static one of a device that moves after `patience`.
struct Initializer {
  /// Time for which inertial samples are kept before initialisation, seconds.
  static let memory = InitializationWindow.longest + longestAttempt + 0.5
  /// Longest attempt in motion, seconds of the recording; beyond it the attempt is given up.
  private static let longestAttempt = 1.5
  /// Steps of an attempt for a second of the recording, and most for a frame: a step takes 2 to 3 ms, and a live run
  /// must not fall behind.
  private static let stepsPerSecond = 160.0, mostSteps = 8
  /// How long the flow must be small for a hand to count as nearly still, seconds, unless the inertial unit detects a
  /// stationary device. A hand that reverses its motion is still for a moment, just when it accelerates most.
  private static let watchTime = 1.0
  /// Largest flow of a hand whose static start is not worse than one in motion, rad/s: 7 cm/s at the usual distance of what is seen.
  /// A slow arc flows by more. Its tilt and velocity would be uncertain by degrees and decimetres a second, too much for a linear filter.
  private static let quietFlow = 0.02
  /// Seconds from a refused attempt in motion to the next; doubled after each that found the sensors inconsistent, up
  /// to `longestPause`: a broken set-up is not asked ten times a second.
  static let pause = 0.1, longestPause = 1.6

  let calibration: IMUCalibration
  /// The camera, as an attempt that begins takes it.
  var camera: FilterCamera
  let stillness: StillnessDetector
  /// Seconds after which a provisional start is better than none.
  let patience: Double

  /// Pose of the body when a previous filter was restarted.
  var origin = Pose.identity
  private var window = InitializationWindow()
  private var agreement = InitializationConsistency()
  private var flows: [(time: Timestamp, flow: Double)] = []
  private var began: Timestamp?
  private var running: InitializationAttempt?
  /// Whether an urgent attempt in motion has failed: then a makeshift start is better than none.
  private var urgentFailed = false
  private var nextAttempt: Timestamp?
  private var pause = Initializer.pause
  private var lastFrame: Timestamp?
  private var refusal = DynamicInitializer.Refusal.frames

  init(calibration: IMUCalibration, camera: FilterCamera, stillness: StillnessDetector, patience: Double) {
    self.calibration = calibration
    self.camera = camera
    self.stillness = stillness
    self.patience = patience
  }

  /// Restarts the search.
  mutating func reset() {
    window.removeAll()
    agreement.reset()
    flows.removeAll()
    (began, running, nextAttempt, lastFrame, pause, refusal) = (nil, nil, nil, nil, Self.pause, .frames)
    urgentFailed = false
  }

  /// Whether an attempt in motion has begun and is not finished: later frames are new information to its state.
  var isRunning: Bool { running != nil }

  /// Attempts to find a state at or before a frame.
  ///
  /// A dynamic initialisation gives the state at the last frame before the attempt began, so that this one and all
  /// since are new information to the filter.
  mutating func attempt(_ frame: CameraFrame, _ report: FrameReport, _ samples: IMUBuffer) -> InitializationOutcome {
    let time = report.timestamp
    defer {
      window.add(frame, at: time)
      lastFrame = time
    }
    // For a stationary device the last half second suffices; in a hand, samples are averaged over the whole watch time.
    let stillMotion = report.motion.flatMap { $0.isStill(camera, isStationary: false) ? $0 : nil }
    let still = isStationary(recent(StillnessDetector.window, samples, before: time)) ? stillMotion : nil
    let isStill = still != nil
    let recent = recent(isStill ? StaticInitializer.window : Self.watchTime, samples, before: time)
    guard let last = recent.last else { return .waiting("imu") }
    if began == nil { began = time }
    let waited = time.seconds(since: began ?? time)
    let isUrgent = waited > patience
    let staticInitializer = StaticInitializer(calibration: calibration, origin: origin)
    let flow = largestFlow(window.flow(to: frame, at: time, samples, camera: camera), at: time)
    func staticEstimate(makeshift: Bool) -> InitializationOutcome {
      staticInitializer.attempt(
        recent, at: last.timestamp, isMakeshift: makeshift, flow: flow, unseenRate: still?.unseenRate(camera))
    }

    let outcome = staticEstimate(makeshift: false)
    if case .ready = outcome, isStill || waited >= Self.watchTime && (flow ?? 0) < Self.quietFlow { return outcome }
    if let estimate = inMotion(samples, at: time, isUrgent: isUrgent) { return .ready(estimate) }
    if urgentFailed { return staticEstimate(makeshift: true) }
    if case .waiting("imu") = outcome { return outcome }
    return .waiting(refusal == .frames ? "stillness" : refusal.rawValue)
  }

  private func recent(_ seconds: Double, _ samples: IMUBuffer, before time: Timestamp) -> ArraySlice<IMUSample> {
    samples.samples(after: time.advanced(bySeconds: -seconds), before: time.advanced(byNanoseconds: 1))
  }

  private func isStationary(_ samples: ArraySlice<IMUSample>) -> Bool {
    stillness.statistic(samples).map { $0 < StillnessDetector.stationaryLimit } ?? false
  }

  /// Largest rotation-compensated flow of the image, rad/s, within the watch time.
  private mutating func largestFlow(_ flow: Double?, at time: Timestamp) -> Double? {
    flows.removeAll { time.seconds(since: $0.time) > Self.watchTime }
    if let flow { flows.append((time, flow)) }
    return flows.map(\.flow).max()
  }

  /// Begins or continues an attempt in motion.
  private mutating func inMotion(_ samples: IMUBuffer, at time: Timestamp, isUrgent: Bool) -> InitialEstimate? {
    let wasBegunUrgently = running?.isUrgent ?? isUrgent
    urgentFailed = false
    do throws(DynamicInitializer.Refusal) {
      if running == nil {
        if let nextAttempt, time < nextAttempt, !isUrgent { return nil }
        running = try DynamicInitializer(calibration: calibration, camera: camera, origin: origin)
          .begin(window, samples, isUrgent: isUrgent)
      }
      guard let estimate = try advance(at: time) else { return nil }
      running = nil
      (nextAttempt, pause) = (time, Self.pause)
      if agreement.admits(estimate, samples, calibration: calibration, camera: camera) || wasBegunUrgently {
        return estimate
      }
      refusal = .agreement
    } catch {
      refusal = error
      running = nil
      nextAttempt = time.advanced(bySeconds: pause - 1e-3)
      pause = error == .residual || error == .gravity ? min(2 * pause, Self.longestPause) : Self.pause
      urgentFailed = wasBegunUrgently
    }
    return nil
  }

  /// The attempt's steps of one frame.
  private mutating func advance(at time: Timestamp) throws(DynamicInitializer.Refusal) -> InitialEstimate? {
    guard let begun = running?.time, time.seconds(since: begun) <= Self.longestAttempt else { throw .residual }
    let spacing = lastFrame.map { time.seconds(since: $0) } ?? 0
    for _ in 0..<min(max(Int((Self.stepsPerSecond * spacing).rounded()), 1), Self.mostSteps) {
      if let estimate = try running!.advance() { return estimate }
    }
    return nil
  }
}

/// The frames received before initialisation: input of the dynamic initialiser.
package struct InitializationWindow: Sendable {
  /// Longest window, seconds. A longer one determines the velocity better, but noise and bias drift grow.
  package static let longest = 2.0
  /// Most frames used.
  private static let mostFrames = 15

  private var frames: [(time: Timestamp, features: [FeatureObservation])] = []

  /// Empty.
  package init() {}

  /// Seconds from the first frame to the last.
  package var span: Double {
    guard let first = frames.first, let last = frames.last else { return 0 }
    return last.time.seconds(since: first.time)
  }

  /// Appends a frame; `time` is its own on the IMU's clock. Ignored if not newer than the last.
  package mutating func add(_ frame: CameraFrame, at time: Timestamp) {
    if let last = frames.last, time <= last.time { return }
    frames.append((time, frame.features))
    frames.removeAll { time.seconds(since: $0.time) > Self.longest }
  }

  /// Median rotation-compensated flow of the features, rad/s, over the last half second (at least half of that): the
  /// effect of translation. The gyroscope supplies the rotation. Nil if there is no comparable frame.
  package func flow(to frame: CameraFrame, at time: Timestamp, _ samples: IMUBuffer, camera: FilterCamera) -> Double? {
    let span = RecentFrames.span
    guard let old = frames.first(where: { time.seconds(since: $0.time) <= span + 1e-6 }),
      case let seconds = time.seconds(since: old.time), seconds > 0.5 * span,
      let gyroscopeRotation = Self.gyroscopeRotation(samples, from: old.time, to: time)
    else { return nil }
    let imuFromCamera = camera.imuFromCamera.rotation
    let nowFromThen = imuFromCamera.inverse * gyroscopeRotation.inverse * imuFromCamera
    let angles: [Double] = FeaturePair.shared(old.features, frame.features).compactMap { pair in
      guard let before = camera.lens.direction(ofPixel: pair.then), let after = camera.lens.direction(ofPixel: pair.now)
      else { return nil }
      return (nowFromThen * before).cross(after).norm
    }
    guard angles.count >= RecentFrames.fewest else { return nil }
    return angles.median.map { $0 / seconds }
  }

  /// Rotation from `end` to `start` by the gyroscope alone; nil when its samples do not reach `end`.
  private static func gyroscopeRotation(_ samples: IMUBuffer, from start: Timestamp, to end: Timestamp) -> Rotation? {
    var startFromHere = Rotation.identity
    var here = start
    for sample in samples.samples(after: start, before: end) {
      startFromHere = startFromHere * Rotation.exp(sample.timestamp.seconds(since: here) * sample.angularVelocity)
      here = sample.timestamp
    }
    return end.seconds(since: here) <= InertialNoise.dropoutSpacing ? startFromHere : nil
  }

  /// Forgets everything.
  package mutating func removeAll() { frames.removeAll() }

  /// At most `mostFrames` frames, evenly spread from the first to the last, and the tracks through them; observations
  /// refer to the frames by index.
  package func selection(lens: LensModel) -> (times: [Timestamp], tracks: [FeatureTrack]) {
    let count = min(frames.count, Self.mostFrames)
    guard count > 1 else { return (frames.map(\.time), []) }
    let selected = (0..<count).map { frames[$0 * (frames.count - 1) / (count - 1)] }
    var living = FeatureTracks()
    var tracks: [FeatureTrack] = []
    for (i, frame) in selected.enumerated() { tracks += living.observe(frame.features, lens: lens, poseID: i) }
    tracks += living.living
    return (selected.map(\.time), tracks)
  }
}

/// Accepts a dynamic initialisation only once two consecutive windows agree.
///
/// The first of many windows whose speed appears known to a fifth is a biased sample: a speed far too high passes
/// first, because its relative sigma is smallest (winner's curse). Windows that share nearly all their data agree far
/// better than independent ones, unless a few observations decide which local minimum they reach.
package struct InitializationConsistency {
  /// Largest squared difference of two velocities, normalised by the covariance for independent windows: the median of
  /// chi-square with three degrees of freedom.
  static let limit = 2.366
  /// Greatest age of the previous estimate, seconds: an attempt is spread over frames.
  package static let memory = 1.0

  private var last: InitialEstimate?

  /// No previous estimate.
  package init() {}

  /// True when `estimate` agrees with the previous one, propagated by the inertial samples. Stores `estimate` for the
  /// next call.
  package mutating func admits(
    _ estimate: InitialEstimate, _ samples: IMUBuffer, calibration: IMUCalibration, camera: FilterCamera
  ) -> Bool {
    let before = last
    last = estimate
    guard let before, estimate.time.seconds(since: before.time) <= Self.memory,
      let carried = InertialNavigation(
        calibration: calibration, mount: CameraMount(imuFromCamera: camera.imuFromCamera), time: before.time,
        state: before.state, initialCovariance: before.covariance)
    else { return false }
    carried.samples = samples
    guard carried.advance(to: estimate.time) else { return false }
    let old = Self.velocity(carried.state, carried.covariance.marginal([carried.poseBlock]))
    let new = Self.velocity(estimate.state, estimate.covariance)
    guard let information = (old.covariance + new.covariance).inverse else { return false }
    let difference = new.mean - old.mean
    return information.form(difference, difference) <= Self.limit
  }

  /// Discards the previous estimate.
  package mutating func reset() { last = nil }

  /// The velocity in the IMU's axes, independent of heading: `R^T v`, with error `R^T (dv + v x theta)`.
  private static func velocity(_ state: InertialState, _ p: [Double]) -> (mean: Vector3, covariance: Matrix3) {
    let n = InertialState.errorSize
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let velocitySkew = state.velocity.skew, axes = state.rotation.inverse.matrix
    let cross = velocitySkew * block(0, 6)
    let world = block(6, 6) + cross + cross.transpose + velocitySkew * block(0, 0) * velocitySkew.transpose
    return (state.rotation.inverse * state.velocity, axes * world * axes.transpose)
  }
}
