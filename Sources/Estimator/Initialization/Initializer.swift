import Geometry
import Inertial
import SensorData

/// Chooses the initialisation: static initialisation once the device is nearly still, dynamic initialisation (in
/// motion) once two windows agree on the speed, and a provisional static one after `patience`.
struct Initializer {
  /// Time for which inertial samples are kept before initialisation, seconds.
  static let memory = InitializationWindow.longest + longestAttempt + 0.5
  /// Longest attempt in motion, seconds of the recording; beyond it the attempt is given up.
  static let longestAttempt = 1.5
  /// Steps of an attempt for a second of the recording, and most for a frame: a step takes 2 to 3 ms, and a live run
  /// must not fall behind.
  static let stepsPerSecond = 160.0, mostSteps = 8
  /// How long the flow must be small for a hand to count as nearly still, seconds, unless the inertial unit detects a
  /// stationary device. A hand that reverses its motion is still for a moment, just when it accelerates most.
  static let watchTime = 1.0
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
    if case .ready = outcome, isStill || waited >= Self.watchTime { return outcome }
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
