import Foundation
import Geometry

/// The Kalman filter of a link's errors given the peer's position: the part that is the same for every position near a
/// place.
///
/// State (b, a, e_1 ... e_m), measurement `z - |t - p| = b + a + sum_j h_j e_j + n`, with the normals e_j of
/// `PoseErrorBasis`. Covariance and gains do not depend on the measurement; the means do.
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
    /// h_1 ... h_m, metres, and the gains of e_1 ... e_m, 1/m.
    package var features: [Double] = []
    package var featureGains: [Double] = []
    /// Half the logarithm of the innovation's variance where it differs from place to place; else 0.
    package var penalty = 0.0
    /// Known excess of the range for a peer at this vector from the antenna, world axes, metres; nil: none.
    package var excess: (@Sendable (Vector3) -> Double)?
  }

  private let model: RangeErrorModel
  private var basis: PoseErrorBasis
  /// Covariance of (b, a), m^2.
  private var (bb, ba, aa) = (0.0, 0.0, 0.0)
  /// Covariances of b and a with the normals, and of these.
  private var (be, ae): ([Double], [Double]) = ([], [])
  private var ee: [[Double]] = []

  /// The filter before the first range.
  ///
  /// - Parameter peer: the place near which the peer is, world, metres; it matters to an antenna's pattern alone.
  package init(_ model: RangeErrorModel, peer: Vector3 = .zero) {
    self.model = model
    basis = PoseErrorBasis(model, peer: peer)
    bb = model.constant * model.constant
    aa = model.coloured * model.coloured
  }

  /// Prediction over `seconds` and the gains of the range after it.
  package mutating func step(range: Double, at pose: RangingPose, after seconds: Double) -> Step {
    let (features, rest) = basis.row(at: pose)
    while be.count < features.count { addNormal() }
    let decay = exp(-seconds / model.memory)
    ba *= decay
    aa = decay * decay * aa + model.coloured * model.coloured * (1 - decay * decay)
    for j in ae.indices { ae[j] *= decay }
    var (hb, ha, ofFeatures) = (bb + ba, ba + aa, rest)
    var he = [Double](repeating: 0, count: be.count)
    for (j, feature) in features.enumerated() {
      hb += feature * be[j]
      ha += feature * ae[j]
    }
    for j in he.indices {
      var sum = be[j] + ae[j]
      ee[j].withUnsafeBufferPointer { row in for (k, feature) in features.enumerated() { sum += row[k] * feature } }
      he[j] = sum
      ofFeatures += j < features.count ? features[j] * sum : 0
    }
    let variance = hb + ha + ofFeatures + model.white * model.white
    bb -= hb * hb / variance
    ba -= hb * ha / variance
    aa -= ha * ha / variance
    for j in he.indices {
      be[j] -= hb * he[j] / variance
      ae[j] -= ha * he[j] / variance
      let gain = he[j] / variance
      ee[j].withUnsafeMutableBufferPointer { row in for k in row.indices { row[k] -= gain * he[k] } }
    }
    return Step(
      range: range, antenna: pose.antenna, decay: decay, constantGain: hb / variance, colouredGain: ha / variance,
      information: 1 / variance, features: features, featureGains: he.map { $0 / variance })
  }

  /// One more independent normal.
  private mutating func addNormal() {
    be.append(0)
    ae.append(0)
    for j in ee.indices { ee[j].append(0) }
    ee.append([Double](repeating: 0, count: ee.count) + [1])
  }
}

/// The errors of a link that are bound to its poses as sums of few independent standard normals: an incomplete Cholesky
/// factor of their covariance, in the order of the ranges.
///
/// A range whose error the former ones leave uncertain by more than a thousandth of the white variance adds a normal; of
/// any other the rest counts as white. Source: Fine and Scheinberg, "Efficient SVM training using low-rank kernel
/// representations", JMLR 2, 2001.
private struct PoseErrorBasis: Sendable {
  /// Largest rest, of the white variance.
  private static let rest = 1e-3

  private let model: RangeErrorModel
  /// A place near which the peer is taken to be; the pattern's covariance depends on it.
  private let peer: Vector3
  private var pivots: [RangingPose] = []
  /// Rows of the pivots, lower triangular.
  private var factor: [[Double]] = []

  init(_ model: RangeErrorModel, peer: Vector3) {
    self.model = model
    self.peer = peer
  }

  /// The error at a pose as a sum of normals, metres, and the variance that is left, square metres.
  mutating func row(at pose: RangingPose) -> (features: [Double], rest: Double) {
    guard model.field != nil || model.pattern != nil else { return ([], 0) }
    var row: [Double] = []
    row.reserveCapacity(pivots.count + 1)
    var left = model.boundCovariance(pose, pose, peer: peer)
    for (pivot, known) in zip(pivots, factor) {
      var value = model.boundCovariance(pose, pivot, peer: peer)
      for (k, entry) in row.enumerated() { value -= known[k] * entry }
      value /= known[row.count]
      row.append(value)
      left -= value * value
    }
    guard left > Self.rest * model.white * model.white else { return (row, max(left, 0)) }
    row.append(left.squareRoot())
    pivots.append(pose)
    factor.append(row)
    return (row, 0)
  }
}
