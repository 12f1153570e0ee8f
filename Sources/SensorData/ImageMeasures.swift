/// What a camera had to look at.
public enum ViewCondition: String, Equatable, Sendable, CaseIterable {
  /// Something to follow.
  case clear
  /// No light.
  case dark
  /// Something lies on the lens: little light, and nothing has an edge.
  case covered
  /// Light, and nothing to follow: a blank wall.
  case blank
  /// There is something, but it moved too fast for the exposure.
  case blurred
}

/// What an image says about light and texture.
public struct ImageMeasures: Equatable, Sendable {
  /// Share of pixels near black.
  public var darkShare: Double
  /// Share of pixels near white.
  public var saturatedShare: Double
  /// How much the image varies from block to block of 8x8 pixels, in its poorer direction, grey levels; noise taken out.
  public var texture: Double
  /// How much sharper than its blocks the image is, in its poorer direction: 1 is no detail within a block, noise taken out.
  public var sharpness: Double
  /// Noise of a pixel, 1-sigma, grey levels.
  public var noise: Double
  /// Share of the image's grid cells with a track in them.
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
