import Foundation

/// What ground truth says about a peer's stated uncertainty.
package struct Honesty: Equatable, Sendable {
  /// The answer.
  package enum Answer: String, Sendable {
    /// The intervals of angle and distance hold the truth as often as they should, or more often.
    case honest
    /// One of them does not, or an update was converged and wrong.
    case overConfident = "over-confident"
    /// Nothing to compare with, or only one of angle and distance.
    case unknown
  }

  /// The answer.
  package var answer: Answer
  /// What is over-confident, each with its figure.
  package var faults: [String] = []

  /// Smallest share of 90 % intervals that hold the truth, of a peer that is honest.
  package static let leastCoverage = 0.85

  /// What a peer's errors say; nil: there is no ground truth.
  package init(_ errors: PeerErrors?) {
    guard let errors, errors.judged > 0 else {
      answer = .unknown
      return
    }
    if let coverage = errors.coverage90, coverage < Self.leastCoverage {
      // The truth of real recordings errs by about a degree: what that could explain is said.
      let tolerant = errors.coverage90Tolerant ?? coverage
      let near = tolerant > coverage + 0.05 ? " (\(Self.percent(tolerant)) within 1.5°)" : ""
      faults.append("\(Self.percent(coverage)) of the angle's 90 % intervals hold the truth\(near)")
    }
    if let coverage = errors.distanceCoverage90, coverage < Self.leastCoverage {
      faults.append("\(Self.percent(coverage)) of the distance's 90 % intervals hold the truth")
    }
    if let nees = errors.positionNEES.mean, nees > NormalizedErrors.band.upperBound {
      faults.append("position NEES \(String(format: "%.1f", nees)), expected 3")
    }
    if errors.falseConverged > 0 {
      faults.append("\(errors.falseConverged) of \(errors.converged) converged updates wrong")
    }
    let isWhole = errors.coverage90 != nil && errors.distanceCoverage90 != nil
    answer = !faults.isEmpty ? .overConfident : isWhole ? .honest : .unknown
  }

  private static func percent(_ share: Double) -> String { String(format: "%.0f %%", 100 * share) }
}
