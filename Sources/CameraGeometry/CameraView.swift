import Geometry

/// One sight of a point: where the camera was, and where the point landed.
package struct CameraView: Sendable {
  /// Pose of the camera.
  package var worldFromCamera: Pose
  /// Where the point was seen, raw pixels.
  package var pixel: SIMD2<Double>
  /// The unit direction that this pixel sees, camera axes.
  package var direction: Vector3
  /// Which of the triangulation's lenses it was seen through.
  package var lens: Int

  /// A view from its parts.
  package init(worldFromCamera: Pose, pixel: SIMD2<Double>, direction: Vector3, lens: Int = 0) {
    self.worldFromCamera = worldFromCamera
    self.pixel = pixel
    self.direction = direction
    self.lens = lens
  }
}
