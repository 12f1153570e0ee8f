import Foundation

/// How an `ARSession` is to track.
open class ARConfiguration: NSObject {
  /// How the world's axes are laid.
  public enum WorldAlignment: Int, Sendable {
    /// y up; origin and yaw from the first pose.
    case gravity = 0
    /// y up, -z north.
    case gravityAndHeading = 1
    /// As the camera stood.
    case camera = 2
  }

  /// How the world's axes are laid.
  public var worldAlignment = WorldAlignment.gravity

  override init() {}
}

/// Tracking in six degrees of freedom.
public final class ARWorldTrackingConfiguration: ARConfiguration {
  /// Whether maps are shared with other devices.
  public var isCollaborationEnabled = false
  /// Whether the front camera tracks the user's face.
  public var userFaceTrackingEnabled = false
  /// A map to start in.
  public var initialWorldMap: ARWorldMap?

  /// The defaults: what camera assistance needs.
  public override init() { super.init() }
}

/// A map from an earlier session; here only something that can be given.
public final class ARWorldMap: NSObject, Sendable {
  /// An empty map.
  public override init() {}
}

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
