import Foundation
import Geometry

/// The Kalman filter of the two biases given the place of the peer: what of it is the same at every place.
///
/// State (b, a), measurement `z - |t - p| = b + a + n`. The covariance and so the gains do not depend on the measurement;
/// only the two means do.
package struct BiasFilter: Sendable {
  /// One range, as every place sees it.
  package struct Step: Sendable {
    /// Metres.
    package var range: Double
    /// Where it was taken, world, metres.
    package var antenna: Vector3
    /// What is left of the Gauss-Markov bias since the range before, 0...1.
    package var kept: Double
    /// Gain of the constant bias.
    package var constantGain: Double
    /// Gain of the Gauss-Markov bias.
    package var colouredGain: Double
    /// Inverse variance of the innovation, 1/m^2.
    package var information: Double
  }

  private let model: RangeErrorModel
  /// Covariance of (b, a), m^2.
  private var (bb, ba, aa) = (0.0, 0.0, 0.0)

  /// The filter before the first range.
  package init(_ model: RangeErrorModel) {
    self.model = model
    bb = model.constant * model.constant
    aa = model.coloured * model.coloured
  }

  /// Prediction over `seconds` and the gains of the range after it.
  package mutating func step(range: Double, antenna: Vector3, after seconds: Double) -> Step {
    let kept = exp(-seconds / model.memory)
    ba *= kept
    aa = kept * kept * aa + model.coloured * model.coloured * (1 - kept * kept)
    let (hb, ha) = (bb + ba, ba + aa)
    let variance = hb + ha + model.white * model.white
    bb -= hb * hb / variance
    ba -= hb * ha / variance
    aa -= ha * ha / variance
    return Step(
      range: range, antenna: antenna, kept: kept, constantGain: hb / variance, colouredGain: ha / variance,
      information: 1 / variance)
  }
}
