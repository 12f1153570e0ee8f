import CameraGeometry
import Geometry
import SensorData

/// Position update while the device hovers: a nearly still image, compensated for rotation, bounds the translation by
/// the parallax at common distances.
///
/// A bearing-only filter needs this in a stationary or trembling hand. Without parallax no distance is observable: "far
/// and moving" fits the image as well as "near and stationary", and the accelerometer bias decides. The update is a
/// position measurement against an anchor, `p - p_a ~ N(0, (D parallax)^2)`. The anchor's position is a state, so that
/// repeated updates do not accumulate information. With parallax the bound becomes wide and carries no information.
struct HoverUpdate {
  /// Distance that few objects around a hand exceed, metres: converts parallax to a bound on translation.
  static let distance = 8.0
  /// Hand jitter not visible in the median parallax, metres.
  static let jitter = 0.02
  /// Widest useful bound, metres; beyond it the anchor is replaced.
  static let widest = 0.4
  /// NIS above which the bound is rejected if there is parallax: the mean of three coordinates for a bound no wider
  /// than the motion, though it is meant to be wider. The scene is then farther away than assumed, and walking through
  /// a hall would be pulled back at every step.
  static let refuted = 3.0
  /// Median parallax, in sigmas of a pixel, below which there is none: three sigmas of the difference of two
  /// observations.
  private static let noParallaxSigmas = 4.2
  /// Least time between updates, seconds: bounds from one anchor have correlated errors.
  static let interval = 0.5
  /// Fewest common features for an update.
  static let fewest = 10

  private struct Anchor {
    var block: ErrorCovariance.Block
    var worldFromCamera: Rotation
    /// Directions in the camera's axes, by feature id.
    var bearings: [Int64: Vector3]
    var lastUse: Timestamp
    /// Variance of the last bound, m^2 per axis; 0 before the first.
    var boundVariance = 0.0
  }
  private var anchor: Anchor?

  /// Processes a frame at the filter's time; updates the filter if the anchor bounds its motion.
  mutating func apply(_ frame: CameraFrame, camera: FilterCamera, to filter: InertialNavigation) {
    let worldFromCamera = filter.worldFromNavigation.rotation * filter.mount.imuFromCamera.rotation
    let bearings = Dictionary(
      frame.features.compactMap { f in camera.lens.direction(ofPixel: SIMD2(f.u, f.v)).map { (f.featureID, $0) } },
      uniquingKeysWith: { first, _ in first })
    guard let now = anchor, let parallax = Self.parallax(now, bearings, worldFromCamera),
      parallax * Self.distance <= Self.widest
    else { return replaceAnchor(bearings, worldFromCamera, filter) }
    guard filter.time.seconds(since: now.lastUse) >= Self.interval else { return }
    anchor!.lastUse = filter.time

    let bound = parallax * Self.distance
    let variance = Self.jitter * Self.jitter + bound * bound
    let width = filter.covariance.size(of: filter.poseBlock)
    var pose = [Double](repeating: 0, count: 3 * width)
    var anchorJacobian = [Double](repeating: 0, count: 9)
    for k in 0..<3 {
      pose[k * width + 3 + k] = 1
      anchorJacobian[k * 3 + k] = -1
    }
    let held = filter.vector(now.block)
    let p = filter.worldFromNavigation.translation
    let jacobian = [(filter.poseBlock, pose), (now.block, anchorJacobian)]
    let residual = [held[0] - p.x, held[1] - p.y, held[2] - p.z]
    let noise = [Double](repeating: variance, count: 3)
    guard let nis = filter.covariance.normalizedInnovation(jacobian: jacobian, residual: residual, noise: noise),
      nis <= Self.refuted || parallax * camera.lens.focalLength <= Self.noParallaxSigmas * camera.pixelNoise
    else { return }
    // Beyond the bound with a still image, either the state is overconfident or the scene very far away. The noise is
    // inflated until the innovation is three sigmas.
    let inflation = max(nis / 9, 1)
    let result = filter.covariance.update(jacobian: jacobian, residual: residual, noise: noise.map { $0 * inflation })
    if case .accepted(_, let correction) = result { filter.apply(correction) }
    anchor!.boundVariance = variance
  }

  /// Removes the anchor from the filter.
  mutating func end(_ filter: InertialNavigation) {
    if let anchor { filter.removeVector(anchor.block) }
    anchor = nil
  }

  private mutating func replaceAnchor(
    _ bearings: [Int64: Vector3], _ worldFromCamera: Rotation, _ filter: InertialNavigation
  ) {
    if let old = anchor {
      filter.removeVector(old.block)
      // The motion of a hovering hand below the bound accumulates from anchor to anchor as drift; range updates must
      // not take it for motion. With parallax, the observations estimate the motion, and its covariance contains the
      // uncertainty.
      if old.boundVariance < 9 * Self.jitter * Self.jitter { filter.addDrift(positionVariance: old.boundVariance) }
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

  /// Median rotation-compensated angle of the features since the anchor, radians; nil with too few in common.
  private static func parallax(_ anchor: Anchor, _ bearings: [Int64: Vector3], _ worldFromCamera: Rotation) -> Double? {
    let nowFromThen = worldFromCamera.inverse * anchor.worldFromCamera
    let angles = bearings.compactMap { id, now in
      anchor.bearings[id].map { (nowFromThen * $0).cross(now).norm }
    }.sorted()
    return angles.count >= fewest ? angles[angles.count / 2] : nil
  }
}
