import Foundation
import PrecisionFinding

/// The state of camera assistance for one object, or for the whole session.
public final class NIAlgorithmConvergence: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// Convergence, with the reasons that are open.
  public let status: NIAlgorithmConvergenceStatus

  package init(status: NIAlgorithmConvergenceStatus) { self.status = status }

  public override func isEqual(_ object: Any?) -> Bool { (object as? NIAlgorithmConvergence)?.status == status }
  public override var hash: Int { status.hashValue }
  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {
    let (code, reasons): (Int, [NIAlgorithmConvergenceStatus.Reason]) =
      switch status {
      case .unknown: (0, [])
      case .notConverged(let reasons): (1, reasons)
      case .converged: (2, [])
      }
    coder.encode(code, forKey: "status")
    coder.encode(reasons.map(\.rawValue).joined(separator: "\n") as NSString, forKey: "reasons")
    coder.encode(reasons.map { $0.explanation ?? "" }.joined(separator: "\n") as NSString, forKey: "explanations")
  }

  /// Nil for an archive that holds no convergence.
  public required convenience init?(coder: NSCoder) {
    func lines(_ key: String) -> [String] {
      let text = coder.decodeObject(of: NSString.self, forKey: key).map(String.init(describing:)) ?? ""
      return text.components(separatedBy: "\n")
    }
    // Archives of older versions have no explanations.
    let explanations = lines("explanations")
    let reasons = lines("reasons").enumerated().filter { !$1.isEmpty }.map { index, word in
      let explanation = explanations.indices.contains(index) ? explanations[index] : ""
      return NIAlgorithmConvergenceStatus.Reason(rawValue: word, explanation: explanation.isEmpty ? nil : explanation)
    }
    switch coder.decodeInteger(forKey: "status") {
    case 0: self.init(status: .unknown)
    case 1: self.init(status: .notConverged(reasons))
    case 2: self.init(status: .converged)
    default: return nil
    }
  }
}

/// Convergence of camera assistance, and what prevents it.
public enum NIAlgorithmConvergenceStatus: Hashable, Sendable {
  /// No estimate to evaluate yet.
  case unknown
  /// Reasons that are open, most important first. The horizontal angle may be known all the same.
  case notConverged([Reason])
  /// All outputs are known.
  case converged

  /// What prevents convergence.
  ///
  /// Apple does not publish the raw values; here they are the names of the constants. Beside Apple's five there are the
  /// codes of premises of the set-up that the data refute, or speak against (docs/diagnoses.md): such a reason is first,
  /// withholds everything but the distance, and its description says what to do.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The raw value.
    public let rawValue: String
    /// What a reason says that is not one of the five.
    let explanation: String?

    /// From a raw value.
    public init(rawValue: String) { self.init(rawValue: rawValue, explanation: nil) }

    /// How the explanation of a refuted premise begins.
    fileprivate static let brokenSetUp = "The set-up is broken: "
    /// Whether it is no request to the user but a premise of the set-up that the data refute.
    var isBrokenSetUp: Bool { explanation?.hasPrefix(Self.brokenSetUp) ?? false }

    init(rawValue: String, explanation: String?) {
      self.rawValue = rawValue
      self.explanation = explanation
    }

    /// The raw values decide.
    public static func == (a: Reason, b: Reason) -> Bool { a.rawValue == b.rawValue }
    /// The raw value decides.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Move around. Withholds the horizontal angle and the vertical estimate.
    public static let insufficientMovement = Reason(rawValue: "insufficientMovement")
    /// Sweep from side to side. Withholds the horizontal angle and the vertical estimate.
    public static let insufficientHorizontalSweep = Reason(rawValue: "insufficientHorizontalSweep")
    /// Sweep up and down. May withhold the vertical estimate, never the horizontal angle.
    public static let insufficientVerticalSweep = Reason(rawValue: "insufficientVerticalSweep")
    /// Turn on the light. Withholds the horizontal angle and the vertical estimate.
    public static let insufficientLighting = Reason(rawValue: "insufficientLighting")
    /// Move closer.
    public static let insufficientSignalStrength = Reason(rawValue: "insufficientSignalStrength")

    /// One sentence that tells the user what to do; nil for an unknown reason.
    public var localizedDescription: String? { explanation ?? Convergence.Reason(rawValue: rawValue)?.guidance }
  }

  /// The convergence of an update or of the session.
  ///
  /// - Parameters:
  ///   - details: the update's: they name premises that are refuted, or open.
  ///   - explanation: what is known of a refuted premise, by its code.
  package init(
    _ convergence: Convergence, details: [String: NearbyUpdate.Detail] = [:],
    explanation: (String) -> String? = { _ in nil }
  ) {
    var reasons = Self.premises(details, explanation)
    reasons += convergence.reasons.map { Reason(rawValue: $0.rawValue) }
    switch convergence.status {
    case .converged: self = .converged
    // A broken set-up is no estimate that is still to come.
    case .unknown: self = reasons.isEmpty ? .unknown : .notConverged(reasons)
    case .notConverged: self = .notConverged(reasons)
    }
  }

  private static func premises(
    _ details: [String: NearbyUpdate.Detail], _ explanation: (String) -> String?
  ) -> [Reason] {
    if case .obstacles(let found)? = details["findings"] {
      let refuted = found.filter { $0.obstacle == nil }.map(\.code)
      if !refuted.isEmpty {
        return refuted.map { code in
          Reason(
            rawValue: code, explanation: Reason.brokenSetUp + (explanation(code) ?? "the data refute \(code)."))
        }
      }
    }
    guard case .text(let code)? = details["premise"] else { return [] }
    return [Reason(rawValue: code, explanation: "The set-up is doubtful: evidence speaks against \(code).")]
  }
}
