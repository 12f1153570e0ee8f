import Geometry
import SensorData

/// Displacement of features between two frames.
package enum Disparity {
  /// Median distance in pixels over the features common to both frames, and their number; nil when there is none.
  ///
  /// - Parameters: features sorted by id, each id once. O(n log n).
  package static func median(from old: [FeatureObservation], to new: [FeatureObservation]) -> (
    pixels: Double, count: Int
  )? {
    var squared: [Double] = []
    var i = 0
    for feature in new {
      while i < old.count, old[i].featureID < feature.featureID { i += 1 }
      guard i < old.count, old[i].featureID == feature.featureID else { continue }
      let du = feature.u - old[i].u, dv = feature.v - old[i].v
      let distance = du * du + dv * dv
      if distance.isFinite { squared.append(distance) }
    }
    return median(&squared).map { ($0.squareRoot(), squared.count) }
  }

  /// The median (the upper one of an even number); nil when there is none. The values are reordered.
  package static func median(_ values: inout [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    values.sort()
    return values[values.count / 2]
  }
}
