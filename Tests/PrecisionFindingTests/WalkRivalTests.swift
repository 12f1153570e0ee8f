import Estimator
import Foundation
import Geometry
import PrecisionFinding
import Ranging
import SensorData
import Simulation
import Testing

@Suite struct WalkRivalTests {
  /// The moments at which a walk is as likely as not and at which the rival takes over, seconds; the peer goes off at `speed`, m/s.
  private static func moments(seed: UInt64, speed: Double) -> (doubted: Double?, taken: Double?, highest: Double) {
    var random = SeededRandom(seed: seed)
    let configuration = FinderConfiguration()
    let layout = LinkLayout(antennas: [])
    var covariance = [Double](repeating: 0, count: layout.dimension * layout.dimension)
    func set(_ k: Int, _ sigma: Double) { covariance[k * (layout.dimension + 1)] = sigma * sigma }
    for k in 0..<3 { set(k, 0.15) }
    set(layout.bias, 0.1)
    set(layout.scale, 0.01)
    set(layout.coloured.lowerBound, 0.06)
    var mean = [Double](repeating: 0, count: layout.dimension)
    (mean[0], mean[1]) = (5, 1)
    func range(_ k: Int) -> PeerPosterior.Range {
      let seconds = 0.1 * Double(k)
      let device = Vector3(0, 0.5 * sin(2 * seconds), 0.3 * sin(1.3 * seconds))
      let peer = Vector3(5 + speed * seconds, 1, 0)
      return PeerPosterior.Range(
        timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000),
        range: (peer - device).norm + 0.05 * random.gaussian(),
        antenna: device, device: device)
    }
    var belief = PeerPosterior(
      [.init(share: 1, mean: mean, covariance: covariance, free: 0.9)], last: range(0),
      noise: RangeNoise(white: 0.05, coloured: 0.06, correlationTime: 2, correlationLength: 20),
      configuration: configuration.ranging, layout: layout)
    var rival = WalkRival(limit: configuration.walkLimit)
    rival.renew(from: belief)
    var (doubted, highest): (Double?, Double) = (nil, 0)
    for k in 1...50 {
      let placed = range(k)
      let foretold = belief.update(placed)?.logDensity
      let taken = rival.weigh(placed, foretold: foretold, lost: AccumulatedDrift(), seconds: 0.1)
      highest = max(highest, rival.probability)
      if rival.probability > 0.5, doubted == nil { doubted = 0.1 * Double(k) }
      if taken { return (doubted, 0.1 * Double(k), highest) }
      rival.renew(from: belief)
    }
    return (doubted, nil, highest)
  }

  /// Who goes off is doubted first and followed then, within two seconds.
  @Test func aWalkIsDoubtedBeforeItIsBelieved() throws {
    for seed in 1...20 {
      let (doubted, taken, _) = Self.moments(seed: UInt64(seed), speed: 1)
      let (first, second) = (try #require(doubted), try #require(taken))
      #expect(first <= second && second <= 2, "doubted after \(first) s, followed after \(second) s")
    }
  }

  /// Who stands is hardly doubted and never followed.
  @Test func whoStandsIsLeftAlone() {
    for seed in 1...40 {
      let (_, taken, highest) = Self.moments(seed: UInt64(seed), speed: 0)
      #expect(taken == nil && highest < 0.1)
    }
  }
}
