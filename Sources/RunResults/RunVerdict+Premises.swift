import Datasets
import Evaluation
import PrecisionFinding
import Premises

extension RunVerdict {
  /// The verdict of a run: premises refuted or open, what never began, and what ground truth says.
  ///
  /// - Parameters:
  ///   - diagnoses: premises refuted and errors handled, those of the truth too.
  ///   - errors: against ground truth; nil without.
  ///   - hasEnded: whether nothing more comes: only then something is missing.
  package init(
    diagnoses: [Diagnosis], summary: FinderSummary, peers: [String: PeerOutcome], errors: Judge.Errors? = nil,
    hasEnded: Bool
  ) {
    var findings = diagnoses.map(Finding.init)
    let refuted = Set(diagnoses.filter { !$0.isHandled && $0.family != .truth }.map(\.peer))
    for (name, outcome) in peers.sorted(by: { $0.key < $1.key }) {
      // What is open hides behind what is refuted.
      if let code = outcome.openPremise, refuted.isDisjoint(with: [nil, name]) {
        findings.append(.open(code, peer: name))
      }
      if outcome.aoaInconsistent != nil { findings.append(.ignoredAoA(name)) }
    }
    if hasEnded, peers.isEmpty { findings.append(.noRanges(isLate: summary.lateRanges > 0)) }
    if hasEnded, summary.trajectoryBegan == nil, let word = summary.waitingFor { findings.append(.noTrajectory(word)) }
    // What a broken set-up makes of the figures is no finding of its own.
    for (name, own) in (errors?.peers ?? [:]).sorted(by: { $0.key < $1.key })
    where !findings.contains(where: { $0.state == .broken && [nil, name].contains($0.peer) }) {
      let faults = Honesty(own).faults
      if !faults.isEmpty { findings.append(.overConfident(faults, peer: name)) }
    }
    self.init(findings)
  }
}

extension RunVerdict.Finding {
  /// A diagnosis: what is refuted breaks the set-up, what is handled does not.
  fileprivate init(_ diagnosis: Diagnosis) {
    self.init(
      state: diagnosis.isHandled ? .healthy : .broken, code: diagnosis.code, family: diagnosis.family.rawValue,
      peer: diagnosis.peer, sentence: diagnosis.sentence, remedy: diagnosis.remedy)
  }

  fileprivate static func open(_ code: String, peer: String) -> Self {
    .init(
      state: .doubtful, code: code, family: "run", peer: peer,
      sentence: "evidence speaks against this premise, not enough to refute it; arrows to \(peer) wait for more",
      remedy: "check it ('fuse inspect', docs/diagnoses.md), or record for longer and with more motion")
  }

  fileprivate static func ignoredAoA(_ peer: String) -> Self {
    .init(
      state: .healthy, code: PublicationObstacle.aoaInconsistent.rawValue, family: Diagnosis.Family.radio.rawValue,
      peer: peer, sentence: "angles of arrival of \(peer) are inconsistent with its ranges and ignored",
      remedy: "check the array's mounting and sign convention")
  }

  fileprivate static func noRanges(isLate: Bool) -> Self {
    .init(
      state: .doubtful, code: "noRanges", family: Diagnosis.Family.radio.rawValue,
      sentence: isLate ? "no ranges arrived in time" : "no ranges were received",
      remedy: isLate
        ? "raise 'reorderWindow' in a --config file, or bring radio and motion onto one clock"
        : "check that uwb0/data.csv has ranges on the clock of the other sensors")
  }

  fileprivate static func noTrajectory(_ word: String) -> Self {
    let remedy =
      switch word {
      case "imu": "check that the inertial unit has samples on the camera's clock, without gaps"
      case "odometry": "check that odometry0 has poses on the clock of the other sensors"
      case "features": "check that the images show detail, and feature_id is the same from frame to frame"
      case "residual": "check mount, lens and clock of the camera against the inertial unit"
      default: "hold the device still for a second at the beginning, then move it by half a metre"
      }
    return .init(
      state: .doubtful, code: "noTrajectory", family: "run",
      sentence: "no trajectory began, still waiting for \(word)", remedy: remedy)
  }

  fileprivate static func overConfident(_ faults: [String], peer: String) -> Self {
    .init(
      state: .doubtful, code: "overConfident", family: "run", peer: peer,
      sentence: "of \(peer), \(faults.joined(separator: "; "))",
      remedy: "check clocks, mounts and biases, and the ground truth itself: the stated uncertainty is too small")
  }
}
