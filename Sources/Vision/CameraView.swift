import Geometry

/// One sight of a point: where the camera was, and where the point landed.
package struct CameraView: Sendable {
  /// Pose of the camera.
  package var worldFromCamera: Pose
  /// Where the point was seen, raw pixels.
  package var pixel: SIMD2<Double>
  /// The unit direction that this pixel sees, camera axes.
  package var direction: Vector3

  /// A view from its parts.
  package init(worldFromCamera: Pose, pixel: SIMD2<Double>, direction: Vector3) {
    self.worldFromCamera = worldFromCamera
    self.pixel = pixel
    self.direction = direction
  }
}
