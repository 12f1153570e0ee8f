import SensorData

/// Somebody who wants to know why an update says what it says. It changes nothing.
package protocol ExplanationObserver: AnyObject {
  /// Whether the update of `peer` at `time` is of interest.
  func wants(_ peer: String, at time: Timestamp) -> Bool
  /// Takes an explanation.
  func take(_ explanation: Explanation)
}
