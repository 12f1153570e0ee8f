import Inertial

/// Somebody who wants to see the linearised system that the filter works with: tests of what must stay unobservable. An
/// observer changes no result.
package protocol UpdateObserver: AnyObject {
  /// The navigation state was carried from one first estimate to another by a transition, 15 x 15, row-major.
  func propagated(_ transition: [Double], from before: InertialState, to after: InertialState)
  /// The filter is about to be updated with these rows.
  func willUpdate(with rows: RowStack, _ navigation: InertialNavigation)
  /// A landmark was told in another camera: d(new error) by the errors of some blocks, its own old one among them.
  func reanchored(_ jacobian: [(ErrorCovariance.Block, [Double])], in navigation: InertialNavigation)
}
