import PrecisionFinding

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
  /// Apple does not publish the raw values; here they are the names of the constants.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The raw value.
    public let rawValue: String
    /// From a raw value.
    public init(rawValue: String) { self.rawValue = rawValue }

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
    public var localizedDescription: String? { Convergence.Reason(rawValue: rawValue)?.guidance }
  }

  package init(_ convergence: Convergence) {
    switch convergence.status {
    case .unknown: self = .unknown
    case .converged: self = .converged
    case .notConverged: self = .notConverged(convergence.reasons.map { Reason(rawValue: $0.rawValue) })
    }
  }
}
