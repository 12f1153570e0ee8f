import Foundation
import Ranging
import Simulation
import Testing

@Suite struct AoABiasTests {
  /// What is claimed, one over the sum of what the angles told, is the offset's variance and that of the mean so weighted: for angles of any
  /// quality, one after the other.
  @Test(arguments: 1...20) func whatAnglesAreWorthIsWhatTheirMeanErrsBy(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let deviation = exp(random.gaussian() - 3)
    var offset = AoABias(deviation: deviation)
    var (told, square) = (0.0, 0.0)
    for _ in 0..<200 {
      let variance = exp(2 * random.gaussian() - 6)
      let worth = offset.worth(of: variance)
      #expect((0...1).contains(worth))
      let weight = worth / variance
      told += weight
      square += weight * weight * variance
      let error = deviation * deviation + square / (told * told)
      #expect(abs(1 / told / error - 1) < 1e-9)
    }
    #expect(1 / told < 2.5 * deviation * deviation)
  }

  @Test func withoutAnOffsetEachIsIndependent() {
    var offset = AoABias(deviation: 0)
    for _ in 0..<100 { #expect(abs(offset.worth(of: 0.01) - 1) < 1e-9) }
  }

  /// Directions found from 300 angles each, weighted by what they are worth, err by what is claimed; taken at their word they are over-confident.
  @Test func whatIsClaimedOfADirectionIsHonest() {
    var random = SeededRandom(seed: 3)
    let (deviation, noise, trials) = (0.05, 0.09, 400)
    var (honest, word) = (0.0, 0.0)
    for _ in 0..<trials {
      var offset = AoABias(deviation: deviation)
      let shift = deviation * random.gaussian()
      var (mean, variance) = (0.0, 1e6)
      var naive = (mean: 0.0, variance: 1e6)
      for _ in 0..<300 {
        let measured = shift + noise * random.gaussian()
        func update(_ mean: inout Double, _ variance: inout Double, _ r: Double) {
          let gain = variance / (variance + r)
          mean += gain * (measured - mean)
          variance *= 1 - gain
        }
        update(&mean, &variance, noise * noise / offset.worth(of: noise * noise))
        update(&naive.mean, &naive.variance, noise * noise)
      }
      honest += mean * mean / variance
      word += naive.mean * naive.mean / naive.variance
    }
    // Chi-squared with 400 degrees of freedom: 99 % within 0.82 and 1.19.
    #expect((0.82...1.19).contains(honest / Double(trials)), "\(honest / Double(trials))")
    #expect(word / Double(trials) > 5)
  }

  /// A peer that has moved is told of anew, up to the offset once more.
  @Test func aPeerThatMovesIsToldOfAnew() {
    var offset = AoABias(deviation: 0.05)
    for _ in 0..<300 { _ = offset.worth(of: 0.01) }
    let late = offset.worth(of: 0.01)
    offset.move(by: 0.5)
    let moved = offset.worth(of: 0.01)
    #expect(late < 0.01 && moved > 0.5, "\(late) \(moved)")
    #expect(offset.worth(of: .infinity) == 0 && offset.worth(of: 0) == 0)
  }
}
