import Foundation
import Geometry
import Ranging
import Simulation
import Testing

@Suite struct LinkModelTests {
  @Test func losChainStartsStationaryAndRelaxesAtTheSumOfItsRates() {
    var chain = LineOfSightChain(losLossRate: 0.2, losReturnRate: 1.5)
    let stationary = 1.5 / 1.7
    #expect(abs(chain.losProbability - stationary) < 1e-12)
    chain.predict(seconds: 3)
    #expect(abs(chain.losProbability - stationary) < 1e-12, "stationary states stay")
    chain.update(losLikelihood: 0.01, nlosLikelihood: 1)
    let disturbed = chain.losProbability
    var steps = chain
    chain.predict(seconds: 0.7)
    #expect(abs(chain.losProbability - (stationary + (disturbed - stationary) * exp(-1.7 * 0.7))) < 1e-12)
    for _ in 0..<7 { steps.predict(seconds: 0.1) }
    #expect(abs(steps.losProbability - chain.losProbability) < 1e-12, "many short waits are one long one")
    chain.predict(seconds: 1e6)
    #expect(abs(chain.losProbability - stationary) < 1e-12)
  }

  @Test func losChainFollowsBayes() {
    var chain = LineOfSightChain(losLossRate: 1, losReturnRate: 1)
    chain.update(losLikelihood: 3, nlosLikelihood: 1)
    #expect(abs(chain.losProbability - 0.75) < 1e-12)
    chain.update(losLikelihood: 0, nlosLikelihood: 0)
    #expect(abs(chain.losProbability - 0.75) < 1e-12, "no information, no change")
    chain.update(ReportedNLOS(probability: 0.5, seconds: 1, rate: 2))
    #expect(abs(chain.losProbability - 0.75) < 1e-12, "an uninformative report changes nothing")
    var reported = LineOfSightChain(losLossRate: 1, losReturnRate: 1)
    reported.update(ReportedNLOS(probability: 1, seconds: 1e6, rate: 2))
    #expect(abs(reported.losProbability / (1 - reported.losProbability) - 1 / 11) < 1e-12, "an independent report")
    for _ in 0..<100 { reported.update(ReportedNLOS(probability: 7, seconds: 1, rate: 2)) }
    #expect(
      reported.losProbability > 0 && reported.losProbability < 1,
      "bounded away from 0 and 1, where the chain could not return")
  }

  /// Fifty equal reports per second together have the weight of one per NLOS interval.
  @Test func reportsAreWeightedByTime() {
    func odds(rangesPerSecond: Int) -> Double {
      (0..<rangesPerSecond).reduce(0) { sum, _ in
        let reported = ReportedNLOS(probability: 1, seconds: 1 / Double(rangesPerSecond), rate: 1.7)
        return sum + log(reported.nlosLikelihood / reported.losLikelihood)
      }
    }
    #expect(odds(rangesPerSecond: 50) < 1.7 * log(11) && odds(rangesPerSecond: 50) > 1.6 * log(11))
    #expect(odds(rangesPerSecond: 5) < odds(rangesPerSecond: 50), "time counts, not the number of reports")
  }

  /// The density integrates to one: Simpson's rule over the angle whose tangent is the innovation, because outliers are
  /// unbounded.
  @Test(arguments: [0.001, 0.02, 0.5])
  func theLikelihoodIntegratesToOne(variance: Double) {
    let count = 60_000
    let step = Double.pi / Double(count)
    var total = 0.0
    for i in 1..<count {
      let weight = (i % 2 == 1 ? 4.0 : 2) * step / 3
      let angle = Double(i) * step - 0.5 * Double.pi
      let likelihood = RangeLikelihood(
        innovation: tan(angle), variance: variance, rangeOutlierProbability: 0.1, rangeOutlierScale: 3)
      total += weight * likelihood.total / (cos(angle) * cos(angle))
    }
    // At the ends, which are left out: 2/3 of a step of the outlier probability.
    #expect(abs(total - 1) < 1e-4)
  }

  @Test func farRangesAreOutliersOnEitherSide() {
    func regular(_ innovation: Double) -> Double {
      RangeLikelihood(innovation: innovation, variance: 0.01, rangeOutlierProbability: 0.01, rangeOutlierScale: 3)
        .responsibility
    }
    #expect(regular(0) > 0.99 && regular(1) < 0.01 && regular(-1) == regular(1))
    #expect(regular(1e6) >= 0 && regular(1e6) < 0.01, "a range of any size has a density")
  }

  @Test func correlationDecaysWithTimeAndDistance() {
    let noise = RangeNoise(white: 0.03, coloured: 0.04, correlationTime: 3, correlationLength: 1)
    #expect(abs(noise.total - 0.05) < 1e-12)
    #expect(noise.memory(after: 0, metres: 0) == 1)
    #expect(abs(noise.memory(after: 3, metres: 0) - exp(-1)) < 1e-12)
    #expect(abs(noise.memory(after: 0, metres: 1) - exp(-1)) < 1e-12)
    #expect(noise.memory(after: -3, metres: 0) == noise.memory(after: 3, metres: 0))
    var random = SeededRandom(seed: 51)
    for _ in 0..<100 {
      let (s, t) = (random.uniform(0...5), random.uniform(0...5))
      let (d, e) = (random.uniform(0...2), random.uniform(0...2))
      let split = noise.memory(after: s, metres: d) * noise.memory(after: t, metres: e)
      #expect(abs(noise.memory(after: s + t, metres: d + e) - split) < 1e-12)
    }
  }

  @Test(arguments: 0...4)
  func indicesOfALinkAreDisjointAndComplete(count: Int) {
    let antennas = (0..<count).map { "antenna\($0)" }
    let layout = LinkLayout(antennas: antennas.reversed())
    let all =
      [0, 1, 2, layout.bias, layout.scale] + Array(layout.coloured) + Array(layout.antennaBiases) + [layout.nlosBias]
    #expect(all == Array(0..<layout.dimension))
    let moving = LinkLayout(antennas: antennas, isMoving: true)
    #expect(Array(all.dropLast()) + Array(moving.velocity) + [moving.nlosBias] == Array(0..<moving.dimension))
    #expect(layout.velocity.isEmpty && moving.velocity.count == 3)
    #expect(layout.coloured.count == max(count, 1))
    #expect(layout.antennaBiases.count == (count > 1 ? count : 0), "one antenna's constant bias is the link's")
    let columns = antennas.map { layout.columns(of: $0) }
    #expect(columns.map(\.coloured) == Array(layout.coloured.prefix(count)))
    #expect(columns.compactMap(\.constant) == Array(layout.antennaBiases))
    #expect(layout.columns(of: nil) == layout.columns(of: "unknown"))
    #expect(layout == LinkLayout(antennas: antennas), "the order in which antennas are named does not matter")
  }

  @Test(arguments: [100, 400, 801])
  func theLatticeIsUniform(count: Int) {
    let directions = FibonacciLattice.directions(count)
    #expect(directions.count == count && directions.allSatisfy { abs($0.norm - 1) < 1e-12 })
    let mean = directions.reduce(Vector3.zero, +) / Double(count)
    #expect(mean.norm < 1 / Double(count))
    var second = Matrix3.zero
    for u in directions { second += (1 / Double(count)) * Matrix3(outer: u, u) }
    for r in 0..<3 {
      for c in 0..<3 { #expect(abs(second[r, c] - (r == c ? 1.0 / 3 : 0)) < 2 / Double(count)) }
    }
    // A square of each direction's solid angle has this side; in a hexagonal lattice neighbours are 1.07 of it apart.
    let side = (4 * Double.pi / Double(count)).squareRoot()
    for (i, u) in directions.enumerated() {
      var nearest = Double.infinity
      for (j, v) in directions.enumerated() where j != i { nearest = min(nearest, acos(min(u.dot(v), 1))) }
      #expect(nearest > 0.7 * side && nearest < 1.15 * side)
    }
  }
}
