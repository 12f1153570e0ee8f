/// A point that stays in view for long, as a part of the state: what its sights tell of the motion is not lost when
/// the poses leave that took them.
package struct Landmark: Equatable, Sendable {
  /// The track that sees it.
  package let featureID: Int64
  /// Its error (d1, d2, rho) in the covariance.
  package let block: ErrorCovariance.Block
  /// The clone in whose camera it is told.
  package internal(set) var anchorID: Int
  /// The present estimate.
  package internal(set) var point: AnchoredPoint
  /// How many sights in a row the gate refused.
  var refusals = 0
}
