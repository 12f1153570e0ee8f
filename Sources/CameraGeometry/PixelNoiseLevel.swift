import LeastSquares
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
    let found = max(levels.median ?? 1, 1)
    guard found > Self.step * level || found * Self.step < level else { return false }
    level = found
    return true
  }
}

/// Pairs of frames of one camera, a fifth of a second apart, at most four a second.
package struct ViewPairs: Sendable {
  /// Seconds between the frames of a pair, and between pairs.
  package static let span = 0.2, spacing = 0.24

  private var frames: [CameraFrame] = []
  private var last: Timestamp?

  /// No frames yet.
  package init() {}

  /// Takes a frame in, in time order; its partner where a pair is due.
  package mutating func partner(of frame: CameraFrame) -> CameraFrame? {
    frames.append(frame)
    let now = frame.timestamp
    while frames.count > 2, now.seconds(since: frames[1].timestamp) >= Self.span - 1e-6 { frames.removeFirst() }
    guard let old = frames.first, now.seconds(since: old.timestamp) >= 0.75 * Self.span,
      now.seconds(since: old.timestamp) <= 0.5,
      now.seconds(since: last ?? Timestamp(nanoseconds: .min)) >= Self.spacing - 1e-6
    else { return nil }
    last = now
    return old
  }
}
