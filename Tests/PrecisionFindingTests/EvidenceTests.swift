import Foundation
import PrecisionFinding
import Simulation
import Testing

@Suite struct EvidenceTests {
  /// A right incumbent is rejected about as rarely as the limit states, a wrong one soon.
  @Test func aRightIncumbentStaysAndAWrongOneIsRejected() {
    func density(_ x: Double, _ variance: Double) -> Double { -0.5 * x * x / variance - 0.5 * log(2 * .pi * variance) }
    var random = SeededRandom(seed: 71)
    var (falseAlarms, longest) = (0, 0)
    for _ in 0..<200 {
      var evidence = Evidence(cost: 9.2, floor: 0)
      var level = 0.0
      var alarm: Int?
      // The alternative follows the ranges and is twice as wide.
      for k in 0..<400 {
        let error = 0.1 * random.gaussian() + (k < 300 ? 0 : 0.4)
        evidence.add(own: density(error - level, 0.02), incumbent: density(error, 0.01))
        let isAlarm = evidence.odds > 1
        level += 0.5 * (error - level)
        if isAlarm, alarm == nil { alarm = k }
      }
      if let alarm, alarm < 300 { falseAlarms += 1 }
      longest = max(longest, (alarm ?? 400) - 300)
    }
    #expect(falseAlarms <= 1)
    #expect(longest < 15, "an error of four sigmas for 1.5 s")
  }

  @Test func probabilityIsEvenAtTheLimit() {
    var evidence = Evidence(cost: 5, floor: 0)
    #expect(abs(evidence.probability - 1 / (1 + exp(5))) < 1e-12)
    evidence.add(own: -2, incumbent: -5)
    #expect(evidence.logRatio == 3 && evidence.unexplained == 1)
    evidence.add(own: 7, incumbent: nil)
    #expect(evidence.logRatio == 3, "a range without a density carries no information")
    evidence.add(own: -1, incumbent: -4)
    #expect(evidence.odds > 1)
    #expect(evidence.probability > 0.5)
    evidence.add(own: 0, incumbent: 10)
    #expect(evidence.logRatio == 0 && evidence.unexplained == 0)
  }

  /// Ranges that follow each other closely share the information of one; without a floor evidence may fall.
  @Test func closeRangesShareTheirInformation() {
    var evidence = Evidence(cost: 2, start: 1)
    evidence.add(own: -3, incumbent: -1, seconds: 0.025)
    #expect(evidence.logRatio == 0.5)
    evidence.add(own: -9, incumbent: -1, seconds: 3)
    #expect(evidence.logRatio == -7.5 && evidence.unexplained == 0)
    #expect(abs(evidence.odds - exp(-9.5)) < 1e-18)
  }
}
