/// Whether the outputs for a peer (or the session itself) can be relied on, and if not, why.
public struct Convergence: Equatable, Sendable {
  /// Why it is not converged: Nearby Interaction's five reasons. Each names what a user can do about it.
  public enum Reason: String, Sendable, CaseIterable {
    /// No direction is observed yet: move around. Nulls the horizontal angle and the vertical estimate.
    case insufficientMovement
    /// The motion so far leaves an ambiguity: sweep sideways. Nulls the horizontal angle and the vertical estimate.
    case insufficientHorizontalSweep
    /// The vertical position is not resolved: move up and down. Nulls only the vertical estimate and the world
    /// transform.
    case insufficientVerticalSweep
    /// The camera contributes too little. Nulls the horizontal angle and the vertical estimate.
    case insufficientLighting
    /// Too few usable ranges.
    case insufficientSignalStrength

    /// Whether a motion of the user helps.
    package var isMotion: Bool {
      switch self {
      case .insufficientMovement, .insufficientHorizontalSweep, .insufficientVerticalSweep: true
      case .insufficientLighting, .insufficientSignalStrength: false
      }
    }

    /// What the user should do, one plain sentence.
    public var guidance: String {
      switch self {
      case .insufficientMovement: "Move around a little."
      case .insufficientHorizontalSweep: "Move your phone from side to side."
      case .insufficientVerticalSweep: "Move your phone up and down."
      case .insufficientLighting: "More light is needed: turn on a light or uncover the camera."
      case .insufficientSignalStrength: "The signal is weak: move closer, with nothing in between."
      }
    }
  }

  /// The state of convergence.
  public enum Status: String, Sendable {
    /// There is nothing to evaluate yet.
    case unknown
    /// Something is missing; `reasons` says what.
    case notConverged
    /// Horizontal angle, vertical class and world transform are published and no competing mode is left.
    case converged
  }

  /// The status.
  public var status: Status
  /// What is missing, most important first; empty unless the status is `notConverged`.
  public var reasons: [Reason]
  /// The reason to ask for instead of the first. Beside an angle only a vertical sweep may be missing, yet moving
  /// sideways may narrow the position more. No motion helps while no ranges come. Nil: the first reason.
  public var asked: Reason?

  /// A convergence from its parts.
  public init(status: Status, reasons: [Reason] = [], asked: Reason? = nil) {
    self.status = status
    self.reasons = reasons
    self.asked = asked
  }

  /// What the user should do now; nil when there is nothing to ask for.
  public var guidance: String? { request?.guidance }

  /// The guidance of the first obstacle with the requested reason, where it has one of its own; else `guidance`.
  package func guidance(found: [PublicationObstacle]) -> String? {
    request.flatMap { request in found.first { $0.reason == request }?.guidance } ?? guidance
  }

  /// The reason whose remedy the guidance names; nil when there is nothing to ask for.
  package var request: Reason? { status == .converged ? nil : asked ?? reasons.first }
}
