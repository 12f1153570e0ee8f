/// The tracked features of one camera at one time and, where measured, the light.
public struct CameraFrame: Equatable, Sendable {
  /// The camera's own timestamp; the IMU's clock reads `timestamp + CameraCalibration.timeOffset`.
  public var timestamp: Timestamp
  /// Which camera: 0 for cam0, 1 for cam1.
  public var camera: Int
  /// The observed features, sorted by id, each id once; empty in the dark.
  public var features: [FeatureObservation]
  /// Mean brightness, 0 black ... 1 white; nil where it was not measured.
  public var meanLuma: Double?
  /// View condition; nil if not assessed.
  public var view: ViewCondition?
  /// Measures of light and texture; nil if not measured.
  public var measures: ImageMeasures?
  /// Exposure time, seconds; nil if unknown.
  public var exposure: Double?

  /// A frame from its parts.
  public init(
    timestamp: Timestamp, camera: Int = 0, features: [FeatureObservation], meanLuma: Double? = nil,
    view: ViewCondition? = nil, measures: ImageMeasures? = nil, exposure: Double? = nil
  ) {
    self.timestamp = timestamp
    self.camera = camera
    self.features = features
    self.meanLuma = meanLuma
    self.view = view
    self.measures = measures
    self.exposure = exposure
  }
}

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

/// View condition of a camera.
public enum ViewCondition: String, Equatable, Sendable, CaseIterable {
  /// Trackable features.
  case clear
  /// No light.
  case dark
  /// The lens is covered: little light, no edges.
  case covered
  /// Light but no trackable features: a blank wall.
  case blank
  /// Features, but blurred by motion during the exposure.
  case blurred
}

/// Measures of light and texture of an image.
public struct ImageMeasures: Equatable, Sendable {
  /// Fraction of pixels near black.
  public var darkShare: Double
  /// Fraction of pixels near white.
  public var saturatedShare: Double
  /// Variation between blocks of 8x8 pixels, in the weaker direction, grey levels; noise subtracted.
  public var texture: Double
  /// Sharpness of pixels relative to blocks, in the weaker direction: 1 is no detail within a block; noise subtracted.
  public var sharpness: Double
  /// Noise of a pixel, 1-sigma, grey levels.
  public var noise: Double
  /// Fraction of the image's grid cells that contain a track.
  public var coverage: Double

  /// Measures from their parts.
  public init(
    darkShare: Double, saturatedShare: Double, texture: Double, sharpness: Double, noise: Double, coverage: Double
  ) {
    self.darkShare = darkShare
    self.saturatedShare = saturatedShare
    self.texture = texture
    self.sharpness = sharpness
    self.noise = noise
    self.coverage = coverage
  }
}
