import Inertial
import SensorData

/// Initialisation and restart of the filter.
extension VisualInertialEstimator {
  /// A frame received while an attempt in motion goes on: new information to the state that it finds.
  struct HeldFrame {
    var frame: CameraFrame
    var report: FrameReport
    var spacing: Double
  }

  /// Attempts initialisation; once there is a state, processes the frames since.
  func begin(_ frame: CameraFrame, _ report: FrameReport, spacing: Double) -> FrameReport {
    var report = report
    held.append(HeldFrame(frame: frame, report: report, spacing: spacing))
    switch meter.measure(.start, { initializer.attempt(frame, report, waiting) }) {
    case .waiting(let reason): report.waitingFor = reason
    case .ready(let estimate):
      if start(from: estimate) { return catchUp(from: estimate.time) }
      report.waitingFor = "health"
    }
    if !initializer.isRunning { recordHeld() }
    return report
  }

  /// Processes the held frames after the start; the last one's report.
  private func catchUp(from time: Timestamp) -> FrameReport {
    let current = held.removeLast()
    let since = held.filter { $0.report.timestamp > time } + [current]
    held.removeAll { $0.report.timestamp > time }
    recordHeld()
    var report = current.report
    for next in since where navigation != nil { report = filter(next.frame, next.report, spacing: next.spacing) }
    return report
  }

  private func recordHeld() {
    for old in held { outlierRejection.record(old.frame, at: old.report.timestamp, by: camera) }
    held.removeAll()
  }

  /// Applies loss or recovery of the position to the filter.
  func handle(_ transition: PositionLossMonitor.Transition?, _ navigation: InertialNavigation) {
    switch transition {
    case .lost: navigation.losePosition()
    case .found:
      zeroVelocity.end(navigation)
      hover.end(navigation)
      navigation.beginEpoch()
    case nil: break
    }
  }

  /// The report of a frame to which the state could not be propagated; a gap that is too long restarts the filter.
  func dropped(by navigation: InertialNavigation, _ report: FrameReport) -> FrameReport {
    var report = report.treated(.dropped)
    if report.timestamp > navigation.time, navigation.hasUnbridgeableGap(before: report.timestamp) {
      report.recordRestart(waitingFor: restart())
    }
    return report
  }

  /// Drops the diverged filter and restarts initialisation.
  func restart() -> String {
    waiting = navigation?.samples ?? IMUBuffer()
    if let pose = navigation?.worldFromBody, pose.translation.isFinite, pose.rotation.v.isFinite {
      initializer.origin = pose
    }
    initializer.reset()
    held.removeAll()
    navigation = nil
    hover.reset()
    zeroVelocity.reset()
    outlierRejection.reset()
    tracks.removeAll()
    ownTracks.removeAll()
    early = nil
    divergence.reset()
    positionLoss.reset()
    restarts += 1
    return "health"
  }
}
