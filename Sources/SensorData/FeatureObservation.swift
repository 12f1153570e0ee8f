/// Position of one tracked feature in one frame: raw (distorted) pixels.
@frozen
public struct FeatureObservation: Equatable, Sendable {
  /// The track's identity, stable while the track lives.
  public var featureID: Int64
  /// Column, pixels.
  public var u: Double
  /// Row, pixels.
  public var v: Double
  /// Seconds from the frame's time to the exposure of the feature's row; 0 in recordings, where the calibration says it
  /// (`CameraCalibration.rowTime`).
  public var rowDelay = 0.0

  /// An observation from its parts.
  @inlinable public init(featureID: Int64, u: Double, v: Double) {
    self.featureID = featureID
    self.u = u
    self.v = v
  }
}
