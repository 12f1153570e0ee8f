import Foundation

/// How the ranges of one link scatter: white noise plus a Gauss-Markov bias of each antenna.
///
/// Real radios are coloured, and a filter that assumes white noise misses a third to two thirds of its "90 %" intervals on
/// them. The coloured part is multipath and antenna pattern: it is the worst of all errors where it forgets as fast as the
/// hand moves, and taking it for faster than it is widens every interval: forgetting within 1 m made intervals on a swinging
/// arm half as wide again as need be. What was tried: docs/estimator.md.
package struct RangeNoise: Equatable, Sendable {
  /// 1-sigma of the white part, metres.
  package var white: Double
  /// Stationary 1-sigma of the coloured part, metres.
  package var coloured: Double
  /// Correlation time of the coloured part while the device stands still, seconds.
  package var correlationTime: Double
  /// Distance over which the coloured part decorrelates, metres.
  package var correlationLength: Double

  package init(white: Double, coloured: Double, correlationTime: Double, correlationLength: Double) {
    self.white = white
    self.coloured = coloured
    self.correlationTime = correlationTime
    self.correlationLength = correlationLength
  }

  /// 1-sigma of both parts together, metres.
  package var total: Double { (white * white + coloured * coloured).squareRoot() }

  /// What is left of the coloured part after `seconds` in which the device moved `metres`, 0...1.
  package func memory(after seconds: Double, metres: Double) -> Double {
    exp(-abs(seconds) / correlationTime - metres / correlationLength)
  }
}
