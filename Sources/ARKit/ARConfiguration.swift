import Foundation

/// How an `ARSession` is to track. A session takes a copy: later changes count at its next `run`.
open class ARConfiguration: NSObject, NSCopying {
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

  /// Whether this device can track so; everything that plays here can.
  open class var isSupported: Bool { true }

  /// A copy that later changes do not reach.
  open func copy(with zone: NSZone? = nil) -> Any { self }
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

  public override func copy(with zone: NSZone? = nil) -> Any {
    let copy = ARWorldTrackingConfiguration()
    copy.worldAlignment = worldAlignment
    copy.isCollaborationEnabled = isCollaborationEnabled
    copy.userFaceTrackingEnabled = userFaceTrackingEnabled
    copy.initialWorldMap = initialWorldMap
    return copy
  }
}

/// A map from an earlier session; here only something that can be given.
public final class ARWorldMap: NSObject, Sendable {
  /// An empty map.
  public override init() {}
}
