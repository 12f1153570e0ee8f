import Foundation
#if !ONE_MODULE || canImport(Darwin)
  @_exported import simd
#endif

/// A frame of an `ARSession`.
public final class ARFrame: NSObject, Sendable {
  /// Whether the map of the surroundings suffices to return to it.
  public enum WorldMappingStatus: Int, Sendable {
    /// There is no map.
    case notAvailable = 0
    /// There is not enough of it.
    case limited = 1
    /// It grows.
    case extending = 2
    /// The surroundings are mapped.
    case mapped = 3
  }

  /// Seconds on the device's clock.
  public let timestamp: TimeInterval
  /// The camera and its pose.
  public let camera: ARCamera
  /// The session's anchors.
  public let anchors: [ARAnchor]
  /// Mapped while tracking is normal.
  public var worldMappingStatus: WorldMappingStatus {
    switch camera.trackingState {
    case .notAvailable: .notAvailable
    case .limited: .limited
    case .normal: .mapped
    }
  }

  package init(timestamp: TimeInterval, camera: ARCamera, anchors: [ARAnchor] = []) {
    self.timestamp = timestamp
    self.camera = camera
    self.anchors = anchors
  }
}
