/// Which zone around a peer the device is in: rings by distance, each entered at one radius and left at a larger one,
/// so that a noisy distance at a border does not ring twice. A pure state machine; seconds of the caller's clock.
public struct ZoneEngine: Equatable, Sendable {
  /// A ring around the peer.
  public struct Zone: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Entered at this distance or below, metres.
    public var enter: Double
    /// Left beyond this distance, metres; at least `enter`.
    public var exit: Double

    /// A ring; an exit below the entrance counts as the entrance.
    public init(_ name: String, enter: Double, exit: Double) {
      self.name = name
      self.enter = enter
      self.exit = max(enter, exit)
    }
  }

  /// What happened.
  public enum Change: Equatable, Sendable {
    /// The device entered this zone.
    case entered(String)
    /// The device left it.
    case left(String)
  }

  /// The rings, innermost first.
  public let zones: [Zone]
  /// Dwell time of a border crossing, seconds.
  public let dwell: Double
  private var inside: [Bool]
  private var crossedSince: [Double?]

  /// Rings in any order; the device starts outside all of them.
  public init(_ zones: [Zone], dwell: Double = 0.5) {
    self.zones = zones.sorted { ($0.enter, $0.name) < ($1.enter, $1.name) }
    self.dwell = dwell
    inside = Array(repeating: false, count: zones.count)
    crossedSince = Array(repeating: nil, count: zones.count)
  }

  /// The innermost zone that holds the device; nil outside all.
  public var current: Zone? { zip(zones, inside).first { $0.1 }?.0 }

  /// Updates with a distance, metres, and returns the changes: leaving from the inside out, entering from the outside
  /// in. An unknown distance changes nothing.
  public mutating func update(_ distance: Double?, at time: Double) -> [Change] {
    guard let distance, distance.isFinite else { return [] }
    var changed: [Int] = []
    for (k, zone) in zones.enumerated() {
      guard inside[k] ? distance > zone.exit : distance <= zone.enter else {
        crossedSince[k] = nil
        continue
      }
      let since = crossedSince[k] ?? time
      crossedSince[k] = since
      guard time - since >= dwell else { continue }
      crossedSince[k] = nil
      inside[k].toggle()
      changed.append(k)
    }
    return changed.filter { !inside[$0] }.map { .left(zones[$0].name) }
      + changed.filter { inside[$0] }.reversed().map { .entered(zones[$0].name) }
  }
}
