/// A landmark: a point kept in the state, so that the information of its observations outlives the clones.
package struct Landmark: Equatable, Sendable {
  /// The track that sees it.
  package let featureID: Int64
  /// Its error (d1, d2, rho) in the covariance.
  package let block: ErrorCovariance.Block
  /// The clone that anchors it.
  package internal(set) var anchorID: Int
  /// The present estimate.
  package internal(set) var point: AnchoredPoint
  /// Consecutive observations rejected by the gate.
  var refusals = 0
}
