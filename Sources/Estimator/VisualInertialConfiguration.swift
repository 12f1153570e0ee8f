/// Settings of the visual-inertial filter. The defaults serve every recording; each says its unit.
package struct VisualInertialConfiguration: Equatable, Sendable {
  /// Most poses kept, the newest included.
  package var windowSize = 12
  /// Parallax since the last kept pose, in sigmas of the pixel noise, below which a pose is given up before older ones.
  package var keptParallax = 1.0
  /// Most tracks of one update.
  package var mostTracks = 60
  /// Most points kept in the state.
  package var mostLandmarks = 30
  /// How long to wait for a quiet moment before starting in motion, seconds.
  package var patience = 2.0
  /// What of the calibration is estimated on the way.
  package var calibration = CalibrationConfiguration()

  /// The defaults.
  package init() {}
}
