import Geometry
import Inertial
import SensorData

/// Decides how a trajectory begins: at rest as soon as the device is quiet, in motion as soon as the motion tells the speed, twice alike,
/// and after some patience with what there is.
struct Initializer {
  /// How long inertial samples are kept while waiting, seconds.
  static let memory = InitializationWindow.longest + 0.5
  /// How long a picture must have flowed slowly for a hand to count as quiet, seconds, unless the inertial unit does not feel
  /// a hand at all: one that turns round stands still for a moment, and accelerates most just then.
  static let watch = 1.0
  /// Seconds between two attempts in motion.
  static let interval = 0.1

  let calibration: IMUCalibration
  let camera: FilterCamera
  let stillness: StillnessDetector
  /// Seconds after which a makeshift start is better than none.
  let patience: Double

  /// Where the body was when an earlier filter was given up.
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

  /// Waits anew.
  mutating func reset() {
    window.removeAll()
    agreement.reset()
    flows.removeAll()
    (began, lastAttempt, refusal) = (nil, nil, .frames)
  }

  /// Looks for a first state at or before a frame.
  ///
  /// A start in motion speaks of the frame before, so that this one is still new to the filter.
  mutating func attempt(_ frame: CameraFrame, _ report: FrameReport, _ samples: IMUBuffer) -> InitializationOutcome {
    let time = report.timestamp
    defer { window.add(frame, at: time) }
    // Where nothing moves, the last half second is enough; a hand is averaged for as long as it was watched.
    let standing = report.motion.flatMap { $0.stands(camera, isResting: false) ? $0 : nil }
    let still = isStandingStill(recent(StillnessDetector.window, samples, before: time)) ? standing : nil
    let isStill = still != nil
    let recent = recent(isStill ? StaticInitializer.window : Self.watch, samples, before: time)
    guard let last = recent.last else { return .waiting("imu") }
    if began == nil { began = time }
    let waited = time.seconds(since: began ?? time)
    let isUrgent = waited > patience
    let rest = StaticInitializer(calibration: calibration, origin: origin)
    let flow = largestFlow(window.flow(to: frame, at: time, samples, camera: camera), at: time)
    func atRest(makeshift: Bool) -> InitializationOutcome {
      rest.attempt(
        recent, at: last.timestamp, isMakeshift: makeshift, flow: flow, unseenRate: still?.unseenRate(camera))
    }

    let quiet = atRest(makeshift: false)
    if case .ready = quiet, isStill || waited >= Self.watch { return quiet }
    if let estimate = inMotion(samples, at: time, isUrgent: isUrgent) { return .ready(estimate) }
    if isUrgent { return atRest(makeshift: true) }
    if case .waiting("imu") = quiet { return quiet }
    return .waiting(refusal == .frames ? "stillness" : refusal.rawValue)
  }

  private func recent(_ seconds: Double, _ samples: IMUBuffer, before time: Timestamp) -> ArraySlice<IMUSample> {
    samples.samples(after: time.advanced(bySeconds: -seconds), before: time.advanced(byNanoseconds: 1))
  }

  private func isStandingStill(_ samples: ArraySlice<IMUSample>) -> Bool {
    stillness.statistic(samples).map { $0 < StillnessDetector.atRest } ?? false
  }

  /// Largest flow of the picture beyond turning, rad/s, while watched.
  private mutating func largestFlow(_ flow: Double?, at time: Timestamp) -> Double? {
    flows.removeAll { time.seconds(since: $0.time) > Self.watch }
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
