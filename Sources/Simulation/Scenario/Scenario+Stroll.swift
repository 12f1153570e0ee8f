import Foundation
import Geometry

extension Scenario {
  /// Distribution of a peer's path, drawn by the seed: a level walk in straight legs with a rotation, and a rest where
  /// it stops and goes, between two of them.
  package struct Stroll: Equatable, Sendable {
    /// Start time, uniform, seconds.
    package var begin: ClosedRange<Double>
    /// Duration of the legs together, uniform, seconds; all legs have the same duration.
    package var duration: ClosedRange<Double>
    /// Uniform, m/s, the same on all legs.
    package var speed: ClosedRange<Double>
    /// Number of legs. The first heading is uniform; each further one differs by up to 90 degrees from the last.
    package var legCount = 1
    /// Rest before each further leg, uniform, seconds; nil: none.
    package var rest: ClosedRange<Double>?

    /// A draw for a peer that starts at `position`: the first that stays 1 m from the device's start, or the 100th.
    func legs(from position: Vector3, _ random: inout SeededRandom) -> [Leg] {
      var legs: [Leg] = []
      for _ in 0..<100 {
        let (start, length, speed) = (random.uniform(begin), random.uniform(duration), random.uniform(speed))
        let each = length / Double(legCount)
        var heading = random.uniform(-Double.pi...Double.pi)
        var rested = 0.0
        legs = (0..<legCount).map { k in
          if k > 0 {
            heading += random.uniform((-Double.pi / 2)...(Double.pi / 2))
            rested += rest.map { random.uniform($0) } ?? 0
          }
          let from = start + Double(k) * each + rested
          return Leg(time: from...(from + each), displacement: speed * each * Vector3(cos(heading), sin(heading), 0))
        }
        if Self.leastDistance(of: legs, from: position) > 1 { break }
      }
      return legs
    }

    /// The least distance of the legs from the start of the device, metres.
    private static func leastDistance(of legs: [Leg], from position: Vector3) -> Double {
      var (here, least) = (position, position.norm)
      for leg in legs {
        let fraction = min(max(-here.dot(leg.displacement) / max(leg.displacement.squaredNorm, 1e-12), 0), 1)
        least = min(least, (here + fraction * leg.displacement).norm)
        here += leg.displacement
      }
      return least
    }
  }
}

extension Scenario.Stroll {
  init(_ f: inout Fields) throws(ScenarioError) {
    guard let begin = try f.interval("begin_s", 0...3600) else { throw f.missing("begin_s") }
    guard let duration = try f.interval("duration_s", 0.1...3600) else { throw f.missing("duration_s") }
    guard let speed = try f.interval("speed_m_s", 0...20) else { throw f.missing("speed_m_s") }
    self.init(begin: begin, duration: duration, speed: speed)
    try f.integer("ways", 1...100).map { legCount = $0 }
    rest = try f.interval("rest_s", 0...3600)
  }
}
