import Geometry

/// How a phone is held: which of its axes is vertical.
public enum Holding: String, Sendable, CaseIterable {
  /// The short edges are level.
  case portrait
  /// The long edges are level.
  case landscape
  /// The screen looks up or down.
  case flat

  /// Holding from the up vector (device axes, any length), with hysteresis: near a border it stays `before`. Nil for a
  /// zero or non-finite vector, and near a border without `before`.
  package init?(up: Vector3, before: Holding?) {
    let length = up.norm
    guard length.isFinite, length > 0 else { return nil }
    let axes = Vector3(abs(up.x), abs(up.y), abs(up.z)) / length
    // A fifth more than the second largest component, so that tremor about 45 degrees does not change the result.
    let margin = 1.2
    for (holding, component, others) in [
      (Holding.portrait, axes.y, max(axes.x, axes.z)), (.landscape, axes.x, max(axes.y, axes.z)),
      (.flat, axes.z, max(axes.x, axes.y)),
    ] where component > margin * others {
      self = holding
      return
    }
    guard let before else { return nil }
    self = before
  }
}
