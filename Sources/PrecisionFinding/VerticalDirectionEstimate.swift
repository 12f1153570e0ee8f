/// Whether a peer is on the same level. Raw values are Apple's (`NINearbyObject.VerticalDirectionEstimate`).
public enum VerticalDirectionEstimate: Int, Sendable, CaseIterable {
  /// Not known, or not known yet.
  case unknown = 0
  /// Within 1.2 m of the device's vertical position, or within 10 degrees of its horizon.
  case same = 1
  /// Higher than that.
  case above = 2
  /// Lower than that.
  case below = 3
  /// Not on the same level, but the motion so far cannot resolve the side.
  case aboveOrBelow = 4

  /// The name as output files spell it.
  public var name: String {
    switch self {
    case .unknown: "unknown"
    case .same: "same"
    case .above: "above"
    case .below: "below"
    case .aboveOrBelow: "aboveOrBelow"
    }
  }
}
