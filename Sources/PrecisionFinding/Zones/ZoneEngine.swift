import Foundation
import SensorData

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

/// A smoothed distance for display: first-order low-pass filter at irregular times.
///
/// `y += (1 - exp(-dt / tau)) (x - y)`; after silence longer than `staleness` it restarts. A pure state machine;
/// seconds of the caller's clock.
public struct DistanceSmoother: Equatable, Sendable {
  /// Time constant tau, seconds; not positive: no smoothing.
  public var timeConstant: Double
  /// Without a value for longer than this the next one counts alone, seconds.
  public var staleness: Double
  private var last: Double?
  private var lastTime = 0.0

  /// Without a value yet.
  public init(timeConstant: Double = 0.5, staleness: Double = 2) {
    self.timeConstant = timeConstant
    self.staleness = staleness
  }

  /// Updates with a measured distance, metres, and returns the one to show; nil when there is none, or only a stale
  /// one.
  public mutating func update(_ distance: Double?, at time: Double) -> Double? {
    guard let distance, distance.isFinite else { return value(at: time) }
    if let shown = value(at: time), timeConstant > 0 {
      last = shown + (1 - exp(-max(0, time - lastTime) / timeConstant)) * (distance - shown)
      lastTime = max(time, lastTime)
    } else {
      (last, lastTime) = (distance, time)
    }
    return last
  }

  /// The distance to show at a time; nil when it is stale.
  public func value(at time: Double) -> Double? { time - lastTime <= staleness ? last : nil }
}

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

/// Follows one peer through its zones: adds `zone` and `smoothedDistance` to the details of its updates. Causal: an
/// update's details depend on it and earlier ones.
struct ZoneFollower {
  private var engine: ZoneEngine
  private var smoother: DistanceSmoother
  private let start: Timestamp

  init(_ configuration: ZoneConfiguration, start: Timestamp) {
    engine = ZoneEngine(configuration.rings, dwell: configuration.dwell)
    smoother = DistanceSmoother(timeConstant: configuration.smoothing)
    self.start = start
  }

  /// The update with its zone in the details.
  mutating func annotate(_ update: NearbyUpdate) -> NearbyUpdate {
    let time = update.timestamp.seconds(since: start)
    var annotated = update
    if let shown = smoother.update(update.object.distance, at: time) {
      annotated.details["smoothedDistance"] = .number((shown * 1e4).rounded() / 1e4)
    }
    _ = engine.update(update.object.distance, at: time)
    annotated.details["zone"] = .text(engine.current?.name ?? "outside")
    return annotated
  }
}

extension PrecisionFinder {
  /// The outputs with zones in their details, where there are rings.
  func zoned(_ outputs: [FinderOutput]) -> [FinderOutput] {
    guard !configuration.zones.rings.isEmpty else { return outputs }
    return outputs.map { output in
      guard case .update(let update) = output else { return output }
      let peer = update.object.peer
      return .update(
        zones[peer, default: ZoneFollower(configuration.zones, start: update.timestamp)].annotate(update))
    }
  }
}
