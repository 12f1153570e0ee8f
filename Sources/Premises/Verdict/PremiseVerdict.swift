import Foundation

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

  /// Whether this premise of the device is refuted.
  package func isRefuted(_ code: String) -> Bool {
    diagnoses.contains { $0.code == code && $0.peer == nil && !$0.isHandled }
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
    let premise = Premise(code: code, peer: found.peer)
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

/// A premise that the data refute, or an error that was found and handled.
///
/// What a finder takes for granted (units, axes, mounts, lenses, clocks, conventions) is tested against the data. Each code, its
/// statistic, its false-alarm rate and its remedy: docs/diagnoses.md.
public struct Diagnosis: Equatable, Sendable {
  /// What the premise is about.
  public enum Family: String, Sendable, CaseIterable {
    case imu, camera, radio, odometry, time, truth
  }

  /// Stable, machine-readable: `accelerometerUnit`, `cameraMount`, `rangeUnit`, ...
  public var code: String
  /// What the premise is about.
  public var family: Family
  /// What was found, one plain sentence.
  public var sentence: String
  /// The statistic and the data behind it.
  public var evidence: String
  /// What to do about it.
  public var remedy: String
  /// The peer whose radio link it concerns; nil where it concerns the device.
  public var peer: String?
  /// True where nothing rests on it any more: the error was corrected or left out. Such a diagnosis withdraws nothing.
  public var isHandled: Bool

  /// A diagnosis from its parts.
  public init(
    code: String, family: Family, sentence: String, evidence: String, remedy: String, peer: String? = nil,
    isHandled: Bool = false
  ) {
    self.code = code
    self.family = family
    self.sentence = sentence
    self.evidence = evidence
    self.remedy = remedy
    self.peer = peer
    self.isHandled = isHandled
  }
}

/// Numbers in sentences, the same on every machine.
enum Format {
  /// Three significant digits, without a trailing zero.
  static func number(_ x: Double) -> String {
    guard x.isFinite else { return "unknown" }
    guard x != 0 else { return "0" }
    let digits = max(0, 2 - Int(log10(abs(x)).rounded(.down)))
    let text = String(format: "%.\(min(digits, 9))f", x)
    guard text.contains(".") else { return text }
    var trimmed = Substring(text)
    while trimmed.last == "0" { trimmed.removeLast() }
    if trimmed.last == "." { trimmed.removeLast() }
    return String(trimmed)
  }

  /// Degrees of an angle in radians, no decimals from 10 on.
  static func degrees(_ x: Double) -> String { number((x * 180 / .pi * 10).rounded() / 10) }

  /// A log likelihood ratio.
  static func ratio(_ x: Double) -> String {
    "log likelihood ratio \(x > 9999 ? "over 9999" : String(Int(exactly: x.rounded(.towardZero)) ?? 0))"
  }
}

/// A generalised likelihood-ratio test between explanations of the same residuals, with an unknown noise level.
///
/// With n residuals normalised to unit expected variance, the noise scale s is common to all explanations and profiled
/// out: `log L_k = -n/2 log max(RSS_k / n, floor)`. The floor keeps an explanation from winning by fitting noise: below
/// the expected noise nothing is gained. An explanation pays `log(count)` for being one of several, and half the
/// logarithm of n for each of its free parameters (Schwarz, Annals of Statistics 6(2), 1978,
/// doi:10.1214/aos/1176344136). By Markov's inequality a ratio above x has probability at most e^-x under the null
/// hypothesis, once those costs are paid.
struct LikelihoodRatio {
  /// An explanation: which, its residual sum of squares, its number of fitted parameters beyond those of the null
  /// hypothesis.
  struct Explanation<Kind> {
    var kind: Kind
    var squares: Double
    var parameters: Int
  }

  /// Number of residuals.
  var count: Int
  /// Mean square of a normalised residual that the null hypothesis expects at least.
  var floor = 1.0

  /// Log likelihood ratio of an explanation against the null hypothesis, costs paid, natural logarithm.
  ///
  /// - Parameter alternatives: how many explanations were tried.
  func ratio(null: Double, alternative: Double, parameters: Int, alternatives: Int) -> Double {
    let n = Double(max(count, 1))
    func level(_ squares: Double) -> Double { log(max(squares / n, floor)) }
    return n / 2 * (level(null) - level(alternative)) - Double(parameters) / 2 * log(n)
      - log(Double(max(alternatives, 1)))
  }

  /// The best explanation and its ratio; nil where none was tried.
  func best<Kind>(null: Double, _ explanations: [Explanation<Kind>]) -> (kind: Kind, ratio: Double, squares: Double)? {
    explanations.map {
      (
        $0.kind,
        ratio(null: null, alternative: $0.squares, parameters: $0.parameters, alternatives: explanations.count),
        $0.squares
      )
    }.max { $0.1 < $1.1 }
  }
}
