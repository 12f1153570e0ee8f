import SensorData

/// Classifies what a camera sees, from one image's measures and its tracks.
package struct ViewClassifier {
  /// Mean brightness below which there is no light.
  static let darkLuma = 0.06
  /// Auto-exposure raises the brightness to about half; below this the lens is covered, unless there is structure.
  static let dimLuma = 0.25
  /// Least structure, grey levels from block to block.
  static let leastTexture = 0.6
  /// Sharpness below which the image is blurred; where the rotation alone smears it over that many pixels, the larger
  /// limit.
  static let leastSharpness = 2.0, largeSmear = 3.7, leastSharpnessInSmear = 3.2
  /// Least number of tracks from the previous frame.
  static let fewTracks = 20

  /// Whether a frame can contain corners at all, before tracking.
  package static func mayHaveCorners(_ light: LightMeter) -> Bool {
    light.meanLuma >= darkLuma && !(light.measures.texture < leastTexture && light.meanLuma < dimLuma)
  }

  /// The view condition.
  ///
  /// - Parameters:
  ///   - followed: tracks continued from the previous frame.
  ///   - begun: tracks that began.
  ///   - smear: motion blur by rotation during the exposure, pixels; nil if unknown.
  package static func condition(
    _ light: LightMeter, followed: Int, begun: Int, isFirst: Bool, smear: Double?
  ) -> ViewCondition {
    if light.meanLuma < darkLuma { return .dark }
    if light.measures.texture < leastTexture { return light.meanLuma < dimLuma ? .covered : .blank }
    if followed + (isFirst ? begun : 0) >= fewTracks { return .clear }
    let least = (smear ?? 0) > largeSmear ? leastSharpnessInSmear : leastSharpness
    return light.measures.sharpness < least ? .blurred : followed + begun < fewTracks ? .blank : .clear
  }
}
