import ARKit

extension ARSession {
  /// Whether camera assistance can begin with this session: its configuration fits, and nobody wants to relocalise. A session that
  /// does not run yet can still become so. Asks the session's delegate.
  var servesCameraAssistance: Bool {
    if let observer = delegate, observer.sessionShouldAttemptRelocalization(self) { return false }
    return configurationServes
  }

  /// Whether it runs with what camera assistance needs, or not at all: world tracking aligned with gravity, no collaboration, no
  /// face tracking, no map to start in.
  var configurationServes: Bool {
    guard let configuration else { return true }
    guard let tracking = configuration as? ARWorldTrackingConfiguration else { return false }
    return tracking.worldAlignment == .gravity && !tracking.isCollaborationEnabled && !tracking.userFaceTrackingEnabled
      && tracking.initialWorldMap == nil
  }
}
