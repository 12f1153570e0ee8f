import SensorData

/// How time is cut up for an integration.
extension IMUBuffer {
  /// The moments after `start`, `end` the last, between which rate and force count as constant: the samples, and in gaps every 10 ms (of a
  /// gap of over ten seconds a thousandth).
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
