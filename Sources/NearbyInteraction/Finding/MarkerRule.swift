/// When a marker at the peer's place may be shown: near, about ahead, converged, and the place known.
public struct MarkerRule: Equatable, Sendable {
  /// Farther than this there is no marker, metres.
  public var farthest = 10.0

  /// The usual distance.
  public init() {}

  /// Half the width of "about ahead", radians: pi / 5 at the peer, pi / 4 at the farthest. Nil beyond that, and for what is no
  /// distance.
  public func halfWidth(at distance: Double) -> Double? {
    guard distance >= 0, distance <= farthest else { return nil }
    return .pi / (4 + (1 - distance / farthest))
  }

  /// Whether the peer is near and about ahead.
  public func isInView(distance: Double?, horizontalAngle: Double?) -> Bool {
    guard let distance, let angle = horizontalAngle, let width = halfWidth(at: distance) else { return false }
    return abs(angle) <= width
  }

  /// Whether the marker may be shown.
  public func shows(distance: Double?, horizontalAngle: Double?, isConverged: Bool, isPlaced: Bool) -> Bool {
    isConverged && isPlaced && isInView(distance: distance, horizontalAngle: horizontalAngle)
  }
}
