/// Evidence of one test against a premise.
package enum PremiseEvidence: Equatable, Sendable {
  /// A log likelihood ratio, nat, all costs paid; and how evenly it is spread over its parts
  /// (`RangeConsistency.Outcome.support`), nil where the test does not say.
  case logRatio(Double, support: Double? = nil)
  /// A statistic with limits of its own speaks against it, or is beyond what any true premise gives.
  case symptom(isRefuting: Bool)
}

/// What evidence against the premises comes to: open, refuted, or nothing. A pure state machine over the tests.
///
/// A premise is open where its evidence passes `Rule.opens` in two tests in a row, or in one where that is enough: a
/// view's rotation may be wrong for half a second; a path, its ranges and two seconds of innovations are not. It is
/// open as long as that is so. It is refuted where its evidence passes `Rule.refutes` in `Rule.times` tests in a row: by
/// Markov's inequality a true premise passes x in one test with probability at most e^-x. What is refuted stays so.
package struct PremiseVerdict {
  /// When a premise is open, and when refuted.
  package struct Rule: Sendable {
    /// Log likelihood ratio from which on it is open, and refuted.
    package var opens: Double, refutes: Double
    /// Tests in a row that refute.
    package var times = 2
    /// How evenly evidence must be spread where the test says it: by chance so with a probability of `exp(-x^2 / 2)`.
    package var openSupport = 0.0, support = 0.0
    /// Whether one test opens it.
    package var opensAtOnce = false

    /// Whether evidence opens a premise.
    package func isOpened(by evidence: PremiseEvidence) -> Bool { passes(evidence, opens, openSupport) ?? true }

    /// Whether evidence counts against it.
    func isRefuted(by evidence: PremiseEvidence) -> Bool {
      if case .symptom(let isRefuting) = evidence { return isRefuting }
      return passes(evidence, refutes, support) ?? false
    }

    private func passes(_ evidence: PremiseEvidence, _ limit: Double, _ least: Double) -> Bool? {
      guard case .logRatio(let ratio, let found) = evidence else { return nil }
      return ratio > limit && (found ?? .infinity) > least
    }
  }

  /// Log likelihood ratio from which on a premise is refuted where its rule does not say otherwise: 1.5e-8 a test.
  package static let limit = 18.0
  /// Of a link: open with a probability of 0.05 a test, refuted with 6e-6; support by chance 0.32 and 0.03.
  private static let link = Rule(opens: 3, refutes: 12, openSupport: 1.5, support: 2.6, opensAtOnce: true)
  /// Axes and sign of the inertial unit, the camera's clock: open with a probability of 0.007 a test.
  private static let axes = Rule(opens: 5, refutes: limit)
  /// All that differ from `Rule(opens: limit, refutes: limit)`, by the code of the diagnosis.
  private static let rules: [String: Rule] = [
    "radioClock": link, "rangeUnit": link, "rangeBias": link,
    "odometryScale": link,
    // A scale below zero is seldom meant.
    "rangeSign": Rule(opens: 3, refutes: limit, openSupport: 1.5, support: 2.6, opensAtOnce: true),
    "imuAxes": axes, "gyroscopeScale": axes, "gravitySign": axes, "cameraClock": axes,
    "odometryConvention": Rule(opens: 2, refutes: limit, opensAtOnce: true),
    "odometryPositions": Rule(opens: 5, refutes: limit, opensAtOnce: true),
    "odometryClock": Rule(opens: limit, refutes: limit, opensAtOnce: true),
    "visualInertialMismatch": Rule(opens: limit, refutes: limit, times: 3, opensAtOnce: true),
  ]

  /// The rule of a diagnosis.
  package static func rule(of code: String) -> Rule { rules[code] ?? Rule(opens: limit, refutes: limit) }

  /// A premise, by the code of its diagnosis, of the device or of a peer's link.
  private struct Premise: Hashable {
    var code: String
    var peer: String?
  }

  /// All that was found, in the order in which it was.
  package private(set) var diagnoses: [Diagnosis] = []
  private var open: Set<Premise> = []
  /// Suspected in the newest test, and in the one before.
  private var suspected: Set<Premise> = [], suspectedBefore: Set<Premise> = []
  /// In how many tests in a row each has passed what refutes it.
  private var passes: [Premise: Int] = [:]
  private var isPassing: Set<Premise> = []

  package init() {}

  /// What is refuted, concerning the device or this peer's link.
  package func refuted(for peer: String?) -> [Diagnosis] {
    diagnoses.filter { !$0.isHandled && $0.family != .truth && ($0.peer == nil || $0.peer == peer) }
  }

  /// The code of a premise, of the device or of this peer's link, against which evidence speaks: nothing should rest on
  /// it yet. Nil where there is none.
  package func openPremise(for peer: String) -> String? {
    open.filter { $0.peer == nil || $0.peer == peer }.map(\.code).min()
  }

  /// Begins a test of all premises.
  package mutating func begin() {
    isPassing = []
    (suspectedBefore, suspected) = (suspected, [])
  }

  /// Adds evidence to the test.
  ///
  /// - Parameters:
  ///   - code: the premise, by the code of the diagnosis that it may become.
  ///   - peer: whose link it concerns; nil: the device.
  ///   - isHandled: the filter corrects it: nothing is open meanwhile.
  ///   - diagnosis: what is said once it is refuted, evaluated where the evidence counts against it; its own code may
  ///     name the cause closer; nil where nothing is to be said.
  package mutating func add(
    _ evidence: PremiseEvidence, against code: String, of peer: String? = nil, isHandled: Bool = false,
    _ diagnosis: @autoclosure () -> Diagnosis?
  ) {
    let rule = Self.rule(of: code)
    guard rule.isOpened(by: evidence) else { return }
    if !isHandled { suspected.insert(Premise(code: code, peer: peer)) }
    guard rule.isRefuted(by: evidence), let found = diagnosis() else { return }
    let premise = Premise(code: found.code, peer: found.peer)
    isPassing.insert(premise)
    passes[premise, default: 0] += 1
    if passes[premise]! >= rule.times { report(found) }
  }

  /// A link that is not tested this time: what its last test said stands.
  package mutating func keep(_ peer: String) {
    suspected.formUnion(suspectedBefore.filter { $0.peer == peer })
    isPassing.formUnion(passes.keys.filter { $0.peer == peer })
  }

  /// Ends the test.
  package mutating func end() {
    passes = passes.filter { isPassing.contains($0.key) }
    open = suspected.filter { Self.rule(of: $0.code).opensAtOnce || suspectedBefore.contains($0) }
  }

  /// Reports what needs no further test, once.
  package mutating func report(_ diagnosis: Diagnosis) {
    guard !diagnoses.contains(where: { $0.code == diagnosis.code && $0.peer == diagnosis.peer }) else { return }
    diagnoses.append(diagnosis)
  }
}
