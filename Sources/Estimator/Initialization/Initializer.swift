import Geometry
import Inertial
import SensorData

/// Chooses the initialisation: static initialisation once the device is nearly still, dynamic initialisation (in
/// motion) once two windows agree on the speed, and a provisional static one after `patience`.
struct Initializer {
  /// Time for which inertial samples are kept before initialisation, seconds.
  static let memory = InitializationWindow.longest + 0.5
  /// How long the flow must be small for a hand to count as nearly still, seconds, unless the inertial unit detects a
  /// stationary device. A hand that reverses its motion is still for a moment, just when it accelerates most.
  static let watchTime = 1.0
  /// Seconds between two attempts of dynamic initialisation.
  static let interval = 0.1

  let calibration: IMUCalibration
  let camera: FilterCamera
  let stillness: StillnessDetector
  /// Seconds after which a provisional start is better than none.
  let patience: Double

  /// Pose of the body when a previous filter was restarted.
  var origin = Pose.identity
  private var window = InitializationWindow()
  private var agreement = InitializationConsistency()
  private var flows: [(time: Timestamp, flow: Double)] = []
  private var began: Timestamp?
  private var lastAttempt: Timestamp?
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
    (began, lastAttempt, refusal) = (nil, nil, .frames)
  }

  /// Attempts to find a state at or before a frame.
  ///
  /// A dynamic initialisation gives the state at the previous frame, so that this one is new information to the filter.
  mutating func attempt(_ frame: CameraFrame, _ report: FrameReport, _ samples: IMUBuffer) -> InitializationOutcome {
    let time = report.timestamp
    defer { window.add(frame, at: time) }
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
    if isUrgent { return staticEstimate(makeshift: true) }
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

  private mutating func inMotion(_ samples: IMUBuffer, at time: Timestamp, isUrgent: Bool) -> InitialEstimate? {
    if let lastAttempt, time.seconds(since: lastAttempt) < Self.interval, !isUrgent { return nil }
    lastAttempt = time
    let initializer = DynamicInitializer(calibration: calibration, camera: camera, origin: origin)
    switch initializer.attempt(window, samples, isUrgent: isUrgent) {
    case .success(let estimate):
      if agreement.admits(estimate, samples, calibration: calibration, camera: camera) || isUrgent { return estimate }
      refusal = .agreement
    case .failure(let reason): refusal = reason
    }
    return nil
  }
}
