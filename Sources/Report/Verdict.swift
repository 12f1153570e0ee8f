import Datasets
import Evaluation

/// What a run came to for one peer, in a few words: whether it was found, and whether its uncertainty was honest.
package struct Verdict: Equatable, Sendable {
  /// How the search ended.
  package enum Finding: String, Sendable {
    /// Converged at the end.
    case found
    /// Converged before, not at the end.
    case lost
    /// Never converged.
    case notYet = "not yet"
  }

  /// What ground truth says about the stated uncertainty.
  package enum Honesty: String, Sendable {
    /// The intervals hold the truth as often as they should, or more often.
    case honest
    /// They do not, or an update was converged and wrong.
    case overConfident = "over-confident"
    /// Nothing to compare with.
    case unknown
  }

  /// How the search ended.
  package var finding: Finding
  /// What ground truth says about it.
  package var honesty: Honesty
  /// What is over-confident, each with its figure.
  package var faults: [String] = []

  /// Smallest share of 90 % intervals that hold the truth, of a peer that is honest.
  package static let leastCoverage = 0.85

  /// The verdict on a peer.
  ///
  /// - Parameters:
  ///   - status: of its last update.
  ///   - hasConverged: whether any update was `converged`.
  ///   - errors: its errors against ground truth.
  package init(status: String, hasConverged: Bool, errors: PeerErrors?) {
    finding = status == "converged" ? .found : hasConverged ? .lost : .notYet
    guard let errors, errors.judged > 0 else {
      honesty = .unknown
      return
    }
    if let coverage = errors.coverage90, coverage < Self.leastCoverage {
      // The truth of real recordings errs by about a degree: the reader is told what that could explain.
      let tolerant = errors.coverage90Tolerant ?? coverage
      let near = tolerant > coverage + 0.05 ? " (\(Words.fixed(100 * tolerant, 0)) % within 1.5°)" : ""
      faults.append("\(Words.fixed(100 * coverage, 0)) % of 90 % intervals hold the truth\(near)")
    }
    if let nees = errors.positionNEES.mean, nees > NormalizedErrors.band.upperBound {
      faults.append("position NEES \(Words.fixed(nees, 1)), expected 3")
    }
    if errors.falseConverged > 0 {
      faults.append("\(errors.falseConverged) of \(errors.converged) converged updates wrong")
    }
    let isJudged = errors.coverage90 != nil || errors.positionNEES.mean != nil
    honesty = !faults.isEmpty ? .overConfident : isJudged ? .honest : .unknown
  }

  /// `found, over-confident`.
  package var words: String {
    honesty == .unknown ? finding.rawValue : "\(finding.rawValue), \(honesty.rawValue)"
  }

  /// Worst first: wrong is worse than lost, lost is worse than not found.
  package var rank: Int {
    if honesty == .overConfident { return 0 }
    return switch finding {
    case .lost: 1
    case .notYet: 2
    case .found: 3
    }
  }
}
