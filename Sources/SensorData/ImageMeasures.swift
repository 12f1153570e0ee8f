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
