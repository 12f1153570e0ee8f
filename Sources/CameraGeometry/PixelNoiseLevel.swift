import SensorData

/// The noise of a camera's features in units of the stated one, from images alone.
///
/// Between two views of a rigid scene the epipolar residual of a feature is noise, whatever the motion, the inertial unit and the mount
/// (`RelativeRotation`). The median of several views' robust deviations over the stated noise is the level. A tracker that is five times
/// worse than stated would otherwise lose all its tracks at the filter's gates before any noise is learnt from those that pass.
package struct PixelNoiseLevel: Sendable {
  /// Most pairs of views that are remembered, some four seconds, and the fewest: one in fifty exceeds
  /// `step` by chance, the median of five then one in ten thousand times.
  private static let most = 16, fewest = 5
  /// The level changes only by this factor at least: it scatters by a tenth, and stated noise is seldom better.
  private static let step = 1.6

  private var pairs = ViewPairs()
  private var levels: [Double] = []
  /// 1-sigma of a feature over the stated one, at least 1.
  package private(set) var level = 1.0

  /// As stated.
  package init() {}

  /// Takes a frame in; features sorted by id.
  ///
  /// - Parameter noise: the stated 1-sigma, pixels.
  /// - Returns: whether the level has changed.
  package mutating func append(_ frame: CameraFrame, lens: LensModel, noise: Double) -> Bool {
    guard !frame.features.isEmpty, let old = pairs.partner(of: frame) else { return false }
    let angle = noise / lens.focalLength
    let common = RelativeRotation.pairs(old.features, frame.features)
    guard let seen = RelativeRotation(common, lens: lens, noise: angle) else { return false }
    levels.append(seen.deviation / angle)
    if levels.count > Self.most { levels.removeFirst() }
    guard levels.count >= Self.fewest else { return false }
    let found = max(levels.sorted()[levels.count / 2], 1)
    guard found > Self.step * level || found * Self.step < level else { return false }
    level = found
    return true
  }
}
