import Foundation
import LeastSquares
import Simulation
import TestSupport
import Testing

/// The verbs for counts and normalised squared errors pass what is right and fail what is not.
@Suite struct ExpectationsTests {
  /// By hand: ten throws of a coin, and limits.
  @Test func binomialProbabilities() {
    #expect(abs(Band.binomial(atMost: 2, of: 10, p: 0.5) - 56.0 / 1024) < 1e-12)
    #expect(abs(Band.binomial(atMost: 9, of: 10, p: 0.9) - (1 - pow(0.9, 10))) < 1e-12)
    #expect(Band.binomial(atMost: -1, of: 10, p: 0.5) == 0 && Band.binomial(atMost: 10, of: 10, p: 0.5) == 1)
    #expect(Band.binomial(atMost: 0, of: 10, p: 0) == 1 && Band.binomial(atMost: 9, of: 10, p: 1) == 0)
  }

  /// Below the fewest the probability is less than the risk, at it no longer; and the same mirrored.
  @Test(arguments: [(20, 0.9), (300, 0.85), (24, 0.05), (7, 0.5), (1, 0.3)], [0.05, 1e-3])
  func limitsAreExact(trial: (n: Int, p: Double), risk: Double) {
    let (n, p) = trial
    let fewest = Band.fewest(of: n, p: p, risk: risk), most = Band.most(of: n, p: p, risk: risk)
    #expect(Band.binomial(atMost: fewest - 1, of: n, p: p) < risk)
    #expect(Band.binomial(atMost: fewest, of: n, p: p) >= risk)
    #expect(1 - Band.binomial(atMost: most, of: n, p: p) < risk + 1e-12)
    #expect(1 - Band.binomial(atMost: most - 1, of: n, p: p) >= risk - 1e-12)
    #expect(fewest <= most)
  }

  /// Trials at the edge of the slack fail as seldom as stated, and far outside nearly always.
  @Test func coverageHasItsRisk() {
    let band = Band.coverage(of: 300, nominal: 0.9, slack: 0.05, risk: 0.02)
    var random = SeededRandom(seed: 1)
    func misses(_ p: Double) -> Int {
      (0..<4000).count { _ in !band.contains((0..<300).count { _ in random.chance(p) }) }
    }
    // One per cent on one side at most, with a sampling error of 0.16 %.
    #expect(misses(0.85) < 60 && misses(0.95) < 60 && misses(0.9) == 0)
    #expect(misses(0.7) > 3990)
    #expect(Band.coverage(of: 300, nominal: 0.98, slack: 0.05, risk: 0.02).upperBound == 300)
  }

  @Test func coverageOutsideItsBandIsAFault() {
    func fault(_ held: Int, _ n: Int = 300, nominal: Double = 0.9) -> String? {
      Claim.coverage(held, of: n, nominal: nominal, slack: 0.05, risk: 1e-3)
    }
    #expect(fault(270) == nil && fault(300, nominal: 0.95) == nil)
    // Of 300, 85 % less 3.3 sigma of 2.1 %, and 95 % plus 3.3 sigma of 1.3 %, nearer for its skewness.
    #expect(fault(233) != nil && fault(297) != nil && fault(0, 0) != nil)
  }

  /// The band is the chi-squared one, and its edges are faults.
  @Test func normalisedErrorsOutsideTheirBandAreAFault() {
    let band = Band.nees(count: 16, dof: 3, risk: 1e-3)
    #expect(Band.nees(count: 200, dof: 3, risk: 0.01) == ChiSquared.band99(degreesOfFreedom: 3, count: 200))
    func fault(_ mean: Double) -> String? {
      Claim.nees((0..<16).map { $0 % 2 == 0 ? 0.5 * mean : 1.5 * mean }, dof: 3, risk: 1e-3)
    }
    #expect(fault(3) == nil && fault(0.999 * band.upperBound) == nil && fault(1.001 * band.lowerBound) == nil)
    #expect(fault(1.001 * band.upperBound) != nil && fault(0.999 * band.lowerBound) != nil && fault(.nan) != nil)
    #expect(Claim.nees([], dof: 3, risk: 1e-3) != nil)
  }

  /// Of twenty trials with a probability of 0.9 thirteen may be expected, twelve not; and mirrored.
  @Test func frequenciesOutsideTheirBandAreAFault() {
    #expect(Claim.frequency(13, of: 20, atLeast: 0.9, risk: 1e-3) == nil)
    #expect(Claim.frequency(12, of: 20, atLeast: 0.9, risk: 1e-3) != nil)
    #expect(Claim.frequency(7, of: 20, atMost: 0.1, risk: 1e-3) == nil)
    #expect(Claim.frequency(8, of: 20, atMost: 0.1, risk: 1e-3) != nil)
    #expect(Claim.frequency(0, of: 0, atLeast: 0.5, risk: 1e-3) != nil)
    #expect(Claim.frequency(0, of: 0, atMost: 0.5, risk: 1e-3) != nil)
    #expect(Claim.frequency(1, of: 1000, atMost: 0, risk: 1e-3) != nil, "what never happens may not happen once")
  }

  /// A fault is an issue at the line of the expectation; without one there is none.
  @Test func aFaultIsAnIssueWhereItIsExpected() {
    expectCoverage(270, of: 300)
    expectNEES([2, 3, 4], dof: 3)
    expectFrequency(20, of: 20, atLeast: 0.9)
    expectFrequency(0, of: 20, atMost: 0.1)
    withKnownIssue {
      expectCoverage(0, of: 300)
      expectNEES([300], dof: 3)
      expectFrequency(1, of: 9, atLeast: 0.9, "searches")
      expectFrequency(9, of: 9, atMost: 0.1)
    } matching: { issue in
      issue.sourceLocation?.fileName == "ExpectationsTests.swift"
        && issue.comments.contains { $0.rawValue.contains("expected") }
    }
  }

  @Test func theMedianIsTheUpperOne() {
    #expect(Statistics.median([3, 1, 2]) == 2 && Statistics.median([4, 1, 3, 2]) == 3)
  }
}
