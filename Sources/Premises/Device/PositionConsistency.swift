import Foundation
import Geometry
import LeastSquares
import SensorData

/// Tests another tracker's positions against the accelerometer beside it.
///
/// Over three poses at t0 < t1 < t2, T apart, the change of the mean velocity is known twice, whatever the velocity: from the positions,
/// `y = (p2 - p1) / (t2 - t1) - (p1 - p0) / (t1 - t0)`, and from the doubly integrated specific force X, carried into the tracker's world by its own attitude,
/// `s = R (X2 - X1) / (t2 - t1) - R (X1 - X0) / (t1 - t0) + g (t2 - t0) / 2`. Under every hypothesis the accelerometer's bias b and an error c of gravity (the
/// tracker's world is tilted) are free, with a prior: `s - y = (R b + c) (t2 - t0) / 2`. Alternatives: y in other axes (`A y = s`, A a signed permutation), positions of the world in the device (`-R p`),
/// positions that have nothing to do with s. Log likelihoods are compared (`LikelihoodRatio`).
package struct PositionConsistency {
  /// What explains the positions best.
  package enum Cause: Equatable {
    /// The attitudes' axes from the positions'.
    case axes(Matrix3)
    /// Positions of the world in the device.
    case inverse
    /// Nothing that was tried: they do not follow the accelerometer.
    case unrelated
  }

  /// T, and the time between observations, seconds; poses that are farther apart are not compared.
  private static let lag = 0.4, stride = 0.2, longestGap = 0.15
  /// Observations that are kept, and the fewest that are tested.
  private static let most = 60, fewest = 8
  /// Independent values in one of the three numbers of an observation: neighbours overlap.
  private static let weight = 0.5
  /// 1-sigma of y - s of a good tracker, m/s: two millimetres of a position; a worse one's level is profiled out. Square deviates count up to the cap.
  private static let sigma = 0.02, cap = 200.0
  /// Prior 1-sigma of b and of c, m/s^2: a phone's, and three degrees.
  private static let bias = 0.5
  private static let gravity = Vector3(0, 0, -9.81)

  private struct Observation {
    /// y of the positions as they are written, and of `-R p`, m/s.
    var written: Vector3, inverse: Vector3
    /// s, m/s.
    var force: Vector3
    /// The inertial unit's attitude in the tracker's world.
    var worldFromIMU: Matrix3
    /// `(t2 - t0) / 2`, seconds.
    var seconds: Double
  }

  package init() {}

  /// Poses of the inertial unit in the tracker's world that are still of use, oldest first.
  private var poses: [(time: Timestamp, worldFromIMU: Pose)] = []
  private var observations: [Observation] = []
  private var lastEnd: Timestamp?

  /// Observations so far.
  package var count: Int { observations.count }

  /// Takes a pose of the inertial unit in the tracker's world in; compares those that the history covers.
  package mutating func append(_ worldFromIMU: Pose, at time: Timestamp, _ history: InertialHistory) {
    if let last = poses.last?.time, time.seconds(since: last) <= 0 { poses.removeAll() }
    poses.append((time, worldFromIMU))
    guard let newest = history.newest, let end = poses.last(where: { $0.time <= newest }) else { return }
    poses.removeAll { end.time.seconds(since: $0.time) > 2 * Self.lag + Self.longestGap }
    if let lastEnd, abs(end.time.seconds(since: lastEnd)) < Self.stride { return }
    guard let middle = pose(Self.lag, before: end.time), let start = pose(2 * Self.lag, before: end.time),
      let x0 = history.node(at: start.time), let x1 = history.node(at: middle.time),
      let x2 = history.node(at: end.time)
    else { return }
    let (first, second) = (middle.time.seconds(since: start.time), end.time.seconds(since: middle.time))
    func change(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Vector3 { (c - b) / second - (b - a) / first }
    let worldFromHistory = middle.worldFromIMU.rotation * x1.rotation.inverse
    let (p0, p1, p2) = (start.worldFromIMU, middle.worldFromIMU, end.worldFromIMU)
    let seconds = 0.5 * (first + second)
    let force = worldFromHistory * change(x0.position, x1.position, x2.position) + seconds * Self.gravity
    func inverted(_ pose: Pose) -> Vector3 { -(pose.rotation * pose.translation) }
    lastEnd = end.time
    observations.append(
      Observation(
        written: change(p0.translation, p1.translation, p2.translation),
        inverse: change(inverted(p0), inverted(p1), inverted(p2)), force: force,
        worldFromIMU: middle.worldFromIMU.rotation.matrix, seconds: seconds))
    if observations.count > Self.most { observations.removeFirst() }
  }

  /// The tracker begins in a world of its own.
  mutating func restart() { poses.removeAll() }

  private func pose(_ seconds: Double, before end: Timestamp) -> (time: Timestamp, worldFromIMU: Pose)? {
    let wanted = end.advanced(bySeconds: -seconds)
    let nearest = poses.min { abs($0.time.seconds(since: wanted)) < abs($1.time.seconds(since: wanted)) }
    return nearest.flatMap { abs($0.time.seconds(since: wanted)) < Self.longestGap ? $0 : nil }
  }

  /// The best alternative and its log likelihood ratio against the positions as they are written, all costs paid; nil before there are enough.
  ///
  /// Cost: O(observations), 50 alternatives.
  package func test() -> (cause: Cause, ratio: Double)? {
    guard count >= Self.fewest else { return nil }
    let constants = ConstantFit(observations)
    func squares(_ written: (Observation) -> Vector3) -> Double {
      constants.squares(observations.map { $0.force - written($0) })
    }
    let null = squares(\.written)
    let test = LikelihoodRatio(count: Int(Self.weight * Double(3 * count)))
    guard null > Double(3 * count) else { return (.unrelated, 0) }
    typealias Explanation = LikelihoodRatio.Explanation<Cause>
    func explanation(_ cause: Cause, _ squares: Double) -> Explanation {
      Explanation(kind: cause, squares: Self.weight * squares, parameters: 0)
    }
    var tried = SignedPermutation.all.map { axes in explanation(.axes(axes), squares { axes * $0.written }) }
    tried.append(explanation(.inverse, squares(\.inverse)))
    tried.append(explanation(.unrelated, constants.squares(observations.map(\.written))))
    return test.best(null: Self.weight * null, tried).map { ($0.kind, $0.ratio) }
  }

  /// Least squares of b and c, with their prior.
  private struct ConstantFit {
    private let observations: [Observation]
    private var normal = [Double](repeating: 0, count: 36)

    init(_ observations: [Observation]) {
      self.observations = observations
      let prior = sigma * sigma / (bias * bias)
      for k in 0..<6 { normal[7 * k] = prior }
      for observation in observations {
        // (R I)' (R I) t^2.
        let (r, square) = (observation.worldFromIMU, observation.seconds * observation.seconds)
        for a in 0..<3 {
          normal[7 * a] += square
          normal[7 * (a + 3)] += square
          for c in 0..<3 {
            normal[6 * (a + 3) + c] += square * r[a, c]
            normal[6 * c + a + 3] += square * r[a, c]
          }
        }
      }
    }

    /// Sum of the capped normalised squares of what b and c leave of `differences`, m/s.
    func squares(_ differences: [Vector3]) -> Double {
      var right = [Double](repeating: 0, count: 6)
      for (observation, difference) in zip(observations, differences) {
        let body = observation.worldFromIMU.transpose * difference
        for k in 0..<3 {
          right[k] += observation.seconds * body[k]
          right[k + 3] += observation.seconds * difference[k]
        }
      }
      let x = SmallCholesky.solve(normal, right, size: 6) ?? [Double](repeating: 0, count: 6)
      let (b, c) = (Vector3(x[0], x[1], x[2]), Vector3(x[3], x[4], x[5]))
      return zip(observations, differences).reduce(0) { sum, pair in
        let rest = (pair.1 - pair.0.seconds * (pair.0.worldFromIMU * b + c)) / sigma
        return sum + min(rest.x * rest.x, cap) + min(rest.y * rest.y, cap) + min(rest.z * rest.z, cap)
      }
    }
  }
}
