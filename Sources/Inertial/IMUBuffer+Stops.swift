import SensorData

/// Subdivision of time for integration.
extension IMUBuffer {
  /// Ends of the integration steps after `start`, up to and including `end`: the samples, and in gaps every 10 ms (in
  /// gaps above ten seconds, a thousandth of the gap). Rate and force are constant within a step.
  package func stops(from start: Timestamp, to end: Timestamp) -> [Timestamp] {
    var stops: [Timestamp] = []
    var here = start
    for there in samples(after: start, before: end).map(\.timestamp) + [end] {
      let span = there.seconds(since: here)
      if span > InertialNoise.denseSpacing {
        let parts = Int(min((span / 0.01).rounded(.up), 1000))
        for part in 1..<max(parts, 1) { stops.append(here.advanced(bySeconds: span * Double(part) / Double(parts))) }
      }
      stops.append(there)
      here = there
    }
    return stops
  }
}
