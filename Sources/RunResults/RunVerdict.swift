import Datasets
import Evaluation
import JSONText
import PrecisionFinding
import Premises

/// The one verdict of a run: whether its set-up holds, and what to do where it does not.
///
/// `RunResults` finds it; the story's last line, `result.json`, `eval`, `diff`, `report` and the service repeat it.
package struct RunVerdict: Equatable, Sendable {
  /// How far a run can be relied on.
  package enum State: String, Comparable, Sendable, CaseIterable {
    /// Nothing speaks against the set-up.
    case healthy
    /// Something does, not enough to refute it.
    case doubtful
    /// The data refute the set-up: nothing that rests on it holds.
    case broken

    package static func < (a: State, b: State) -> Bool { a.order < b.order }
    private var order: Int { Self.allCases.firstIndex(of: self)! }

    /// For a column: what is broken is not overlooked.
    package var briefWord: String { self == .broken ? rawValue.uppercased() : rawValue }
  }

  /// One thing that was found.
  package struct Finding: Equatable, Sendable {
    /// What it makes of the run; `healthy`: it was handled, or nothing rests on it.
    package var state: State
    /// Machine-readable: of a diagnosis, or one of docs/diagnoses.md's "The verdict".
    package var code: String
    /// What it is about: a family of diagnoses, or `run`.
    package var family: String
    /// Whose link it concerns; nil: the device.
    package var peer: String?
    /// What was found, a sentence without a stop.
    package var sentence: String
    /// What to do, without a stop.
    package var remedy: String

    /// A finding from its parts.
    package init(state: State, code: String, family: String, peer: String? = nil, sentence: String, remedy: String) {
      self.state = state
      self.code = code
      self.family = family
      self.peer = peer
      self.sentence = sentence
      self.remedy = remedy
    }

    /// `rangeUnit: ranges to tag look to be in millimetres: write ranges in metres`.
    package var words: String { "\(code): \(sentence): \(remedy)" }
  }

  /// What was found, the worst first, then the device's before a peer's, then in the order in which it was.
  package let findings: [Finding]

  /// A verdict from what was found.
  package init(_ findings: [Finding]) {
    func key(_ finding: Finding) -> (State, Int) {
      // What the truth is wrong about says nothing about the arrow.
      (finding.state, finding.family == "truth" ? 0 : finding.peer == nil ? 2 : 1)
    }
    self.findings = findings.enumerated().sorted { a, b in
      let (one, other) = (key(a.element), key(b.element))
      return one == other ? a.offset < b.offset : one > other
    }.map(\.element)
  }

  /// The worst of what was found.
  package var state: State { findings.first?.state ?? .healthy }

  /// What makes the run what it is; nil where it is healthy.
  package var cause: Finding? { state == .healthy ? nil : findings.first }

  /// For people: `healthy`, `doubtful`, `set-up broken`, or `ground truth broken` where only that is.
  package var words: String {
    switch state {
    case .healthy, .doubtful: state.rawValue
    case .broken: cause?.family == "truth" ? "ground truth broken" : "set-up broken"
    }
  }

  /// The verdict on one peer: what concerns the device, or this link.
  package func on(_ peer: String) -> RunVerdict { RunVerdict(findings.filter { $0.peer == nil || $0.peer == peer }) }

  /// One line for people: `set-up broken: rangeUnit: ...; 1 more: radioClock`.
  package var line: String {
    guard let first = findings.first else { return words }
    let others = findings.dropFirst()
    var codes: [String] = []
    for code in others.map(\.code) where !codes.contains(code) { codes.append(code) }
    let named = codes.map { code in
      let peers = others.filter { $0.code == code }.compactMap(\.peer)
      return peers.isEmpty ? code : "\(code) (\(peers.joined(separator: ", ")))"
    }
    let more = named.isEmpty ? "" : "; \(others.count) more: \(named.joined(separator: ", "))"
    return "\(words)\(state == .healthy ? ", handled" : ""): \(first.words)\(more)"
  }

  /// A few words for a column: `healthy`, `BROKEN rangeUnit`.
  package var brief: String {
    cause.map { "\(state.briefWord) \($0.code)" } ?? state.briefWord
  }

  /// Of a run of a version that had none.
  package static let unknown = RunVerdict([
    Finding(
      state: .doubtful, code: "noVerdict", family: "run",
      sentence: "this run was made by a version of fuse that gave no verdict", remedy: "run it again")
  ])
}

extension RunVerdict {
  /// As in `result.json`: state and line, then what the cause is, null where it is healthy, then all that was found.
  package var json: JSONValue {
    let cause = cause
    return [
      "state": .string(state.rawValue), "line": .string(line), "code": .string(cause?.code),
      "family": .string(cause?.family),
      "peer": .string(cause?.peer), "sentence": .string(cause?.sentence), "remedy": .string(cause?.remedy),
      "findings": .array(findings.map(\.json)),
    ]
  }

  /// A verdict read back; nil for anything else.
  package init?(_ json: JSONValue?) {
    guard case .array(let elements)? = json?["findings"] else { return nil }
    let findings = elements.compactMap(Finding.init)
    guard findings.count == elements.count else { return nil }
    self.init(findings)
  }
}

extension RunVerdict.Finding {
  fileprivate var json: JSONValue {
    [
      "state": .string(state.rawValue), "code": .string(code), "family": .string(family), "peer": .string(peer),
      "sentence": .string(sentence), "remedy": .string(remedy),
    ]
  }

  fileprivate init?(_ json: JSONValue) {
    guard let state = json["state"]?.text.flatMap(RunVerdict.State.init), let code = json["code"]?.text,
      let family = json["family"]?.text
    else { return nil }
    self.init(
      state: state, code: code, family: family, peer: json["peer"]?.text, sentence: json["sentence"]?.text ?? "",
      remedy: json["remedy"]?.text ?? "")
  }
}

extension RunFolder {
  /// The run's verdict; nil for a run of a version that had none.
  package var verdict: RunVerdict? { RunVerdict(result?["verdict"]) }
}

extension RunVerdict {
  /// The verdict of a run: premises refuted or open, what never began, and what ground truth says.
  ///
  /// - Parameters:
  ///   - diagnoses: premises refuted and errors handled, those of the truth too.
  ///   - errors: against ground truth; nil without.
  ///   - hasEnded: whether nothing more comes: only then something is missing.
  ///   - doubts: what else speaks against the set-up, and refutes nothing.
  package init(
    diagnoses: [Diagnosis], summary: FinderSummary, peers: [String: PeerOutcome], errors: Judge.Errors? = nil,
    hasEnded: Bool, doubts: [Finding] = []
  ) {
    var findings = diagnoses.map(Finding.init) + doubts
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
