import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import Testing

/// Radio parameters that are kept when the trajectory is restarted.
@Suite struct LinkKnowledgeTests {
  /// Distances after a search of twelve seconds, which observes the constant bias, a restart, and a stationary second.
  private static func distances(seed: UInt64) throws -> (
    truth: Double, informed: (mean: Double, sigma: Double), fresh: (mean: Double, sigma: Double)
  ) {
    var random = SeededRandom(seed: seed)
    let peer = Vector3(random.uniform(1.5...3), random.uniform(-1...1), random.uniform(-0.5...0.5))
    let bias = 0.15 * random.gaussian()
    func range(_ t: Double, at device: Vector3) -> PeerFilter.Range {
      PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
        range: (peer - device).norm + bias + 0.03 * random.gaussian(), antenna: device, device: device)
    }
    let fresh = PeerFilter(configuration: RangingConfiguration(), antennas: [""], statedNoise: nil)
    var before = fresh
    for k in 0..<240 {
      let t = 0.05 * Double(k)
      before.update(range(t, at: Vector3(1.2 * cos(t), 1.2 * sin(t), 0.4 * sin(2 * t))))
    }
    let knowledge = try #require(before.linkKnowledge)
    #expect(knowledge.bias.variance < 0.7 * 0.15 * 0.15, "a walk around a near peer observes the bias")
    var (informed, uninformed) = (fresh.withLinkKnowledge(knowledge), fresh)
    for k in 0..<20 {
      let next = range(20 + 0.05 * Double(k), at: .zero)
      informed.update(next)
      uninformed.update(next)
    }
    return (peer.norm, distance(informed), distance(uninformed))
  }

  private static func distance(_ posterior: PeerFilter) -> (mean: Double, sigma: Double) {
    let parts = posterior.gaussians.map { part in
      let u = part.position.normalized
      return (part.weight, part.position.norm, part.covariance.form(u, u))
    }
    let mean = parts.reduce(0) { $0 + $1.0 * $1.1 }
    let square = parts.reduce(0) { $0 + $1.0 * ($1.1 * $1.1 + $1.2) }
    return (mean, max(square - mean * mean, 0).squareRoot())
  }

  /// The distance is known better than without the parameters, and consistently.
  @Test func radioParametersSurviveARestart() throws {
    var (squares, better) = (0.0, 0)
    let trials = 40
    for seed in 1...trials {
      let (truth, informed, fresh) = try Self.distances(seed: UInt64(seed))
      #expect(informed.sigma < 0.8 * fresh.sigma)
      squares += pow((informed.mean - truth) / informed.sigma, 2)
      if abs(informed.mean - truth) < abs(fresh.mean - truth) { better += 1 }
    }
    print(
      "A known radio's distance errs by \(squares / Double(trials)), normalised and squared; nearer in \(better) of \(trials)."
    )
    #expect(squares / Double(trials) < 1.6 && better > 24)
  }
}
