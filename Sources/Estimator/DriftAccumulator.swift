import Geometry
import SensorData

/// Adds up what an inertial trajectory loses relative to itself, from the covariance between now and its oldest kept pose.
///
/// Between two moments of a window the relative error is no random walk (a velocity error lives on), so the mean rate over
/// the window is taken; while no poses are kept (darkness) the growth since the last look, which is faster. The position's own
/// variance counts too, both ways, whenever it has doubled or halved: in the dark a velocity error outlives the window, and what light
/// then takes away from the variance is how far it moves the device. Small changes, up and down with every frame, are no drift.
struct DriftAccumulator {
  private(set) var total = AccumulatedDrift()
  private var reference: ErrorCovariance.Block?
  private var last = AccumulatedDrift()
  private var lastVariance: Double?

  /// Looks at the filter after it moved on by `seconds`.
  mutating func update(_ navigation: InertialNavigation, seconds: Double) {
    guard let oldest = navigation.clones.first else { return }
    let age = navigation.time.seconds(since: oldest.timestamp)
    guard age > 0, seconds > 0 else { return }
    let now = Self.relative(navigation, oldest)
    let share = min(seconds / age, 1)
    let grown = reference == oldest.block ? now - last : AccumulatedDrift()
    let variance = Self.position(navigation)
    let changed = abs(variance - (lastVariance ?? variance))
    total.position += max(now.position * share, grown.position)
    if lastVariance.map({ variance > 2 * $0 || 2 * variance < $0 }) ?? true {
      total.position += changed
      lastVariance = variance
    }
    total.yaw += max(now.yaw * share, grown.yaw)
    reference = oldest.block
    last = now
  }

  mutating func add(positionVariance: Double) { total.position += positionVariance }

  /// Variance of the position itself, mean over the axes, m^2.
  private static func position(_ navigation: InertialNavigation) -> Double {
    let n = navigation.covariance.size(of: navigation.poseBlock)
    let p = navigation.covariance.marginal([navigation.poseBlock])
    return (3..<6).reduce(0) { $0 + p[$1 * n + $1] } / 3
  }

  /// Variance of position (per axis) and heading now relative to a kept pose: `dp - dp_0 - theta_0z z x (p - p_0)`.
  private static func relative(_ navigation: InertialNavigation, _ clone: Clone) -> AccumulatedDrift {
    let turn = Vector3(0, 0, 1).cross(navigation.worldFromNavigation.translation - clone.worldFromIMU.translation)
    let n = navigation.covariance.size(of: navigation.poseBlock)
    let width = n + 6
    let p = navigation.covariance.marginal([navigation.poseBlock, clone.block])
    func variance(_ terms: [(Int, Double)]) -> Double {
      var sum = 0.0
      for (i, a) in terms { for (j, b) in terms { sum += a * b * p[i * width + j] } }
      return max(sum, 0)
    }
    var position = 0.0
    for k in 0..<3 { position += variance([(3 + k, 1), (n + 3 + k, -1), (n + 2, -turn[k])]) / 3 }
    return AccumulatedDrift(position: position, yaw: variance([(2, 1), (n + 2, -1)]))
  }
}
