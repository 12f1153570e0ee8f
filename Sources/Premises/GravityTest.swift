import Foundation
import Geometry
import SensorData

/// Tests the accelerometer's size and its axes against gravity, by the inertial unit alone.
///
/// Size: the mean specific force over T seconds, in axes that the gyroscope holds still, is
/// `mean(R f) = -g + mean(R b) + (v(T) - v(0)) / T`. Its size differs from g by a normal deviate of variance
/// `sigma_b^2 + (sigma_v / T)^2`.
///
/// Direction: the means of short windows, carried into common axes by the gyroscope, are the same vector up to the same errors. If the
/// gyroscope's axes or signs are not the accelerometer's, they are not, as soon as the device turns.
package struct GravityTest {
  /// What is wrong with the accelerometer.
  package enum Cause: Equatable {
    /// Readings are gravity's size times this.
    case scale(Double)
    /// Nothing of gravity is in the readings.
    case missing
    /// The gyroscope's axes are not the accelerometer's: `axes` of the accelerometer from those of the gyroscope.
    case axes(Matrix3)
  }

  package struct Outcome {
    package var cause: Cause
    /// Log likelihood ratio, or half the square of the deviate.
    package var ratio: Double
    /// What was measured, m/s^2.
    var mean: Double
    var seconds: Double
  }

  /// Local gravity, m/s^2.
  let gravity: Double
  /// 1-sigma of an accelerometer's bias before anything is known, m/s^2, and of a hand's change of velocity, m/s.
  private static let sigma = (bias: 0.5, velocity: 1.5)
  /// Lengths of windows, seconds.
  private static let length = 3.0, piece = 1.0
  /// Deviate beyond which the size is refuted: two-sided risk 2e-9 a window.
  private static let limit = 6.0
  /// Share by which the readings' size must agree with a known factor.
  private static let known = 0.12

  package init(gravity: Double) { self.gravity = gravity }

  /// The test of the size over the newest window; nil where it is as it should be, or unknown.
  package func size(_ history: InertialHistory) -> Outcome? {
    guard let newest = history.newest, let b = history.node(at: newest),
      let a = history.node(at: newest.advanced(bySeconds: -Self.length))
    else { return nil }
    let seconds = b.time.seconds(since: a.time)
    let mean = ((b.velocity - a.velocity) / seconds).norm
    let spread = (Self.sigma.bias * Self.sigma.bias + pow(Self.sigma.velocity / seconds, 2)).squareRoot()
    let deviate = (mean - gravity) / spread
    guard abs(deviate) > Self.limit else { return nil }
    let cause: Cause = mean < 0.35 * gravity / 9.8 && mean < 0.5 ? .missing : .scale(mean / gravity)
    return Outcome(cause: cause, ratio: 0.5 * deviate * deviate, mean: mean, seconds: seconds)
  }

  /// The factor of a known unit that readings of `scale` times gravity are in, with its name; nil where none fits.
  package static func unit(_ scale: Double) -> (name: String, factor: Double)? {
    let units: [(String, Double)] = [
      ("g", 1 / 9.80665), ("mg", 1000 / 9.80665), ("cm/s^2", 100.0), ("mm/s^2", 1000.0), ("ft/s^2", 3.28084),
    ]
    return units.first { abs(log(scale / $0.1)) < Self.known }.map { ($0.0, $0.1) }
  }

  /// The test of the direction over all that is kept; nil where gyroscope and accelerometer agree, or too little turned.
  package func direction(_ history: InertialHistory) -> Outcome? {
    guard let oldest = history.oldest, let newest = history.newest else { return nil }
    let whole = newest.seconds(since: oldest)
    let pieces = Int(min(whole, 6) / Self.piece)
    guard pieces >= 3 else { return nil }
    let begin = newest.advanced(bySeconds: -Double(pieces) * Self.piece)
    // The same samples for every hypothesis, thinned to 50 Hz.
    let nodes = history.samples(after: begin, through: newest)
    guard nodes.count >= 10 * pieces else { return nil }
    let steps = Self.thinned(nodes)
    let sigma = Self.sigma.velocity / Self.piece
    func squares(_ p: Matrix3) -> Double {
      var rotation = Rotation.identity
      var sums = [Vector3](repeating: .zero, count: pieces), counts = [Double](repeating: 0, count: pieces)
      for step in steps {
        rotation = rotation * .exp(p * step.angle)
        let k = min(Int(step.time.seconds(since: begin) / Self.piece), pieces - 1)
        sums[k] += rotation * step.force
        counts[k] += 1
      }
      guard counts.allSatisfy({ $0 > 0 }) else { return .nan }
      let means = zip(sums, counts).map { $0 / $1 }
      let centre = means.reduce(.zero, +) / Double(pieces)
      return means.reduce(0) { $0 + min(($1 - centre).squaredNorm / (sigma * sigma), 60) }
    }
    let null = squares(.identity)
    let dof = Double(3 * (pieces - 1))
    guard null.isFinite, null > 2.5 * dof else { return nil }
    let explanations = SignedPermutation.all.map {
      LikelihoodTest.Explanation(kind: $0, squares: squares($0), parameters: 0)
    }.filter(\.squares.isFinite)
    guard let best = LikelihoodTest(count: Int(dof)).best(null: null, explanations) else { return nil }
    return Outcome(cause: .axes(best.kind), ratio: best.ratio, mean: 0, seconds: Double(pieces) * Self.piece)
  }

  private static func thinned(_ nodes: ArraySlice<InertialHistory.Node>) -> [(time: Timestamp, angle: Vector3, force: Vector3)] {
    var steps: [(time: Timestamp, angle: Vector3, force: Vector3)] = []
    var angle = Vector3.zero, force = Vector3.zero, count = 0.0, seconds = 0.0
    var last: InertialHistory.Node?
    for node in nodes {
      if let last {
        let dt = node.time.seconds(since: last.time)
        angle += (node.angularVelocity + last.angularVelocity) * (dt / 2)
        seconds += dt
      }
      last = node
      force += node.specificForce
      count += 1
      guard seconds >= 0.02 else { continue }
      steps.append((node.time, angle, force / count))
      (angle, force, count, seconds) = (.zero, .zero, 0, 0)
    }
    return steps
  }
}
