import Foundation
import LeastSquares
import Testing

/// Bounds of counts and of normalised squared errors that are exceeded by chance with a stated probability, in place of
/// fractions chosen by eye. With fixed seeds nothing is left to chance: the risk is that of a change that draws other
/// numbers, and changes nothing else.
package enum Band {
  /// Probability of at most `k` successes in `n` independent trials of probability `p`.
  package static func binomial(atMost k: Int, of n: Int, p: Double) -> Double {
    if k < 0 { return 0 }
    if k >= n || p <= 0 { return 1 }
    if p >= 1 { return 0 }
    var sum = 0.0
    for i in 0...k {
      let ways = lgamma(Double(n) + 1) - lgamma(Double(i) + 1) - lgamma(Double(n - i) + 1)
      sum += exp(ways + Double(i) * log(p) + Double(n - i) * log1p(-p))
    }
    return min(sum, 1)
  }

  /// The counts that are expected of `n` trials of probability `p`: fewer come with a probability of less than `risk`.
  package static func fewest(of n: Int, p: Double, risk: Double) -> Int {
    (0...n).first { binomial(atMost: $0, of: n, p: p) >= risk } ?? n
  }

  /// More come with a probability of less than `risk`.
  package static func most(of n: Int, p: Double, risk: Double) -> Int {
    n - fewest(of: n, p: 1 - p, risk: risk)
  }

  /// Intervals that hold the truth, of `n` whose probability to do so is `nominal` within `slack`; half of the `risk` on
  /// either side.
  package static func coverage(of n: Int, nominal: Double, slack: Double, risk: Double) -> ClosedRange<Int> {
    fewest(of: n, p: nominal - slack, risk: risk / 2)...most(of: n, p: min(nominal + slack, 1), risk: risk / 2)
  }

  /// The mean of `count` independent normalised squared errors of a consistent estimator; half of the `risk` on either
  /// side.
  ///
  /// Source: Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", Wiley 2001, 5.4.2.
  package static func nees(count: Int, dof: Int, risk: Double) -> ClosedRange<Double> {
    let n = Double(count), degrees = n * Double(dof)
    return ChiSquared.quantile(risk / 2, degreesOfFreedom: degrees) / n...ChiSquared.quantile(
      1 - risk / 2, degreesOfFreedom: degrees) / n
  }
}

/// What the expectations below check: what is wrong, in words, or nil.
package enum Claim {
  package static func coverage(_ held: Int, of n: Int, nominal: Double, slack: Double, risk: Double) -> String? {
    let band = Band.coverage(of: n, nominal: nominal, slack: slack, risk: risk)
    if n > 0, band.contains(held) { return nil }
    return "\(held) intervals hold the truth, expected \(band.lowerBound) to \(band.upperBound) of \(n)"
      + " for a coverage of \(nominal) +- \(slack)"
  }

  package static func nees(_ values: [Double], dof: Int, risk: Double) -> String? {
    let mean = values.reduce(0, +) / Double(max(values.count, 1))
    let band = Band.nees(count: max(values.count, 1), dof: dof, risk: risk)
    if !values.isEmpty, band.contains(mean) { return nil }
    return "mean NEES \(mean), expected \(band.lowerBound) to \(band.upperBound)"
      + " for \(values.count) runs of \(dof) degrees of freedom"
  }

  package static func frequency(_ k: Int, of n: Int, atLeast p: Double, risk: Double) -> String? {
    let fewest = Band.fewest(of: n, p: p, risk: risk)
    return n > 0 && k >= fewest ? nil : "\(k) of \(n), expected at least \(fewest) for a probability of \(p)"
  }

  package static func frequency(_ k: Int, of n: Int, atMost p: Double, risk: Double) -> String? {
    let most = Band.most(of: n, p: p, risk: risk)
    return n > 0 && k <= most ? nil : "\(k) of \(n), expected at most \(most) for a probability of \(p)"
  }
}

/// The frequency of `held` intervals of `n` independent ones that hold the truth is their probability, `nominal` within
/// `slack`, up to the sampling error of the stated risk.
package func expectCoverage(
  _ held: Int, of n: Int, nominal: Double = 0.9, slack: Double = 0.05, risk: Double = 1e-3, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  record(Claim.coverage(held, of: n, nominal: nominal, slack: slack, risk: risk), comment, sourceLocation)
}

/// Normalised squared errors of `dof` degrees of freedom from independent runs: their mean is that of a consistent
/// estimator, up to its scatter of the stated risk.
package func expectNEES(
  _ values: [Double], dof: Int, risk: Double = 1e-3, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  record(Claim.nees(values, dof: dof, risk: risk), comment, sourceLocation)
}

/// Of `n` independent trials `k` succeed: not fewer than by chance where the probability is `p`.
package func expectFrequency(
  _ k: Int, of n: Int, atLeast p: Double, risk: Double = 1e-3, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  record(Claim.frequency(k, of: n, atLeast: p, risk: risk), comment, sourceLocation)
}

/// Of `n` independent trials `k` succeed: not more than by chance where the probability is `p`.
package func expectFrequency(
  _ k: Int, of n: Int, atMost p: Double, risk: Double = 1e-3, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  record(Claim.frequency(k, of: n, atMost: p, risk: risk), comment, sourceLocation)
}

private func record(_ fault: String?, _ comment: String, _ sourceLocation: SourceLocation) {
  guard let fault else { return }
  Issue.record("\(comment.isEmpty ? "" : comment + ": ")\(fault)", sourceLocation: sourceLocation)
}
