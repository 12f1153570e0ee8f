import CameraGeometry

/// A point with the keyframes that saw it.
package struct LandmarkTrack: Sendable {
  /// One sight of it.
  package struct Sight: Sendable {
    /// Index of the keyframe.
    package var keyframe: Int
    /// Raw pixels.
    package var pixel: SIMD2<Double>
    /// Unit direction, camera axes.
    package var direction: SIMD3<Double>

    /// A sight from its parts.
    package init(keyframe: Int, pixel: SIMD2<Double>, direction: SIMD3<Double>) {
      self.keyframe = keyframe
      self.pixel = pixel
      self.direction = direction
    }
  }

  /// The track's identity; long tracks are several points of one identity.
  package var featureID: Int64
  /// Its sights, keyframes ascending.
  package var sights: [Sight]
  /// Where it is; nil where it has not been found, or is not believed.
  package var landmark: Landmark?

  /// A track from its parts.
  package init(featureID: Int64, sights: [Sight], landmark: Landmark? = nil) {
    self.featureID = featureID
    self.sights = sights
    self.landmark = landmark
  }
}
