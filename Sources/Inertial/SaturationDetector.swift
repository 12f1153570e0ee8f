import Geometry

/// Detects saturated readings of a three-axis sensor. Calibrations do not state the range. A saturated reading is
/// recognised as large, equal to the previous one, and never exceeded.
package struct SaturationDetector: Equatable, Sendable {
  /// Smallest range considered: repeated readings below it are a stationary sensor with coarse quantisation.
  private let smallestRange: Double
  private var last = Vector3.zero
  private var largest = 0.0
  /// The detected range limit in the unit of the readings; nil until detected.
  package private(set) var rangeLimit: Double?

  /// - Parameter smallestRange: smallest range of sensors on the market, in the unit of the readings.
  package init(smallestRange: Double) { self.smallestRange = smallestRange }

  /// Processes the next reading.
  ///
  /// - Returns: how many of the newest readings are saturated: 2 when the limit is detected, since the previous reading
  ///   was saturated too; then 1 for each saturated reading, else 0.
  package mutating func count(_ reading: Vector3) -> Int {
    defer { last = reading }
    var saturated = 0
    for axis in 0..<3 {
      let size = abs(reading[axis])
      guard size >= smallestRange else { continue }
      if size > largest { (largest, rangeLimit) = (size, nil) }
      if size == rangeLimit {
        saturated = max(saturated, 1)
      } else if size == largest, reading[axis] == last[axis] {
        rangeLimit = size
        saturated = 2
      }
    }
    return saturated
  }
}
