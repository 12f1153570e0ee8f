import Foundation
@_exported import simd

/// A moment of an `ARSession`.
public final class ARFrame: NSObject, Sendable {
  /// Seconds on the device's clock.
  public let timestamp: TimeInterval
  /// Where the camera is.
  public let camera: ARCamera

  package init(timestamp: TimeInterval, camera: ARCamera) {
    self.timestamp = timestamp
    self.camera = camera
  }
}

/// The camera at one moment.
public final class ARCamera: NSObject, Sendable {
  /// Camera to ARKit's world (y up), metres. The camera's axes are those of the phone in landscape: x towards the lower
  /// edge, y towards the right edge, z towards the user.
  public let transform: simd_float4x4

  package init(transform: simd_float4x4) { self.transform = transform }
}
