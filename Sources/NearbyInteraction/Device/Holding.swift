import Geometry

/// How a phone is held: by which of its axes points up.
public enum Holding: String, Sendable, CaseIterable {
  /// The short edges are level.
  case portrait
  /// The long edges are level.
  case landscape
  /// The screen looks up or down.
  case flat

  /// How it is held when `up` (device axes, any length) points away from the floor; near a border the answer stays `before`. Nil
  /// where that says nothing.
  package init?(up: Vector3, before: Holding?) {
    let length = up.norm
    guard length.isFinite, length > 0 else { return nil }
    let axes = Vector3(abs(up.x), abs(up.y), abs(up.z)) / length
    // A fifth more than the runner-up, so that a hand that trembles about 45 degrees does not change the answer.
    let margin = 1.2
    for (holding, share, rest) in [
      (Holding.portrait, axes.y, max(axes.x, axes.z)), (.landscape, axes.x, max(axes.y, axes.z)),
      (.flat, axes.z, max(axes.x, axes.y)),
    ] where share > margin * rest {
      self = holding
      return
    }
    guard let before else { return nil }
    self = before
  }
}
