import Foundation

/// Configuration of an `ARSession`. A session keeps a copy: later changes take effect at its next `run`.
open class ARConfiguration: NSObject, NSCopying {
  /// Alignment of the world's axes.
  public enum WorldAlignment: Int, Sendable {
    /// y up; origin and yaw from the first pose.
    case gravity = 0
    /// y up, -z north.
    case gravityAndHeading = 1
    /// The camera's axes at the start.
    case camera = 2
  }

  /// Alignment of the world's axes.
  public var worldAlignment = WorldAlignment.gravity

  override init() {}

  /// Whether the device supports this configuration; always true here.
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
  /// Initial map.
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

/// A map from an earlier session; empty here.
public final class ARWorldMap: NSObject, Sendable {
  /// An empty map.
  public override init() {}
}
