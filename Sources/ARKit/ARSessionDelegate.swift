/// Receives an `ARSession`'s frames. Every method has a default.
public protocol ARSessionDelegate: AnyObject {
  /// A new pose; called on the session's `delegateQueue`.
  func session(_ session: ARSession, didUpdate frame: ARFrame)
  /// Whether tracking may jump back to an old map after an interruption. Camera assistance needs false: a jump of the
  /// world frame contradicts all earlier ranges.
  func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
}

extension ARSessionDelegate {
  /// Does nothing.
  public func session(_ session: ARSession, didUpdate frame: ARFrame) {}
  /// False, as with Apple.
  public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
}
