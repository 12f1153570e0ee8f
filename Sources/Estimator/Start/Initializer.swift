import Geometry
import Inertial
import SensorData

/// Decides how a trajectory begins: at rest as soon as the device is quiet, in motion as soon as the motion tells the speed,
/// and after some patience with what there is.
struct Initializer {
  /// How long inertial samples are kept while waiting, seconds.
  static let memory = StartWindow.longest + 0.5
  /// How long a picture that does not stand still must have flowed slowly for the hand to count as quiet, seconds: a swaying
  /// hand that turns round stands still for a moment, and accelerates most just then.
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
  private var window = StartWindow()
  private var flows: [(time: Timestamp, flow: Double)] = []
  private var began: Timestamp?
  private var lastAttempt: Timestamp?
  private var refusal = MotionInitializer.Refusal.frames

  init(calibration: IMUCalibration, camera: FilterCamera, stillness: StillnessDetector, patience: Double) {
    self.calibration = calibration
    self.camera = camera
    self.stillness = stillness
    self.patience = patience
  }

  /// Waits anew.
  mutating func reset() {
    window.removeAll()
    flows.removeAll()
    (began, lastAttempt, refusal) = (nil, nil, .frames)
  }

  /// Looks for a first state at or before a frame.
  ///
  /// A start in motion speaks of the frame before, so that this one is still new to the filter.
  ///
  /// - Parameter pictureStands: the picture did not move; false where unknown.
  mutating func attempt(_ frame: CameraFrame, _ report: FrameReport, _ samples: IMUBuffer, pictureStands: Bool)
    -> StartOutcome
  {
    let time = report.timestamp
    defer { window.add(frame, at: time) }
    let recent = samples.samples(
      after: time.advanced(bySeconds: -RestInitializer.window), before: time.advanced(byNanoseconds: 1))
    guard let last = recent.last else { return .waiting("imu") }
    if began == nil { began = time }
    let waited = time.seconds(since: began ?? time)
    let isUrgent = waited > patience
    let rest = RestInitializer(calibration: calibration, stillness: stillness, origin: origin)
    let flow = largestFlow(report)
    func atRest(makeshift: Bool) -> StartOutcome {
      rest.attempt(
        recent, at: last.timestamp, isMakeshift: makeshift, flow: flow, pictureStands: pictureStands)
    }

    let quiet = atRest(makeshift: false)
    if case .ready = quiet, pictureStands || waited >= Self.watch { return quiet }
    if let estimate = inMotion(samples, at: time, isUrgent: isUrgent) { return .ready(estimate) }
    if isUrgent { return atRest(makeshift: true) }
    if case .waiting("imu") = quiet { return quiet }
    return .waiting(refusal == .frames ? "stillness" : refusal.rawValue)
  }

  /// Largest median angle that the features moved per second, rad/s, while watched.
  private mutating func largestFlow(_ report: FrameReport) -> Double? {
    flows.removeAll { report.timestamp.seconds(since: $0.time) > Self.watch }
    if let pixels = report.medianDisparity {
      flows.append((report.timestamp, pixels / camera.lens.focalLength / RecentFrames.span))
    }
    return flows.map(\.flow).max()
  }

  private mutating func inMotion(_ samples: IMUBuffer, at time: Timestamp, isUrgent: Bool) -> InitialEstimate? {
    if let lastAttempt, time.seconds(since: lastAttempt) < Self.interval, !isUrgent { return nil }
    lastAttempt = time
    let initializer = MotionInitializer(calibration: calibration, camera: camera, origin: origin)
    switch initializer.attempt(window, samples, isUrgent: isUrgent) {
    case .success(let estimate): return estimate
    case .failure(let reason):
      refusal = reason
      return nil
    }
  }
}
