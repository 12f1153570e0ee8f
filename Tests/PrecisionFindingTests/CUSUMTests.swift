import Foundation
import PrecisionFinding
import Simulation
import Testing

@Suite struct CUSUMTests {
  /// A right incumbent is rejected about as rarely as the limit states, a wrong one soon.
  @Test func aRightIncumbentStaysAndAWrongOneIsRejected() {
    func density(_ x: Double, _ variance: Double) -> Double { -0.5 * x * x / variance - 0.5 * log(2 * .pi * variance) }
    var random = SeededRandom(seed: 71)
    var (falseAlarms, longest) = (0, 0)
    for _ in 0..<200 {
      var cusum = PageCUSUM(limit: 9.2)
      var level = 0.0
      var alarm: Int?
      // The alternative follows the ranges and is twice as wide.
      for k in 0..<400 {
        let error = 0.1 * random.gaussian() + (k < 300 ? 0 : 0.4)
        let isAlarm = cusum.update(incumbent: density(error, 0.01), alternative: density(error - level, 0.02))
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
    var cusum = PageCUSUM(limit: 5)
    #expect(abs(cusum.contradictionProbability - 1 / (1 + exp(5))) < 1e-12)
    _ = cusum.update(incumbent: -5, alternative: -2)
    #expect(cusum.logLikelihoodRatio == 3 && cusum.unexplained == 1)
    _ = cusum.update(incumbent: nil, alternative: 7)
    #expect(cusum.logLikelihoodRatio == 3, "a range without a density carries no information")
    let isAlarm = cusum.update(incumbent: -4, alternative: -1)
    #expect(isAlarm)
    #expect(cusum.contradictionProbability > 0.5)
    _ = cusum.update(incumbent: 10, alternative: 0)
    #expect(cusum.logLikelihoodRatio == 0 && cusum.unexplained == 0)
  }
}
