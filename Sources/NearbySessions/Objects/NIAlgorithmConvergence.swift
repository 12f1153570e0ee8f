import Foundation

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
