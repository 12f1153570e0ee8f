/// Rings around every peer by distance, and the smoothing of the displayed distance. Without a ring neither is
/// reported.
public struct ZoneConfiguration: Equatable, Sendable {
  /// The innermost ring is entered at this radius, metres; 0: there is no such ring.
  public var immediateMetres = 0.0
  /// The middle one, metres; 0: there is none.
  public var nearMetres = 0.0
  /// The outermost one, metres; 0: there is none.
  public var farMetres = 0.0
  /// A ring is left at this fraction more than its radius: a noisy distance at a border does not ring twice.
  public var margin = 0.2
  /// A border must stay crossed this long, seconds.
  public var dwell = 0.5
  /// Time constant of the displayed distance, seconds; 0: no smoothing.
  public var smoothing = 0.5

  /// No rings.
  public init() {}

  /// The configured rings.
  public var rings: [ZoneEngine.Zone] {
    [("immediate", immediateMetres), ("near", nearMetres), ("far", farMetres)].filter { $0.1 > 0 }.map {
      ZoneEngine.Zone($0.0, enter: $0.1, exit: $0.1 * (1 + margin))
    }
  }
}
