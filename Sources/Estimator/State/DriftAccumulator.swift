import Geometry
import SensorData

/// Accumulates the drift of an inertial trajectory relative to itself, from the covariance between now and the oldest
/// clone.
///
/// The displacement since the device's estimated position a time `T` ago has the error covariance
///
///     D(T) = Cov(p - p_0) + (C_0 - Cov(p_0))
///
/// with `p_0` the position of the clone as estimated now, and `C_0` its covariance at cloning. The second term is the
/// information gained on `p_0` since then: it shifted the past path. Errors of an estimate are independent of the
/// corrections it received, so the terms add up exactly.
///
/// Within the window the relative error is no random walk, because a velocity error persists; the mean rate over the
/// window is used. Without new clones (visual outage) the error grows faster, and its growth since the last update is
/// used. Corrections after an outage are added at once and in full (`addCorrections`), because ranges received during
/// it refer to positions of which there is no clone.
struct DriftAccumulator {
  /// Time between clones beyond which there was a visual outage, seconds.
  private static let visualOutage = 0.5

  private(set) var total = AccumulatedDrift()
  /// Accumulated position drift when each clone was created.
  private var driftAtCloning: [ErrorCovariance.Block: Matrix3] = [:]
  private var reference: ErrorCovariance.Block?
  private var last = AccumulatedDrift()

  /// Adds the drift of a propagation over `seconds`.
  mutating func update(_ navigation: InertialNavigation, seconds: Double) {
    guard let oldest = navigation.clones.first else { return }
    let age = navigation.time.seconds(since: oldest.timestamp)
    guard age > 0, seconds > 0 else { return }
    var now = Self.relative(navigation, oldest)
    now.position += Self.correction(navigation, oldest)
    let fraction = min(seconds / age, 1)
    // Differences need not be positive semidefinite; multiples of the covariance are.
    let growth = reference == oldest.block && now.position.trace > 0 ? 1 - last.position.trace / now.position.trace : 0
    total.position += max(fraction, growth) * now.position
    total.yaw += max(now.yaw * fraction, reference == oldest.block ? now.yaw - last.yaw : 0)
    reference = oldest.block
    last = now
  }

  /// Adds the corrections of the clones created since a visual outage: all of that is drift.
  mutating func addCorrections(_ navigation: InertialNavigation) {
    let clones = navigation.clones
    driftAtCloning = Dictionary(
      uniqueKeysWithValues: clones.map { ($0.block, driftAtCloning[$0.block] ?? total.position) })
    let gap = clones.indices.dropFirst().last {
      clones[$0].timestamp.seconds(since: clones[$0 - 1].timestamp) > Self.visualOutage
    }
    guard let gap else { return }
    for clone in clones[gap...] {
      let correction = Self.correction(navigation, clone)
      let missing = correction.trace - (total.position - driftAtCloning[clone.block]!).trace
      if missing > 0 { total.position += (missing / correction.trace) * correction }
    }
  }

  /// Correction of a clone's position since cloning, m^2, made positive semidefinite where linearisation removed too
  /// much.
  private static func correction(_ navigation: InertialNavigation, _ clone: Clone) -> Matrix3 {
    let correction = clone.positionCovarianceAtCloning - navigation.positionCovariance(of: clone.block)
    return correction + max(-correction.smallestEigenvalue, 0) * Matrix3.identity
  }

  /// Adds drift that the filter's covariance does not contain, m^2.
  mutating func add(position: Matrix3) { total.position += position }

  /// Covariance of position and variance of heading of the present camera relative to a clone, `dp - dp_0 - theta_0z z
  /// x (p - p_0)`.
  private static func relative(_ navigation: InertialNavigation, _ clone: Clone) -> AccumulatedDrift {
    let camera = navigation.camera(of: navigation.state)
    let yawLever = Vector3(0, 0, 1).cross(camera.worldFromCamera.translation - clone.worldFromCamera.translation)
    let carried = navigation.jacobian(of: camera)
    let p = navigation.covariance.marginal(carried.map(\.0) + [clone.block])
    let sizes = carried.map { navigation.covariance.size(of: $0.0) }
    let n = sizes.reduce(0, +), width = n + Clone.errorSize
    /// Non-zero entries of one row of the Jacobian: present camera minus clone, and the heading term.
    func row(_ now: Int, yawLever: Double) -> [(column: Int, value: Double)] {
      var row: [(column: Int, value: Double)] = [], left = 0
      for (part, size) in zip(carried, sizes) {
        for j in 0..<size where part.1[now * size + j] != 0 { row.append((left + j, part.1[now * size + j])) }
        left += size
      }
      row.append((n + now, -1))
      if yawLever != 0 { row.append((n + 2, -yawLever)) }
      return row
    }
    func covariance(_ a: [(column: Int, value: Double)], _ b: [(column: Int, value: Double)]) -> Double {
      var sum = 0.0
      for x in a { for y in b { sum += x.value * y.value * p[x.column * width + y.column] } }
      return sum
    }
    let rows = (0..<3).map { row(3 + $0, yawLever: yawLever[$0]) }
    var position = Matrix3.zero
    for i in 0..<3 {
      for j in 0...i {
        position[i, j] = covariance(rows[i], rows[j])
        position[j, i] = position[i, j]
      }
    }
    let yaw = row(2, yawLever: 0)
    return AccumulatedDrift(position: position, yaw: max(covariance(yaw, yaw), 0))
  }
}

/// Drift of a trajectory relative to itself since its start, as monotonic sums. The difference of two values is the
/// drift in between.
package struct AccumulatedDrift: Equatable, Sendable {
  /// Covariance of position, 3 x 3, world axes, m^2.
  package var position = Matrix3.zero
  /// Variance of heading, rad^2.
  package var yaw = 0.0

  package init(position: Matrix3 = .zero, yaw: Double = 0) {
    self.position = position
    self.yaw = yaw
  }

  /// Isotropic: `positionVariance` per axis, m^2.
  package init(positionVariance: Double, yaw: Double = 0) {
    self.init(position: positionVariance * Matrix3.identity, yaw: yaw)
  }

  /// Variance of position per axis, the mean over all directions, m^2.
  package var positionVariance: Double { position.trace / 3 }

  package static func - (a: AccumulatedDrift, b: AccumulatedDrift) -> AccumulatedDrift {
    let grown = a.position - b.position
    return AccumulatedDrift(position: grown.trace > 0 ? grown : .zero, yaw: max(a.yaw - b.yaw, 0))
  }
}
