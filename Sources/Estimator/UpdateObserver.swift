import Inertial

/// Observes the filter's linearised system, for tests of observability. An observer changes no result.
package protocol UpdateObserver: AnyObject {
  /// The navigation state was propagated from one first estimate to another by a transition, 15 x 15, row-major.
  func propagated(_ transition: [Double], from before: InertialState, to after: InertialState)
  /// The filter is about to be updated with these rows.
  func willUpdate(with rows: RowStack, _ navigation: InertialNavigation)
  /// A landmark was re-anchored: Jacobian of its new error by the errors of some blocks, including its old one.
  func reanchored(_ jacobian: [(ErrorCovariance.Block, [Double])], in navigation: InertialNavigation)
}
