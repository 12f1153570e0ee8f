import Geometry
import SensorData
import CameraGeometry

/// Holds a hand that stays where it is: while the picture, but for its turning, stands still, the device cannot have moved
/// by more than the parallax allows at the distances that are common around a hand.
///
/// A bearing-only filter needs this in a standing or trembling hand. There, no parallax tells the distance of anything, so
/// "far away and moving" explains the picture as well as "near and at rest", and the accelerometer's bias decides. The
/// constraint is a position measurement against an anchor, `p - p_a ~ N(0, (D parallax)^2)`, with the anchor's position as
/// part of the state, so that standing does not add up. As soon as there is parallax it says nothing any more.
struct HoverUpdate {
  /// Distance that few things around a hand exceed, metres: turns parallax into a bound of motion.
  static let distance = 8.0
  /// Hand jitter that the median parallax does not show, metres.
  static let jitter = 0.02
  /// A bound wider than this says nothing: the anchor is set anew, metres.
  static let widest = 0.4
  /// Normalised squared innovation from which on the bound is refuted where there is parallax: what three coordinates have on average
  /// if the bound is no wider than the motion, and it is meant to be wider. The scene is then farther than assumed, and a walk
  /// through a hall would be drawn back at every step.
  static let refuted = 3.0
  /// Median parallax, in sigmas of a pixel, below which there is none: three of the difference of two sights.
  static let standing = 4.2
  /// Bounds from one anchor err alike, so they are not used more often, seconds.
  static let interval = 0.5
  /// Fewest common features for a verdict.
  static let fewest = 10

  private struct Anchor {
    var block: ErrorCovariance.Block
    var worldFromCamera: Rotation
    /// Directions in the camera's axes, by feature id.
    var bearings: [Int64: Vector3]
    var lastUse: Timestamp
    /// Variance of the last bound, m^2 per axis; 0 before the first.
    var doubt = 0.0
  }
  private var anchor: Anchor?

  /// Looks at a frame that the filter stands at; updates the filter when the anchor bounds its motion.
  mutating func apply(_ frame: CameraFrame, camera: FilterCamera, to filter: InertialNavigation) {
    let worldFromCamera = filter.worldFromNavigation.rotation * filter.mount.imuFromCamera.rotation
    let bearings = Dictionary(
      frame.features.compactMap { f in camera.lens.direction(ofPixel: SIMD2(f.u, f.v)).map { (f.featureID, $0) } },
      uniquingKeysWith: { first, _ in first })
    guard let now = anchor, let parallax = Self.parallax(now, bearings, worldFromCamera),
      parallax * Self.distance <= Self.widest
    else { return drop(bearings, worldFromCamera, filter) }
    guard filter.time.seconds(since: now.lastUse) >= Self.interval else { return }
    anchor!.lastUse = filter.time

    let bound = parallax * Self.distance
    let variance = Self.jitter * Self.jitter + bound * bound
    let width = filter.covariance.size(of: filter.poseBlock)
    var pose = [Double](repeating: 0, count: 3 * width)
    var place = [Double](repeating: 0, count: 9)
    for k in 0..<3 {
      pose[k * width + 3 + k] = 1
      place[k * 3 + k] = -1
    }
    let held = filter.vector(now.block)
    let p = filter.worldFromNavigation.translation
    let jacobian = [(filter.poseBlock, pose), (now.block, place)]
    let residual = [held[0] - p.x, held[1] - p.y, held[2] - p.z]
    let noise = [Double](repeating: variance, count: 3)
    guard let nis = filter.covariance.normalizedInnovation(jacobian: jacobian, residual: residual, noise: noise),
      nis <= Self.refuted || parallax * camera.lens.focalLength <= Self.standing * camera.pixelNoise
    else { return }
    // Beyond the bound though the picture stands, a state is over-confident, or the scene very far: both are met half way, by noise
    // that makes the contradiction one of three sigmas.
    let doubt = max(nis / 9, 1)
    let result = filter.covariance.update(jacobian: jacobian, residual: residual, noise: noise.map { $0 * doubt })
    if case .accepted(_, let correction) = result { filter.apply(correction) }
    anchor!.doubt = variance
  }

  /// Forgets the anchor.
  mutating func end(_ filter: InertialNavigation) {
    if let anchor { filter.removeVector(anchor.block) }
    anchor = nil
  }

  /// Forgets the anchor; its filter is gone.
  mutating func reset() { anchor = nil }

  private mutating func drop(_ bearings: [Int64: Vector3], _ worldFromCamera: Rotation, _ filter: InertialNavigation) {
    if let old = anchor {
      filter.removeVector(old.block)
      // From one anchor to the next, what a hovering hand did below the bound adds up: whoever watches ranges must not take
      // it for motion. Where there was parallax, the picture told the motion and its covariance shows the doubt.
      if old.doubt < 9 * Self.jitter * Self.jitter { filter.addDrift(positionVariance: old.doubt) }
    }
    anchor = nil
    guard bearings.count >= Self.fewest else { return }
    let width = filter.covariance.size(of: filter.poseBlock)
    var copy = [Double](repeating: 0, count: 3 * width)
    for k in 0..<3 { copy[k * width + 3 + k] = 1 }
    let p = filter.worldFromNavigation.translation
    guard let block = filter.augment([p.x, p.y, p.z], jacobian: [(filter.poseBlock, copy)], independent: []) else {
      return
    }
    anchor = Anchor(block: block, worldFromCamera: worldFromCamera, bearings: bearings, lastUse: filter.time)
  }

  /// Median angle, radians, between where features are and where mere turning since the anchor would put them; nil with too
  /// few in common.
  private static func parallax(_ anchor: Anchor, _ bearings: [Int64: Vector3], _ worldFromCamera: Rotation) -> Double? {
    let nowFromThen = worldFromCamera.inverse * anchor.worldFromCamera
    let angles = bearings.compactMap { id, now in
      anchor.bearings[id].map { (nowFromThen * $0).cross(now).norm }
    }.sorted()
    return angles.count >= fewest ? angles[angles.count / 2] : nil
  }
}
