import Estimator
import SensorData

/// Keeps the explanation of a peer's last update of a moment, with what only a whole run knows: the camera's frames,
/// and what the trajectory waits for. It changes no result.
package final class LastExplanation: ExplanationObserver, FrameObserver {
  /// Whose updates.
  package let peer: String
  private let moment: Timestamp
  private unowned let finder: PrecisionFinder
  private var cameraHealth: CameraHealth?
  /// The last one; nil before there is any.
  package private(set) var explanation: Explanation?

  /// Observes `finder` from now on. The finder must live as long as it is fed.
  package init(of peer: String, at moment: Timestamp, in finder: PrecisionFinder) {
    self.peer = peer
    self.moment = moment
    self.finder = finder
    finder.attach(self as any ExplanationObserver)
    finder.attach(self as any FrameObserver)
  }

  package func wants(_ peer: String, at time: Timestamp) -> Bool { peer == self.peer && time == moment }

  package func observe(_ explanation: Explanation) {
    self.explanation = explanation.completed(
      cameraHealth, waitingFor: finder.trajectory.waitingFor, finder.builder.rules)
  }

  package func didReceive(_ sample: IMUSample) {}

  package func didProcess(_ frame: CameraFrame, _ report: FrameReport, _ navigation: InertialNavigation?) {
    cameraHealth = CameraHealth(frame)
  }
}
