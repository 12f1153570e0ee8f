import SensorData

/// Tells what a camera had to look at, from one image's measures and what was followed in it.
package struct ViewJudge {
  /// Mean brightness below which there is no light.
  static let darkLuma = 0.06
  /// Exposure lifts what there is to about half; what stays below this has something on the lens, unless it has structure.
  static let dimLuma = 0.25
  /// Least structure, grey levels from block to block.
  static let leastTexture = 0.6
  /// Less detail than this within blocks is blur; where the turn alone smears so many pixels, already less than that.
  static let leastSharpness = 2.0, largeSmear = 3.7, leastSharpnessInSmear = 3.2
  /// Fewer tracks that were followed from the frame before than this are too few.
  static let fewTracks = 20

  /// What a frame is for the tracker before it is followed: whether corners in it can be of anything at all.
  package static func isWorthLooking(_ light: LightMeter) -> Bool {
    light.meanLuma >= darkLuma && !(light.measures.texture < leastTexture && light.meanLuma < dimLuma)
  }

  /// The verdict.
  ///
  /// - Parameters:
  ///   - followed: tracks that were followed from the frame before.
  ///   - begun: tracks that began.
  ///   - smear: how far the camera's turn moved the image during the exposure, pixels; nil where nobody knows.
  package static func verdict(
    _ light: LightMeter, followed: Int, begun: Int, isFirst: Bool, smear: Double?
  ) -> ViewCondition {
    if light.meanLuma < darkLuma { return .dark }
    if light.measures.texture < leastTexture { return light.meanLuma < dimLuma ? .covered : .blank }
    if followed + (isFirst ? begun : 0) >= fewTracks { return .clear }
    let least = (smear ?? 0) > largeSmear ? leastSharpnessInSmear : leastSharpness
    return light.measures.sharpness < least ? .blurred : followed + begun < fewTracks ? .blank : .clear
  }
}
