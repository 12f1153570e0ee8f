import Evaluation
import Foundation
import Simulation
import Testing

/// 95 % intervals contain the truth in about 95 % of cases.
@Suite struct FigureTests {
  /// Binomial 3-sigma limits of 1000 trials at 95 %, and two more percent for the normal approximations.
  static let consistent = 0.91...0.99

  @Test func theIntervalOfAMedianHoldsIt() {
    var random = SeededRandom(seed: 301)
    let hits = (0..<1000).count { _ in
      let figure = Figure.median((0..<40).map { _ in random.exponential(mean: 1) })
      return figure.interval!.contains(log(2.0))
    }
    #expect(Self.consistent.contains(Double(hits) / 1000))
  }

  @Test func theIntervalOfAMeanHoldsIt() {
    var random = SeededRandom(seed: 302)
    let hits = (0..<1000).count { _ in
      Figure.mean((0..<40).map { _ in 3 + random.gaussian() }).interval!.contains(3)
    }
    #expect(Self.consistent.contains(Double(hits) / 1000))
  }

  /// Updates of a trial are correlated: 30 trials of 100 updates are 30 draws, not 3000.
  @Test func theIntervalOfAFractionCountsTrials() {
    var random = SeededRandom(seed: 303)
    let hits = (0..<1000).count { _ in
      let figure = Figure.fraction((0..<30).map { _ in (hits: random.chance(0.7) ? 100 : 0, all: 100) })
      return figure.interval!.contains(0.7)
    }
    #expect(Self.consistent.contains(Double(hits) / 1000))
  }

  @Test func aFractionWithoutHitsIsNotCertain() throws {
    let interval = try #require(Figure.fraction((0..<100).map { _ in (hits: 0, all: 500) }).interval)
    #expect(interval.lowerBound == 0)
    #expect(abs(interval.upperBound - 0.037) < 0.001)
  }

  @Test func theIntervalOfARatioHoldsIt() {
    var random = SeededRandom(seed: 304)
    let hits = (0..<200).count { _ in
      let pairs = (0..<60).map { _ in
        let common = random.exponential(mean: 1)
        return (1.3 * common * exp(0.2 * random.gaussian()), common)
      }
      return Figure.ratioOfMedians(pairs).interval!.contains(1.3)
    }
    #expect(Double(hits) / 200 > 0.88)
  }

  /// Fifty moments of one trial are correlated: they are one draw of the trial's own factor.
  @Test func theIntervalOfARatioOfQuantilesCountsTrials() {
    var random = SeededRandom(seed: 305)
    let hits = (0..<60).count { _ in
      let trials = (0..<30).map { _ in
        let factor = 1.3 * exp(0.4 * random.gaussian())
        return (0..<20).map { _ in
          let common = random.exponential(mean: 1)
          return (factor * common, common)
        }
      }
      // The median of that product over log 2, from a million draws.
      return Figure.ratioOfQuantiles(trials, 0.5).interval!.contains(1.272)
    }
    // Binomial 3-sigma limit of 60 trials at 95 %.
    #expect(hits >= 52, "\(hits)")
  }

  @Test func ratiosOfFractions() {
    let trials = [((1, 4), (2, 4)), ((2, 6), (4, 6)), ((0, 0), (0, 0))].map { (ours: $0.0, theirs: $0.1) }
      .map { (ours: (hits: $0.ours.0, all: $0.ours.1), theirs: (hits: $0.theirs.0, all: $0.theirs.1)) }
    #expect(Figure.ratioOfFractions(trials).value == 0.5)
    #expect(Figure.ratioOfFractions(trials).interval == nil, "three trials")
    #expect(Figure.ratioOfFractions([((1, 4), (0, 4))]).value == nil, "theirs are none")
    let many = Figure.ratioOfFractions((0..<20).map { (ours: ($0 % 3, 10), theirs: (4, 10)) })
    #expect(many.interval!.contains(many.value!) && many.interval!.lowerBound < many.interval!.upperBound)
  }

  @Test func quantilesOfARatio() {
    let trials = [[(1.0, 1.0), (2, 1), (9, 1)], [], [(3, 1), (4, 1)]]
    #expect(Figure.ratioOfQuantiles(trials, 0.5).value == 3)
    #expect(Figure.ratioOfQuantiles(trials, 0.5).count == 2)
    #expect(Figure.ratioOfQuantiles(trials, 0.9).value == 7)
    #expect(Figure.ratioOfQuantiles(trials, 1).value == 9)
    // One of three infinite: the median is finite. Two of three: there is none.
    #expect(Figure.ratioOfMedians([(2, 1), (.infinity, 1), (3, 1)]).value == 3)
    #expect(Figure.ratioOfMedians([(2, 1), (.infinity, 1), (.infinity, 1)]).value == nil)
  }

  @Test func fewOrNoTrials() {
    #expect(Figure.median([]).value == nil)
    let lonely = Figure.median([nil, 3, nil])
    #expect(lonely.value == 3 && lonely.interval == nil && lonely.count == 1)
    #expect(Figure.median([1, 2, 4, 9]).value == 3)
    #expect(Figure.fraction([(0, 0)]).value == nil)
    #expect(Figure.mean([2]).interval == nil)
    #expect(Figure.ratioOfMedians([]).value == nil)
    #expect(Figure.ratioOfMedians([(1, 0)]).value == nil)
  }

  @Test func namesAreDistinct() {
    #expect(Set(FigureKey.all.map(\.name)).count == FigureKey.all.count)
    let fixed = [
      "ateYawAligned", "ateSE3", "rpe", "angleErrorDegrees", "coverage90", "distanceCoverage90", "falseConverged",
    ]
    #expect(Set(fixed).isSubset(of: FigureKey.all.map(\.name)))
  }

  @Test func whichDirectionIsWorse() {
    #expect(FigureKey.ateSE3.sense.isWorse(0.2, than: 0.1))
    #expect(FigureKey.convergedShare.sense.isWorse(0.2, than: 0.9))
    #expect(FigureKey.coverage90.sense.isWorse(0.99, than: 0.88))
    #expect(!FigureKey.coverage90.sense.isWorse(0.91, than: 0.88))
  }

  @Test func theIntervalOfAQuantileHoldsIt() {
    var random = SeededRandom(seed: 310)
    let hits = (0..<1000).count { _ in
      Figure.quantile((0..<100).map { _ in random.exponential(mean: 1) }, 0.9).interval!.contains(log(10.0))
    }
    #expect(Self.consistent.contains(Double(hits) / 1000))
    #expect(Figure.quantile([3, 1, 2, .infinity], 0.5).value == 2)
    #expect(Figure.quantile([3, 1, .infinity, .infinity], 0.9).value == nil, "infinite is no figure")
    #expect(Figure.quantile([], 0.5).value == nil)
  }
}
