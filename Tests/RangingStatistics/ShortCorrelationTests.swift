import Foundation
import Geometry
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Radios with large errors of short correlation time, as by reflecting walls.
@Suite struct ShortCorrelationTests {
  /// Intervals have about their nominal coverage for correlation times up to half a second. With candidates of 2 s
  /// only, some of these radios pass for white and the interval is too narrow.
  @Test(arguments: [(0.16, 0.5), (0.2, 0.15), (0.2, 0.3)])
  func intervalsAreWideEnough(coloured: Double, memory: Double) {
    var longOnly = RangingConfiguration()
    longOnly.noiseCandidates.removeAll { $0.y < 2 }
    longOnly.whiteNoisePrior = 4.0 / 7
    var random = SeededRandom(seed: 75)
    var held = [0, 0], count = 0
    for _ in 0..<300 {
      let radio = RangingTrial.Radio(white: 0.05, coloured: coloured, memory: memory)
      let trial = RangingTrial(.arc, seconds: 10, random: &random, radio: radio)
      var posteriors = [longOnly, RangingConfiguration()].map {
        PeerFilter(configuration: $0, antennas: [""], statedNoise: nil)
      }
      for reading in trial.readings { for i in 0..<2 { posteriors[i].update(RangingPosterior.range(reading)) } }
      let d = trial.peer - trial.readings[trial.readings.count - 1].device
      count += 1
      for i in 0..<2 {
        let estimate = RangingPosterior.azimuth(posteriors[i], from: trial.readings[trial.readings.count - 1].device)
        held[i] += abs(Angle.wrapped(estimate.mean - atan2(d.y, d.x))) <= 1.645 * estimate.sigma ? 1 : 0
      }
    }
    let coverage = held.map { Double($0) / Double(count) }
    print(
      "errors of \(coloured) m for \(memory) s: held \(coverage[1]), \(coverage[0]) without short correlation times")
    // 84 % is required of every radio, less a one-sided 5 % sampling error.
    #expect(
      coverage[1] >= 0.84 - 1.645 * (0.84 * 0.16 / Double(count)).squareRoot() && coverage[1] >= coverage[0] + 0.05)
  }
}
