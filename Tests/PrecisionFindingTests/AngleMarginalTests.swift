import Foundation
import Geometry
import PrecisionFinding
import Simulation
import Testing

@Suite struct AngleMarginalTests {
  /// Samples of the mixture on the circle, relative to `center`.
  static func samples(
    _ components: [AngleMarginal.Component], around center: Double, _ random: inout SeededRandom, count: Int
  ) -> [Double] {
    let total = components.reduce(0) { $0 + $1.weight }
    return (0..<count).map { _ in
      var rest = random.uniform() * total
      let component =
        components.first {
          rest -= $0.weight; return rest < 0
        } ?? components.last!
      return Angle.wrapped(component.angle + component.sigma * random.gaussian() - center)
    }
  }

  /// Mixtures anywhere on the circle, the seam at +-pi included, with weights that do not sum to 1.
  @Test(arguments: [0.0, 1.5, 3.14159265358979, -3.14159265358979, 3.1, -3.0, 100.0])
  func massesAndQuantilesAreThoseOfSamples(offset: Double) {
    var random = SeededRandom(seed: 81)
    for _ in 0..<5 {
      let components = (0..<4).map { _ in
        AngleMarginal.Component(
          angle: offset + random.uniform(-0.8...0.8), sigma: random.uniform(0.02...0.3), weight: random.uniform(0.1...3)
        )
      }
      let marginal = AngleMarginal(components)
      let count = 40_000
      let drawn = Self.samples(components, around: marginal.mean, &random, count: count)
      // Five standard deviations of a fraction of this many draws.
      let slack = 5 * 0.5 / Double(count).squareRoot()
      for p in [0.01, 0.05, 0.3, 0.5, 0.95] {
        let q = marginal.quantile(p)
        #expect(abs(Double(drawn.filter { $0 < q }.count) / Double(count) - p) < slack)
      }
      for width in [0.1, .pi / 9, .pi / 4] {
        let fraction = Double(drawn.filter { abs($0) > width }.count) / Double(count)
        #expect(abs(marginal.mass(beyond: width) - fraction) < slack)
        #expect(abs(marginal.mass(within: width) + marginal.mass(beyond: width) - 1) < 1e-12)
      }
      let sine = drawn.reduce(0) { $0 + sin($1) } / Double(count)
      #expect(abs(sine) < slack, "the mean is the circular mean")
      let second = drawn.reduce(0) { $0 + $1 * $1 } / Double(count)
      #expect(abs(marginal.standardDeviation / second.squareRoot() - 1) < 0.03)
    }
  }

  /// Rotating every component rotates the mean and nothing else.
  @Test func aRotationMovesOnlyTheMean() {
    var random = SeededRandom(seed: 82)
    for _ in 0..<100 {
      let components = (0..<3).map { _ in
        AngleMarginal.Component(angle: random.uniform(-1...1), sigma: 0.2, weight: random.uniform(0.2...1))
      }
      let rotation = random.uniform(-10...10)
      let plain = AngleMarginal(components)
      let rotated = AngleMarginal(
        components.map { .init(angle: $0.angle + rotation, sigma: $0.sigma, weight: $0.weight) })
      #expect(abs(Angle.wrapped(rotated.mean - plain.mean - rotation)) < 1e-9)
      #expect(abs(rotated.quantile(0.95) - plain.quantile(0.95)) < 1e-9)
      #expect(abs(rotated.mass(beyond: 0.3) - plain.mass(beyond: 0.3)) < 1e-9)
    }
  }

  @Test func oneGaussianHasItsTextbookQuantilesAndTails() {
    let marginal = AngleMarginal([.init(angle: 2, sigma: 0.1, weight: 7)])
    #expect(abs(marginal.mean - 2) < 1e-12)
    #expect(abs(marginal.quantile(0.95) - 0.1644853627) < 1e-9)
    #expect(abs(marginal.quantile(0.05) + 0.1644853627) < 1e-9)
    // 2 Phi(-6): a probability as small as this must not drown in 1 - 1.
    #expect(abs(marginal.mass(beyond: 0.6) / 1.9731752898e-9 - 1) < 1e-6)
  }

  @Test func nothingHasNoMassAndAFiniteMean() {
    let marginal = AngleMarginal([])
    #expect(marginal.mean == 0 && marginal.mass(within: 1) == 0 && marginal.mass(beyond: 1) == 0)
    #expect(marginal.quantile(0.5).isFinite && marginal.standardDeviation == 0)
  }
}
