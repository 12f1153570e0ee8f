import Foundation
@_exported import simd

/// A frame of an `ARSession`.
public final class ARFrame: NSObject, Sendable {
  /// Seconds on the device's clock.
  public let timestamp: TimeInterval
  /// The camera and its pose.
  public let camera: ARCamera

  package init(timestamp: TimeInterval, camera: ARCamera) {
    self.timestamp = timestamp
    self.camera = camera
  }
}

/// The camera at the time of a frame.
public final class ARCamera: NSObject, Sendable {
  /// Camera to ARKit's world (y up), metres. The camera's axes are those of the phone in landscape: x towards the lower
  /// edge, y towards the right edge, z towards the user.
  public let transform: simd_float4x4

  package init(transform: simd_float4x4) { self.transform = transform }
}
