import PrecisionFinding
import SensorData

/// Prints where the peers are. `events`: IMU samples, frames with tracks and ranges, in order of arrival.
func printUpdates(of events: [TimedEvent], rig: RigCalibration) {
  let finder = PrecisionFinder(rig: rig, useOdometry: false)
  func show(_ outputs: [FinderOutput]) {
    for case .update(let update) in outputs {
      // Radians, 0 ahead, positive right; nil until it is known.
      let angle = update.object.horizontalAngle.map { "\($0.value) in \($0.low)...\($0.high)" } ?? "no angle"
      // `guidance` is nil when converged, and while the status is `unknown`.
      print(update.object.peer, update.convergence.status, angle, update.guidance ?? "")
    }
  }
  for event in events { show(finder.process(event)) }
  show(finder.finish())  // what waited for late data
}
