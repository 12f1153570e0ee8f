import Foundation
import Geometry

/// The Kalman filter of the two biases given the peer's position: the part that is the same for every position.
///
/// State (b, a), measurement `z - |t - p| = b + a + n`. Covariance and gains do not depend on the measurement; the two
/// means do.
package struct BiasFilter: Sendable {
  /// One range with the gains that hold for every position.
  package struct Step: Sendable {
    /// Metres.
    package var range: Double
    /// Antenna position, world, metres.
    package var antenna: Vector3
    /// Decay factor of the Gauss-Markov bias since the previous range, 0...1.
    package var decay: Double
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
    let decay = exp(-seconds / model.memory)
    ba *= decay
    aa = decay * decay * aa + model.coloured * model.coloured * (1 - decay * decay)
    let (hb, ha) = (bb + ba, ba + aa)
    let variance = hb + ha + model.white * model.white
    bb -= hb * hb / variance
    ba -= hb * ha / variance
    aa -= ha * ha / variance
    return Step(
      range: range, antenna: antenna, decay: decay, constantGain: hb / variance, colouredGain: ha / variance,
      information: 1 / variance)
  }
}
