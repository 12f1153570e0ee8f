import Inertial
import SensorData

/// Initialisation and restart of the filter.
extension VisualInertialEstimator {
  /// Attempts initialisation; returns what is still missing.
  func begin(_ frame: CameraFrame, _ report: FrameReport) -> String? {
    switch initializer.attempt(frame, report, waiting) {
    case .waiting(let reason): return reason
    case .ready(let estimate): return start(from: estimate) ? nil : "health"
    }
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
