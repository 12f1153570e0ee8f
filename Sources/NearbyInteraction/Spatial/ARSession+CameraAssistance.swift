import ARKit

extension ARSession {
  /// Whether camera assistance can use this session: world tracking aligned with gravity, no collaboration, no face
  /// tracking, no map to start in, and no relocalisation. A session that does not run yet can still become so.
  var servesCameraAssistance: Bool {
    if let observer = delegate, observer.sessionShouldAttemptRelocalization(self) { return false }
    guard let configuration else { return true }
    guard let tracking = configuration as? ARWorldTrackingConfiguration else { return false }
    return tracking.worldAlignment == .gravity && !tracking.isCollaborationEnabled && !tracking.userFaceTrackingEnabled
      && tracking.initialWorldMap == nil
  }
}
