import Inertial
import SensorData

/// How a filter begins, ends and begins anew.
extension VisualInertialEstimator {
  /// Looks for a first state; returns what is still missing.
  func begin(_ frame: CameraFrame, _ report: FrameReport) -> String? {
    switch initializer.attempt(frame, report, waiting) {
    case .waiting(let reason): return reason
    case .ready(let estimate): return start(from: estimate) ? nil : "health"
    }
  }

  /// What a way that was lost or found means for the filter.
  func follow(_ turn: PositionLossMonitor.Turn?, _ navigation: InertialNavigation) {
    switch turn {
    case .lost: navigation.losePosition()
    case .found:
      rest.end(navigation)
      hover.end(navigation)
      navigation.beginEpoch()
    case nil: break
    }
  }

  /// The report of a frame that the state could not be carried to; without the motion in between, a new one is needed.
  func given(up navigation: InertialNavigation, _ report: FrameReport) -> FrameReport {
    var report = report.treated(.dropped)
    if report.timestamp > navigation.time, navigation.isSaturated(from: report.timestamp) {
      report.giveUp(waitingFor: restart())
    }
    return report
  }

  /// Gives up a state that can no longer be trusted and looks for a new one.
  func restart() -> String {
    waiting = navigation?.samples ?? IMUBuffer()
    if let pose = navigation?.worldFromBody, pose.translation.isFinite, pose.rotation.v.isFinite {
      initializer.origin = pose
    }
    initializer.reset()
    navigation = nil
    hover.reset()
    rest.reset()
    screen.reset()
    tracks.removeAll()
    ownTracks.removeAll()
    early = nil
    trust.reset()
    way.reset()
    restarts += 1
    return "health"
  }
}
