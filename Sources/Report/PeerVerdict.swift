import Datasets
import Evaluation

/// What a run came to for one peer, in a few words: whether its set-up holds, whether it was found, and whether its
/// uncertainty was honest.
package struct PeerVerdict: Equatable, Sendable {
  /// How the search ended.
  package enum Finding: String, Sendable {
    /// Converged at the end.
    case found
    /// Converged before, not at the end.
    case lost
    /// Never converged.
    case notYet = "not yet"
  }

  /// The run's verdict, of the device and of this peer.
  package var setUp: RunVerdict
  /// How the search ended.
  package var finding: Finding
  /// What ground truth says about the stated uncertainty.
  package var honesty: Honesty
  /// Share of 90 % intervals that hold the truth, the lesser of angle and distance; nil without ground truth.
  private var coverage: Double?

  /// The verdict on a peer.
  ///
  /// - Parameters:
  ///   - peer: its name.
  ///   - status: of its last update.
  ///   - hasConverged: whether any update was `converged`.
  ///   - errors: its errors against ground truth.
  ///   - run: the run's verdict; nil where none is known.
  package init(on peer: String, status: String, hasConverged: Bool, errors: PeerErrors?, run: RunVerdict?) {
    finding = status == "converged" ? .found : hasConverged ? .lost : .notYet
    honesty = Honesty(errors)
    coverage = [errors?.coverage90, errors?.distanceCoverage90].compactMap(\.self).min()
    setUp = run?.on(peer) ?? RunVerdict([])
  }

  /// The state of the badge: what the set-up makes of it, beyond what ground truth says.
  package var state: RunVerdict.State { setUp.state }

  /// `set-up broken`; `found, over-confident`; `found, honest`.
  package var words: String {
    if state == .broken { return setUp.words }
    let doubt = state == .doubtful && honesty.answer != .overConfident ? setUp.words : nil
    let own = honesty.answer == .unknown ? nil : honesty.answer.rawValue
    return ([finding.rawValue] + [doubt ?? own].compactMap(\.self)).joined(separator: ", ")
  }

  /// What stands behind these words, a line each.
  package var causes: [String] {
    setUp.findings.filter { $0.code != "overConfident" }.map(\.words) + honesty.faults
  }

  /// Worst first: a broken set-up, then what is wrong, doubtful, lost, not found; the same by how seldom its intervals hold
  /// the truth.
  package var rank: (Int, Double) { (kind, coverage ?? 1) }

  private var kind: Int {
    if state == .broken { return 0 }
    if honesty.answer == .overConfident { return 1 }
    if state == .doubtful { return 2 }
    return switch finding {
    case .lost: 3
    case .notYet: 4
    case .found: 5
    }
  }

  /// The rank of a run in which no peer was heard.
  static func rankWithoutPeers(_ run: RunVerdict?) -> (Int, Double) { (run?.state == .broken ? 0 : 2, 1) }
}
