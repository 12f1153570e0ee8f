import Foundation
import PrecisionFinding
import Simulation
import Testing

@Suite struct CUSUMTests {
  /// A right belief is given up about as seldom as the limit says, a wrong one soon.
  @Test func aRightBeliefStaysAndAWrongOneGoes() {
    func density(_ x: Double, _ variance: Double) -> Double { -0.5 * x * x / variance - 0.5 * log(2 * .pi * variance) }
    var random = SeededRandom(seed: 71)
    var (falseAlarms, longest) = (0, 0)
    for _ in 0..<200 {
      var watch = CUSUMTest(limit: 9.2)
      var level = 0.0
      var alarm: Int?
      // The rival follows the ranges and is twice as wide.
      for k in 0..<400 {
        let error = 0.1 * random.gaussian() + (k < 300 ? 0 : 0.4)
        let gaveUp = watch.note(belief: density(error, 0.01), alone: density(error - level, 0.02))
        level += 0.5 * (error - level)
        if gaveUp, alarm == nil { alarm = k }
      }
      if let alarm, alarm < 300 { falseAlarms += 1 }
      longest = max(longest, (alarm ?? 400) - 300)
    }
    #expect(falseAlarms <= 1)
    #expect(longest < 15, "an error of four sigmas for 1.5 s")
  }

  @Test func doubtIsEvenAtTheLimitAndForgetsNothing() {
    var watch = CUSUMTest(limit: 5)
    #expect(abs(watch.doubt - 1 / (1 + exp(5))) < 1e-12)
    _ = watch.note(belief: -5, alone: -2)
    #expect(watch.evidence == 3 && watch.unexplained == 1)
    _ = watch.note(belief: nil, alone: 7)
    #expect(watch.evidence == 3, "what nobody foretold says nothing")
    let gaveUp = watch.note(belief: -4, alone: -1)
    #expect(gaveUp)
    #expect(watch.doubt > 0.5)
    _ = watch.note(belief: 10, alone: 0)
    #expect(watch.evidence == 0 && watch.unexplained == 0)
  }
}
