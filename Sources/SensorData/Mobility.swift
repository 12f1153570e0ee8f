/// What carries a peer, as far as it is known before the first range.
public enum Mobility: String, CaseIterable, Sendable {
  /// A thing that lies somewhere, and is carried off seldom.
  case item
  /// Somebody on foot, or a robot: moves from the first range on, and stops and goes.
  case person
}
