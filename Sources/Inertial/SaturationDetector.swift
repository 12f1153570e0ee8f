import Geometry

/// Finds the readings of three axes that are cut at the end of the sensor's range. Nobody writes the range into a
/// calibration, but a cut reading betrays itself: large, exactly as large as the one before, and never exceeded.
package struct SaturationDetector: Equatable, Sendable {
  /// No sensor's range ends below this: what repeats itself there is rest and coarse digits.
  private let least: Double
  private var last = Vector3.zero
  private var largest = 0.0
  /// The end of the range once it has been seen, in the unit of the readings.
  package private(set) var rail: Double?

  /// - Parameter least: the smallest range that is built, in the unit of the readings.
  package init(least: Double) { self.least = least }

  /// Takes the next reading in.
  ///
  /// - Returns: how many of the newest readings are cut: 2 when the range's end is discovered, for then the last one was
  ///   cut already; then 1 for each that is, else 0.
  package mutating func count(_ reading: Vector3) -> Int {
    defer { last = reading }
    var cut = 0
    for axis in 0..<3 {
      let size = abs(reading[axis])
      guard size >= least else { continue }
      if size > largest { (largest, rail) = (size, nil) }
      if size == rail {
        cut = max(cut, 1)
      } else if size == largest, reading[axis] == last[axis] {
        rail = size
        cut = 2
      }
    }
    return cut
  }
}
