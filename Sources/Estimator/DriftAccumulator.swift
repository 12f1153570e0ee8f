import Geometry
import SensorData

/// Adds up what an inertial trajectory loses relative to itself, from the covariance between now and its oldest kept pose.
///
/// Between two moments of a window the relative error is no random walk (a velocity error lives on), so the mean rate over
/// the window is taken; while no poses are kept (darkness) the growth since the last look, which is faster.
struct DriftAccumulator {
  private(set) var total = AccumulatedDrift()
  private var reference: ErrorCovariance.Block?
  private var last = AccumulatedDrift()

  /// Looks at the filter after it moved on by `seconds`.
  mutating func update(_ navigation: InertialNavigation, seconds: Double) {
    guard let oldest = navigation.clones.first else { return }
    let age = navigation.time.seconds(since: oldest.timestamp)
    guard age > 0, seconds > 0 else { return }
    let now = Self.relative(navigation, oldest)
    let share = min(seconds / age, 1)
    let grown = reference == oldest.block ? now - last : AccumulatedDrift()
    total.position += max(now.position * share, grown.position)
    total.yaw += max(now.yaw * share, grown.yaw)
    reference = oldest.block
    last = now
  }

  mutating func add(positionVariance: Double) { total.position += positionVariance }

  /// Variance of position (per axis) and heading of the camera now relative to a kept pose of it:
  /// `dp - dp_0 - theta_0z z x (p - p_0)`.
  private static func relative(_ navigation: InertialNavigation, _ clone: Clone) -> AccumulatedDrift {
    let camera = navigation.camera(of: navigation.state)
    let turn = Vector3(0, 0, 1).cross(camera.worldFromCamera.translation - clone.worldFromCamera.translation)
    let carried = navigation.jacobian(of: camera)
    let p = navigation.covariance.marginal(carried.map(\.0) + [clone.block])
    let sizes = carried.map { navigation.covariance.size(of: $0.0) }
    let n = sizes.reduce(0, +), width = n + Clone.errorSize
    /// The row of the camera's error `now` less the kept one, and the turn's part.
    func variance(_ now: Int, turn: Double) -> Double {
      var row = [Double](repeating: 0, count: width), left = 0
      for (part, size) in zip(carried, sizes) {
        for j in 0..<size { row[left + j] = part.1[now * size + j] }
        left += size
      }
      row[n + now] -= 1
      row[n + 2] -= turn
      var sum = 0.0
      for i in 0..<width where row[i] != 0 { for j in 0..<width { sum += row[i] * row[j] * p[i * width + j] } }
      return max(sum, 0)
    }
    let position = (0..<3).reduce(0) { $0 + variance(3 + $1, turn: turn[$1]) / 3 }
    return AccumulatedDrift(position: position, yaw: variance(2, turn: 0))
  }
}
