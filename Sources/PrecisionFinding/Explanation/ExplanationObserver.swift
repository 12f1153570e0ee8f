import SensorData

/// Observes why an update has its values. It changes nothing.
package protocol ExplanationObserver: AnyObject {
  /// Whether the update of `peer` at `time` is of interest.
  func wants(_ peer: String, at time: Timestamp) -> Bool
  /// Receives an explanation.
  func observe(_ explanation: Explanation)
}
