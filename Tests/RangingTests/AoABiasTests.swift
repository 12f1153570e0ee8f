import Foundation
import Ranging
import Simulation
import Testing

@Suite struct AoABiasTests {
  /// The claimed variance, one over the summed information, is the bias variance plus that of the weighted mean, for
  /// angles of any quality in sequence.
  @Test(arguments: 1...20) func weightsMatchTheVarianceOfTheWeightedMean(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let deviation = exp(random.gaussian() - 3)
    var bias = AoABias(deviation: deviation)
    var (information, square) = (0.0, 0.0)
    for _ in 0..<200 {
      let variance = exp(2 * random.gaussian() - 6)
      let fraction = bias.weight(of: variance)
      #expect((0...1).contains(fraction))
      let weight = fraction / variance
      information += weight
      square += weight * weight * variance
      let error = deviation * deviation + square / (information * information)
      #expect(abs(1 / information / error - 1) < 1e-9)
    }
    #expect(1 / information < 2.5 * deviation * deviation)
  }

  @Test func withoutBiasAnglesAreIndependent() {
    var bias = AoABias(deviation: 0)
    for _ in 0..<100 { #expect(abs(bias.weight(of: 0.01) - 1) < 1e-9) }
  }

  /// Errors of directions from 300 weighted angles match the claimed variance; without weights they are over-confident.
  @Test func directionVarianceIsConsistent() {
    var random = SeededRandom(seed: 3)
    let (deviation, noise, trials) = (0.05, 0.09, 400)
    var (weighted, unweighted) = (0.0, 0.0)
    for _ in 0..<trials {
      var bias = AoABias(deviation: deviation)
      let trueBias = deviation * random.gaussian()
      var (mean, variance) = (0.0, 1e6)
      var naive = (mean: 0.0, variance: 1e6)
      for _ in 0..<300 {
        let measured = trueBias + noise * random.gaussian()
        func update(_ mean: inout Double, _ variance: inout Double, _ r: Double) {
          let gain = variance / (variance + r)
          mean += gain * (measured - mean)
          variance *= 1 - gain
        }
        update(&mean, &variance, noise * noise / bias.weight(of: noise * noise))
        update(&naive.mean, &naive.variance, noise * noise)
      }
      weighted += mean * mean / variance
      unweighted += naive.mean * naive.mean / naive.variance
    }
    // Chi-squared with 400 degrees of freedom: 99 % within 0.82 and 1.19.
    #expect((0.82...1.19).contains(weighted / Double(trials)), "\(weighted / Double(trials))")
    #expect(unweighted / Double(trials) > 5)
  }

  /// After the peer has moved, angles have weight again, until the bias dominates once more.
  @Test func motionRestoresTheWeight() {
    var bias = AoABias(deviation: 0.05)
    for _ in 0..<300 { _ = bias.weight(of: 0.01) }
    let late = bias.weight(of: 0.01)
    bias.move(by: 0.5)
    let moved = bias.weight(of: 0.01)
    #expect(late < 0.01 && moved > 0.5, "\(late) \(moved)")
    #expect(bias.weight(of: .infinity) == 0 && bias.weight(of: 0) == 0)
  }
}
