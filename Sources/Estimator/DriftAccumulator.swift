import Geometry
import SensorData

/// Adds up what an inertial trajectory loses relative to itself, from the covariance between now and its oldest kept pose.
///
/// Whoever remembers where the device was believed to be `T` ago errs about the way since then by
///
///     D(T) = Cov(p - p_0) + (C_0 - Cov(p_0))
///
/// with the kept pose `p_0` as it is believed by now, and its covariance `C_0` when it was taken: what was learnt of it since moved the
/// path under those who remember. Errors of the estimate are independent of what it has learnt, so the two add up exactly.
///
/// Between two moments of a window the relative error is no random walk (a velocity error lives on), so the mean rate over
/// the window is taken; while no poses are kept (darkness) the growth since the last look, which is faster. What comes right with the light is
/// counted besides, in full and at once (`learn`): who took ranges in the dark remembers places that nobody kept.
struct DriftAccumulator {
  /// Longer than this without a kept pose is a darkness, seconds.
  private static let darkness = 0.5

  private(set) var total = AccumulatedDrift()
  /// What had been lost when each kept pose was taken.
  private var lostBefore: [ErrorCovariance.Block: Matrix3] = [:]
  private var reference: ErrorCovariance.Block?
  private var last = AccumulatedDrift()

  /// Looks at the filter after it moved on by `seconds`.
  mutating func update(_ navigation: InertialNavigation, seconds: Double) {
    guard let oldest = navigation.clones.first else { return }
    let age = navigation.time.seconds(since: oldest.timestamp)
    guard age > 0, seconds > 0 else { return }
    var now = Self.relative(navigation, oldest)
    now.position += Self.learnt(navigation, oldest)
    let share = min(seconds / age, 1)
    // Its differences need not be a covariance; its shares are.
    let grown = reference == oldest.block && now.position.trace > 0 ? 1 - last.position.trace / now.position.trace : 0
    total.position += max(share, grown) * now.position
    total.yaw += max(now.yaw * share, reference == oldest.block ? now.yaw - last.yaw : 0)
    reference = oldest.block
    last = now
  }

  /// Looks at what an update told of the poses that were kept since a darkness: all of it has been lost by now.
  mutating func learn(_ navigation: InertialNavigation) {
    let clones = navigation.clones
    lostBefore = Dictionary(uniqueKeysWithValues: clones.map { ($0.block, lostBefore[$0.block] ?? total.position) })
    let gap = clones.indices.dropFirst().last {
      clones[$0].timestamp.seconds(since: clones[$0 - 1].timestamp) > Self.darkness
    }
    guard let gap else { return }
    for clone in clones[gap...] {
      let learnt = Self.learnt(navigation, clone)
      let missing = learnt.trace - (total.position - lostBefore[clone.block]!).trace
      if missing > 0 { total.position += (missing / learnt.trace) * learnt }
    }
  }

  /// What has been learnt of a kept pose's position since it was taken, m^2: a covariance also where linearisation takes too much.
  private static func learnt(_ navigation: InertialNavigation, _ clone: Clone) -> Matrix3 {
    let learnt = clone.takenPositionCovariance - navigation.positionCovariance(of: clone.block)
    return learnt + max(-learnt.smallestEigenvalue, 0) * Matrix3.identity
  }

  /// Counts what the filter's covariance does not show, m^2.
  mutating func add(position: Matrix3) { total.position += position }

  /// Covariance of position and variance of heading of the camera now relative to a kept pose of it,
  /// `dp - dp_0 - theta_0z z x (p - p_0)`.
  private static func relative(_ navigation: InertialNavigation, _ clone: Clone) -> AccumulatedDrift {
    let camera = navigation.camera(of: navigation.state)
    let turn = Vector3(0, 0, 1).cross(camera.worldFromCamera.translation - clone.worldFromCamera.translation)
    let carried = navigation.jacobian(of: camera)
    let p = navigation.covariance.marginal(carried.map(\.0) + [clone.block])
    let sizes = carried.map { navigation.covariance.size(of: $0.0) }
    let n = sizes.reduce(0, +), width = n + Clone.errorSize
    /// What is not zero of the row of the camera's error `now` less the kept one, and the turn's part.
    func row(_ now: Int, turn: Double) -> [(column: Int, value: Double)] {
      var row: [(column: Int, value: Double)] = [], left = 0
      for (part, size) in zip(carried, sizes) {
        for j in 0..<size where part.1[now * size + j] != 0 { row.append((left + j, part.1[now * size + j])) }
        left += size
      }
      row.append((n + now, -1))
      if turn != 0 { row.append((n + 2, -turn)) }
      return row
    }
    func covariance(_ a: [(column: Int, value: Double)], _ b: [(column: Int, value: Double)]) -> Double {
      var sum = 0.0
      for x in a { for y in b { sum += x.value * y.value * p[x.column * width + y.column] } }
      return sum
    }
    let rows = (0..<3).map { row(3 + $0, turn: turn[$0]) }
    var position = Matrix3.zero
    for i in 0..<3 {
      for j in 0...i {
        position[i, j] = covariance(rows[i], rows[j])
        position[j, i] = position[i, j]
      }
    }
    let yaw = row(2, turn: 0)
    return AccumulatedDrift(position: position, yaw: max(covariance(yaw, yaw), 0))
  }
}
