/// Settings of the visual-inertial filter. The defaults serve every recording; each says its unit.
package struct VisualInertialConfiguration: Equatable, Sendable {
  /// Most clones, the newest included.
  package var windowSize = 12
  /// Parallax since the last keyframe, in sigmas of the pixel noise, below which a clone is removed before older ones.
  package var keptParallax = 1.0
  /// Most tracks of one update.
  package var mostTracks = 60
  /// Most landmarks in the state.
  package var mostLandmarks = 30
  /// Time after which a provisional initialisation is accepted, seconds.
  package var patience = 2.0
  /// Whether the features' noise is learnt from the images (`PixelNoiseLevel`) where it exceeds the stated.
  package var learnsPixelNoise = false
  /// Settings of online calibration.
  package var calibration = CalibrationConfiguration()

  /// The defaults.
  package init() {}
}
