import Estimator
import Foundation
import Geometry
import Inertial
import Simulation
import Testing

struct AccelerometerBiasPriorTests {
  private static let n = InertialState.errorSize
  private static let prior = AccelerometerBiasPrior(narrow: 0.113, wide: 0.5, narrowProbability: 0.5)

  private static func covariance(_ fill: (Int, Int) -> Double) -> [Double] {
    (0..<n * n).map { fill($0 / n, $0 % n) }
  }

  /// Where nothing was learnt, the result is the prior: its probability, its variance.
  @Test(arguments: [0.1, 0.5, 0.9]) func nothingLearntLeavesThePrior(narrowProbability: Double) throws {
    var prior = Self.prior
    prior.narrowProbability = narrowProbability
    let result = try #require(prior.posterior(InertialState(), Self.covariance { $0 == $1 ? 0.25 : 0 }))
    #expect(abs(result.narrowProbability - narrowProbability) < 1e-12)
    let variance = narrowProbability * 0.113 * 0.113 + (1 - narrowProbability) * 0.25
    for i in 0..<15 { #expect(abs(result.covariance[16 * i] - (i < 12 ? 0.25 : variance)) < 1e-12) }
    #expect(result.state == InertialState())
  }

  /// Against draws of the wide part's posterior, each with the ratio of the mixture's density to the wide part's.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func itIsTheMixturesPosterior(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    // Tilt and bias are correlated: x = A z.
    let factor = (0..<Self.n).map { i in (0..<Self.n).map { j in (i == j ? 0.15 : 0.03) * random.gaussian() } }
    let covariance = Self.covariance { i, j in (0..<Self.n).reduce(0) { $0 + factor[i][$1] * factor[j][$1] } }
    let bias = 0.15 * random.gaussian3()
    let state = InertialState(accelerometerBias: bias)
    let result = try #require(Self.prior.posterior(state, covariance))

    func density(_ b: Vector3, _ sigma: Double) -> Double {
      exp(-0.5 * b.squaredNorm / (sigma * sigma)) / (sigma * sigma * sigma)
    }
    var sum = 0.0, narrow = 0.0, first = [Double](repeating: 0, count: Self.n), second = first
    for _ in 0..<100_000 {
      let z = (0..<Self.n).map { _ in random.gaussian() }
      let x = factor.map { row in zip(row, z).reduce(0) { $0 + $1.0 * $1.1 } }
      let b = bias + Vector3(x[12], x[13], x[14])
      let ratio = density(b, 0.113) / density(b, 0.5)
      let weight = 0.5 * ratio + 0.5
      sum += weight
      narrow += 0.5 * ratio
      for i in 0..<Self.n {
        first[i] += weight * x[i]
        second[i] += weight * x[i] * x[i]
      }
    }
    #expect(abs(result.narrowProbability - narrow / sum) < 0.01)
    let moved = result.state.minus(state)
    for i in 0..<Self.n {
      let mean = first[i] / sum, variance = second[i] / sum - mean * mean
      // The weights leave a few thousand effective draws.
      #expect(abs(moved[i] - mean) < 0.06 * variance.squareRoot() + 1e-4, "\(i)")
      #expect(abs(result.covariance[16 * i] / variance - 1) < 0.06, "\(i)")
    }
  }

  /// A phone's noise says that its axes are not calibrated.
  @Test func aPhoneHasTheWidePartAlone() {
    let prior = AccelerometerBiasPrior(narrow: 0.113, wide: 0.5, narrowProbability: 0)
    #expect(prior.posterior(InertialState(), Self.covariance { $0 == $1 ? 1 : 0 }) == nil)
  }

  /// A bias along gravity of a phone's size speaks against the narrow part, a small one for it.
  @Test func theLengthOfTheForceDecides() throws {
    let known = Self.covariance { $0 == $1 ? ($0 == 14 ? 1e-4 : 0.25) : 0 }
    let small = try #require(Self.prior.posterior(InertialState(), known)).narrowProbability
    let large = try #require(
      Self.prior.posterior(InertialState(accelerometerBias: Vector3(0, 0, 0.7)), known)
    ).narrowProbability
    #expect(abs(small - 0.5 / 0.613) < 0.01 && large < 1e-6)
  }
}
