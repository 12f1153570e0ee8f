import SensorData

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
