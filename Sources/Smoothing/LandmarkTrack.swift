import CameraGeometry

/// A point and its observations in keyframes.
package struct LandmarkTrack: Sendable {
  /// One observation of it.
  package struct Observation: Sendable {
    /// Index of the keyframe.
    package var keyframe: Int
    /// Raw pixels.
    package var pixel: SIMD2<Double>
    /// Unit direction, camera axes.
    package var direction: SIMD3<Double>

    /// An observation from its parts.
    package init(keyframe: Int, pixel: SIMD2<Double>, direction: SIMD3<Double>) {
      self.keyframe = keyframe
      self.pixel = pixel
      self.direction = direction
    }
  }

  /// The track's id; a long track is split into several points with the same id.
  package var featureID: Int64
  /// Its observations, keyframes ascending.
  package var observations: [Observation]
  /// Its estimate; nil while it is not triangulated.
  package var landmark: Landmark?

  /// A track from its parts.
  package init(featureID: Int64, observations: [Observation], landmark: Landmark? = nil) {
    self.featureID = featureID
    self.observations = observations
    self.landmark = landmark
  }
}
