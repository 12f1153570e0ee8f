#if !ONE_MODULE
  import ARKit
#endif

extension ARSession {
  /// Whether camera assistance can start with this session: its configuration is suitable, and its delegate does not
  /// relocalise. A session that does not run yet is suitable. Calls the session's delegate.
  var supportsCameraAssistance: Bool {
    if let observer = delegate, observer.sessionShouldAttemptRelocalization(self) { return false }
    return isConfigurationSuitable
  }

  /// Whether its configuration, if it runs, is suitable for camera assistance: world tracking aligned with gravity, no
  /// collaboration, no face tracking, no initial map.
  var isConfigurationSuitable: Bool {
    guard let configuration else { return true }
    guard let tracking = configuration as? ARWorldTrackingConfiguration else { return false }
    return tracking.worldAlignment == .gravity && !tracking.isCollaborationEnabled && !tracking.userFaceTrackingEnabled
      && tracking.initialWorldMap == nil
  }
}
