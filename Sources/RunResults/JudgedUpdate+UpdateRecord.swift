import Datasets
import Evaluation

extension JudgedUpdate {
  /// The published values of one line; nil for a line of the session.
  package init?(_ record: UpdateRecord) {
    guard record.peer != nil else { return nil }
    self.init(
      timestamp: record.timestamp, distance: record.distance,
      distanceStandardDeviation: record.distanceStandardDeviation, horizontalAngle: record.horizontalAngle?.value,
      horizontalAngleInterval: record.horizontalAngle.flatMap { $0.low <= $0.high ? $0.low...$0.high : nil },
      verticalDirectionEstimate: record.verticalDirectionEstimate ?? "unknown", worldPosition: record.worldPosition,
      positionCovariance: record.positionCovariance, status: record.status, reasons: record.reasons,
      rangeUse: record.details["rangeUse"]?.text)
  }
}
