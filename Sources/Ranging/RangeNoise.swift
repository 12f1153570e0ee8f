import Foundation

/// How the ranges of one link scatter: white noise plus a Gauss-Markov bias.
///
/// Real radios are coloured: autocorrelations of 0.3 to 0.6 at 0.1 s were measured on public UWB recordings, and a filter
/// that assumes white noise misses a third to two thirds of its "90 %" intervals on them.
package struct RangeNoise: Equatable, Sendable {
  /// 1-sigma of the white part, metres.
  package var white: Double
  /// Stationary 1-sigma of the coloured part, metres.
  package var coloured: Double
  /// Correlation time of the coloured part, seconds.
  package var correlationTime: Double

  package init(white: Double, coloured: Double, correlationTime: Double) {
    self.white = white
    self.coloured = coloured
    self.correlationTime = correlationTime
  }

  /// 1-sigma of both parts together, metres.
  package var total: Double { (white * white + coloured * coloured).squareRoot() }

  /// What is left of the coloured part after `seconds`, 0...1.
  package func memory(after seconds: Double) -> Double { exp(-abs(seconds) / correlationTime) }
}
