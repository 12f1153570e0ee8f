import Foundation

/// What a session tells of its tracking. Every method has a default.
public protocol ARSessionObserver: AnyObject {
  /// The session failed. Sessions here do not.
  func session(_ session: ARSession, didFailWithError error: any Error)
  /// Tracking became better or worse.
  func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera)
  /// The app went to the background: there are no frames until the interruption ends.
  func sessionWasInterrupted(_ session: ARSession)
  /// Frames come again.
  func sessionInterruptionEnded(_ session: ARSession)
  /// Whether tracking may jump back to an old map after an interruption. Camera assistance needs false: a jump of the
  /// world frame contradicts all earlier ranges.
  func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool
}

/// Receives an `ARSession`'s frames. Every method has a default; all are called on the session's `delegateQueue`.
public protocol ARSessionDelegate: ARSessionObserver {
  /// A new pose.
  func session(_ session: ARSession, didUpdate frame: ARFrame)
  /// The app added anchors.
  func session(_ session: ARSession, didAdd anchors: [ARAnchor])
  /// Anchors changed. Those of an app stay where they are: never called here.
  func session(_ session: ARSession, didUpdate anchors: [ARAnchor])
  /// The app removed anchors.
  func session(_ session: ARSession, didRemove anchors: [ARAnchor])
}

extension ARSessionObserver {
  /// Does nothing.
  public func session(_ session: ARSession, didFailWithError error: any Error) {}
  /// Does nothing.
  public func session(_ session: ARSession, cameraDidChangeTrackingState camera: ARCamera) {}
  /// Does nothing.
  public func sessionWasInterrupted(_ session: ARSession) {}
  /// Does nothing.
  public func sessionInterruptionEnded(_ session: ARSession) {}
  /// False, as with Apple.
  public func sessionShouldAttemptRelocalization(_ session: ARSession) -> Bool { false }
}

extension ARSessionDelegate {
  /// Does nothing.
  public func session(_ session: ARSession, didUpdate frame: ARFrame) {}
  /// Does nothing.
  public func session(_ session: ARSession, didAdd anchors: [ARAnchor]) {}
  /// Does nothing.
  public func session(_ session: ARSession, didUpdate anchors: [ARAnchor]) {}
  /// Does nothing.
  public func session(_ session: ARSession, didRemove anchors: [ARAnchor]) {}
}
