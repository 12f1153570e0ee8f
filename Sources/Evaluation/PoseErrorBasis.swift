import Geometry

/// The errors of a link that are bound to its poses as sums of few independent standard normals: an incomplete Cholesky
/// factor of their covariance, in the order of the ranges.
///
/// A range whose error the former ones leave uncertain by more than a thousandth of the white variance adds a normal; of
/// any other the rest counts as white. Source: Fine and Scheinberg, "Efficient SVM training using low-rank kernel
/// representations", JMLR 2, 2001.
struct PoseErrorBasis: Sendable {
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
