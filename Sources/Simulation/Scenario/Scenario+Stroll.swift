import Foundation
import Geometry

extension Scenario {
  /// A walk that the seed draws: somebody takes the peer along, level, in straight ways with a turn between two of them.
  package struct Stroll: Equatable, Sendable {
    /// When it begins, uniform, seconds.
    package var begin: ClosedRange<Double>
    /// How long it lasts, uniform, seconds; all ways take equally long.
    package var duration: ClosedRange<Double>
    /// Uniform, m/s, the same on all ways.
    package var speed: ClosedRange<Double>
    /// Number of ways; each is turned by up to a right angle from the one before, the first goes anywhere.
    package var ways = 1

    /// A draw for a peer that stands at `position`. It keeps a metre away from the start of the device, if 100 draws can.
    func legs(from position: Vector3, _ random: inout SeededRandom) -> [Leg] {
      var legs: [Leg] = []
      for _ in 0..<100 {
        let (start, length, speed) = (random.uniform(begin), random.uniform(duration), random.uniform(speed))
        let each = length / Double(ways)
        var heading = random.uniform(-Double.pi...Double.pi)
        legs = (0..<ways).map { k in
          if k > 0 { heading += random.uniform((-Double.pi / 2)...(Double.pi / 2)) }
          let from = start + Double(k) * each
          return Leg(time: from...(from + each), way: speed * each * Vector3(cos(heading), sin(heading), 0))
        }
        if Self.leastDistance(of: legs, from: position) > 1 { break }
      }
      return legs
    }

    /// The least distance from the start of the device that the ways come to, metres.
    private static func leastDistance(of legs: [Leg], from position: Vector3) -> Double {
      var (here, least) = (position, position.norm)
      for leg in legs {
        let share = min(max(-here.dot(leg.way) / max(leg.way.squaredNorm, 1e-12), 0), 1)
        least = min(least, (here + share * leg.way).norm)
        here += leg.way
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
    try f.integer("ways", 1...100).map { ways = $0 }
  }
}
