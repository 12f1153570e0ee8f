import Evaluation
import PrecisionFinding

extension JudgedUpdate {
  /// What was published.
  init(_ update: NearbyUpdate) {
    let object = update.object
    self.init(
      timestamp: update.timestamp, distance: object.distance, horizontalAngle: object.horizontalAngle?.value,
      horizontalAngleInterval: object.horizontalAngle.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil },
      verticalDirectionEstimate: object.verticalDirectionEstimate.name,
      worldPosition: object.worldPosition?.position, isConverged: update.convergence.status == .converged)
  }
}
