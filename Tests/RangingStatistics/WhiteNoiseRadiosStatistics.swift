import Foundation
import Geometry
import Ranging
import RangingTestSupport
import Simulation
import TestSupport
import Testing

/// Radios with almost no coloured noise, over many searches.
@Suite struct WhiteNoiseRadiosStatistics {
  /// An unknown white radio widens the interval less than under equal priors.
  @Test func whiteRadiosLoseLittle() {
    var alike = RangingConfiguration()
    alike.noiseCandidates[0].x = 0.02
    alike.whiteNoisePrior = 0.25
    var known = RangingConfiguration()
    known.noiseCandidates = [[0.001, 2]]
    known.statedNoisePseudoCount = .infinity
    var random = SeededRandom(seed: 74)
    var ratios: [[Double]] = [[], []], held = 0
    for _ in 0..<80 {
      let radio = RangingTrial.Radio(white: 0.1, coloured: 0)
      let trial = RangingTrial(.arcAndVertical, seconds: 8, random: &random, radio: radio)
      var posteriors = [known, alike, RangingConfiguration()].map {
        PeerFilter(configuration: $0, antennas: [""], statedNoise: 0.1)
      }
      for reading in trial.readings { for i in 0..<3 { posteriors[i].update(RangingPosterior.range(reading)) } }
      let device = trial.readings[trial.readings.count - 1].device
      let estimates = posteriors.map { RangingPosterior.azimuth($0, from: device) }
      guard estimates[0].sigma < Angle.degrees(10) else { continue }
      for k in 0..<2 { ratios[k].append(estimates[k + 1].sigma / estimates[0].sigma) }
      let d = trial.peer - device
      held += abs(Angle.wrapped(estimates[2].mean - atan2(d.y, d.x))) <= 1.645 * estimates[2].sigma ? 1 : 0
    }
    let medians = ratios.map(Statistics.median)
    print(
      "\(ratios[0].count) white radios: 1-sigma over that of known ones, alike \(medians[0]), now \(medians[1]), held \(held)"
    )
    // Half of the draws at least are known to ten degrees.
    #expect(ratios[0].count >= 40)
    // Little more than an unknown radio of any kind costs (`RadiosStatistics`): errors of the pose are white, too, where each pose is new.
    #expect(medians[1] < 1.27 && medians[1] < medians[0])
    expectCoverage(held, of: ratios[0].count, slack: 0, risk: 0.02)
  }
}
