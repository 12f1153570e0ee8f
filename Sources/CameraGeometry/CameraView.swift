import Geometry

/// One observation of a point: camera pose and pixel.
package struct CameraView: Sendable {
  /// Pose of the camera.
  package var worldFromCamera: Pose
  /// Observed position, raw pixels.
  package var pixel: SIMD2<Double>
  /// Unit direction of this pixel, camera axes.
  package var direction: Vector3
  /// Index of the lens among the triangulation's lenses.
  package var lens: Int

  /// A view from its parts.
  package init(worldFromCamera: Pose, pixel: SIMD2<Double>, direction: Vector3, lens: Int = 0) {
    self.worldFromCamera = worldFromCamera
    self.pixel = pixel
    self.direction = direction
    self.lens = lens
  }
}
