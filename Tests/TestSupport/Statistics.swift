/// Figures of samples.
package enum Statistics {
  /// The upper median.
  package static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
