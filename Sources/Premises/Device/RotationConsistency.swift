import CameraGeometry
import Foundation
import Geometry
import LeastSquares
import SensorData

/// Tests what a camera, or another tracker, says of the device's rotation against the gyroscope.
///
/// Each observation is a rotation vector `theta_i` over an interval, in the observing sensor's axes. The null
/// hypothesis is `theta_i = C (g_i - b dt_i) + e_i`: g the gyroscope's integral, C the stated mount, b a constant bias.
/// Alternatives change one thing: the clock (`g_i` shifted in time), the mount (C free), the gyroscope's axes or signs
/// (`C P`), its scale, the image's scale or handedness. Errors: the observation's own covariance, plus a tolerance for
/// what it does not hold (4 mrad, and 3 % of the angle of two views, 7 % of another tracker's, whose filter lags).
/// Squares are capped, so that a few wrong observations decide nothing. Of several rotations that two views allow the
/// likeliest under each hypothesis counts.
package struct RotationConsistency {
  /// One observed rotation.
  package struct Observation {
    package var start: Timestamp
    package var end: Timestamp
    /// `Log(R_{start <- end})` in the observing sensor's axes, radians.
    package var vector: Vector3
    package var covariance: Matrix3
    /// Other rotations that explain the same images nearly as well: vector, covariance, excess of the sum of squares.
    package var others: [(vector: Vector3, covariance: Matrix3, excess: Double)] = []
    /// The features of both views, for other lenses; none of another tracker's.
    var pairs: [FeaturePair] = []
    /// How many times the expected noise the observer's residuals are, at least 1: noise beyond the stated one biases a
    /// rotation, too.
    var excessNoise = 1.0
    /// The gyroscope's rotation over the interval, once it is known.
    fileprivate var gyroscope: Vector3?

    /// An observation from its parts.
    package init(start: Timestamp, end: Timestamp, vector: Vector3, covariance: Matrix3) {
      (self.start, self.end, self.vector, self.covariance) = (start, end, vector, covariance)
    }

    /// What two views say of the device's rotation: the camera turns against the points.
    ///
    /// - Parameter noise: 1-sigma of a direction that the fit was given, radians.
    init(start: Timestamp, end: Timestamp, _ seen: RelativeRotation, noise: Double) {
      self.init(start: start, end: end, vector: -seen.vector, covariance: seen.covariance)
      others = seen.others.map { (-$0.vector, $0.covariance, $0.excess) }
      excessNoise = max(seen.deviation / noise, 1)
    }
  }

  /// What may be wrong instead.
  package enum Cause: Equatable {
    /// The observer's stamps are late by so many seconds.
    case clock(late: Double)
    /// The mount is another rotation, by so many radians.
    case mount(Rotation, angle: Double)
    /// The gyroscope's axes are permuted, or have other signs.
    case gyroscopeAxes(Matrix3)
    /// The gyroscope's readings are so many times the truth.
    case gyroscopeScale(Double)
    /// What the image says under another lens or other coordinates: an index into `ImageAlternative.all`.
    case image(Int)
  }

  /// The outcome of one test.
  package struct Outcome {
    /// Capped mean square of the null hypothesis' normalised residuals, per degree of freedom: about 1 if it is true.
    package var nullLevel: Double
    /// The best alternative and its log likelihood ratio; nil where the null hypothesis needs none.
    package var best: (cause: Cause, ratio: Double, level: Double)?
    /// Whether that alternative explains the rotations, and is not only the better of two that do not.
    var isExplained: Bool { best.map { $0.level < RotationConsistency.explained } ?? false }
    package var count: Int
  }

  /// Observations within this of the newest are used, seconds.
  static let span = 10.0
  /// Fewest observations of a test.
  static let fewest = 8
  /// Alternatives are asked where the null hypothesis leaves more than this.
  private static let suspicious = 2.5
  private static let clockSuspicious = 1.2
  /// An alternative explains the rotations where it leaves no more than this: about 1 if it is true. Slipped tracks
  /// leave more under any lens and mount, and one of fifty is always somewhat better than the stated.
  private static let explained = 1.0
  /// Prior 1-sigma of the gyroscope's bias, rad/s.
  private static let biasSigma = 0.05
  /// Absolute tolerance, 1-sigma, rad; relative tolerance of two views, and of another tracker.
  private static let absolute = 0.004
  package static let (viewTolerance, trackerTolerance) = (0.03, 0.07)
  /// A normalised square counts as this at most.
  private static let cap = 25.0

  /// Stated `observerFromIMU`.
  let mount: Rotation
  private let tolerance: Double
  private(set) var observations: [Observation] = []

  /// - Parameter tolerance: of an observed angle, 1-sigma, relative.
  package init(observerFromIMU mount: Rotation, tolerance: Double = viewTolerance) {
    (self.mount, self.tolerance) = (mount, tolerance)
  }

  /// Takes an observation in.
  package mutating func append(_ observation: Observation) {
    observations.append(observation)
    observations.removeAll { observation.end.seconds(since: $0.end) > Self.span }
  }

  /// Integrates the gyroscope over the observations' intervals, once for all tests of the stated clock.
  mutating func integrate(_ history: InertialHistory) {
    for k in observations.indices where observations[k].gyroscope == nil {
      observations[k].gyroscope = history.rotation(from: observations[k].start, to: observations[k].end)
    }
  }

  /// How far the gyroscope turned during the newest observations, of so many seconds, radians.
  func turned(_ history: InertialHistory, within seconds: Double) -> Double {
    guard let now = observations.last?.end else { return 0 }
    return rows(history, observations.filter { now.seconds(since: $0.start) <= seconds }).reduce(0) {
      $0 + $1.gyroscope.norm
    }
  }

  /// Removes the newest observations, of so many seconds.
  mutating func removeObservations(within seconds: Double) {
    guard let now = observations.last?.end else { return }
    observations.removeAll { now.seconds(since: $0.start) <= seconds }
  }

  /// A row of the test: the gyroscope's and the observer's rotation.
  private struct Row {
    var start: Timestamp
    var gyroscope: Vector3
    var seconds: Double
    /// The rotations that the observer allows, best first.
    var modes: [Mode]

    /// The best.
    var observed: Vector3 { modes[0].vector }

    /// The likeliest rotation where `predicted` is expected: residual, information, and square.
    func residual(_ predicted: Vector3) -> (vector: Vector3, information: Matrix3, square: Double) {
      var best = (vector: Vector3.zero, information: Matrix3.zero, square: Double.infinity)
      for mode in modes {
        let r = mode.vector - predicted
        let square = mode.information.form(r, r) + mode.excess
        if square < best.square { best = (r, mode.information, square) }
      }
      return best
    }

    /// The same with an information that Huber's weight lowers beyond three standard deviations.
    func robustResidual(_ predicted: Vector3) -> (vector: Vector3, information: Matrix3) {
      let r = residual(predicted)
      return (r.vector, (1 / max(1, (r.square / 9).squareRoot())) * r.information)
    }
  }

  /// One rotation of a row.
  private struct Mode {
    var vector: Vector3
    /// Inverse covariance, 1/rad^2.
    var information: Matrix3
    /// Excess of the sum of squares over the best's.
    var excess: Double

    init?(_ vector: Vector3, _ covariance: Matrix3, _ relative: Double, _ excessNoise: Double, excess: Double = 0) {
      let slack = excessNoise * excessNoise * (relative * relative * vector.squaredNorm + absolute * absolute)
      guard let information = (covariance + slack * Matrix3.identity).inverse else { return nil }
      (self.vector, self.information, self.excess) = (vector, information, excess)
    }
  }

  private func rows(
    _ history: InertialHistory, late: Double = 0, relative: Double? = nil, _ observations: [Observation]? = nil
  ) -> [Row] {
    (observations ?? self.observations).compactMap { o in
      guard let g = Self.rotation(of: o, history, late) else { return nil }
      let relative = relative ?? tolerance
      guard let best = Mode(o.vector, o.covariance, relative, o.excessNoise) else { return nil }
      let modes =
        [best] + o.others.compactMap { Mode($0.vector, $0.covariance, relative, o.excessNoise, excess: $0.excess) }
      return Row(start: o.start, gyroscope: g, seconds: o.end.seconds(since: o.start), modes: modes)
    }
  }

  private static func rotation(of o: Observation, _ history: InertialHistory, _ late: Double) -> Vector3? {
    if late == 0, let known = o.gyroscope {
      guard let oldest = history.oldest, o.start >= oldest else { return nil }
      return known
    }
    return history.rotation(from: o.start.advanced(bySeconds: -late), to: o.end.advanced(bySeconds: -late))
  }

  /// Capped squares of `observed - M (g - b dt)`, the bias fitted robustly with its prior.
  private func squares(_ rows: [Row], _ m: Matrix3) -> Double {
    let bias = bias(rows, m)
    return rows.reduce(0) { sum, row in
      sum + min(row.residual(m * (row.gyroscope - bias * row.seconds)).square, Self.cap)
    }
  }

  /// The bias that the rows suggest under `m`, in the IMU's axes; iteratively reweighted.
  private func bias(_ rows: [Row], _ m: Matrix3) -> Vector3 {
    var bias = Vector3.zero
    for _ in 0..<3 {
      var normal = Matrix3(diagonal: Vector3(1, 1, 1) / (Self.biasSigma * Self.biasSigma)), right = Vector3.zero
      for row in rows {
        // d residual / d bias = M dt
        let r = row.robustResidual(m * (row.gyroscope - bias * row.seconds))
        let toBias = row.seconds * (m.transpose * r.information)
        normal += row.seconds * (toBias * m)
        right += toBias * (row.seconds * (m * bias) - r.vector)
      }
      guard let inverse = normal.inverse else { return .zero }
      bias = inverse * right
    }
    return bias
  }

  /// Tests the null hypothesis, and asks what explains the rotations better where it leaves too much.
  ///
  /// - Parameter image: the observations as other lenses and coordinates would have them; asked only where needed.
  package func test(_ history: InertialHistory, image: () -> [[Observation]] = { [] }) -> Outcome? {
    let rows = rows(history)
    guard rows.count >= Self.fewest else { return nil }
    let c = mount.matrix
    let null = squares(rows, c)
    let dof = Double(3 * rows.count)
    var outcome = Outcome(nullLevel: null / dof, best: nil, count: rows.count)
    guard outcome.nullLevel > Self.suspicious else { return outcome }
    var explanations: [LikelihoodRatio.Explanation<Cause>] = []
    explanations += clocks(history, rows.count)
    explanations += mounts(rows)
    for p in SignedPermutation.all {
      explanations.append(.init(kind: .gyroscopeAxes(p), squares: squares(rows, c * p), parameters: 0))
    }
    explanations += scales(rows, c)
    // Rotations of many turns are not scaled after they were integrated.
    let unknown = observations.map { observation in
      var observation = observation
      observation.gyroscope = nil
      return observation
    }
    let radians = self.rows(history.scaled(by: .pi / 180), unknown)
    if radians.count == rows.count {
      explanations.append(.init(kind: .gyroscopeScale(180 / .pi), squares: squares(radians, c), parameters: 0))
    }
    for (index, alternative) in image().enumerated() {
      let seen = Self.inUnits(of: rows, self.rows(history, alternative))
      guard seen.count >= rows.count * 3 / 4 else { continue }
      let squares = squares(seen, c) * Double(rows.count) / Double(seen.count)
      explanations.append(.init(kind: .image(index), squares: squares, parameters: 0))
    }
    let test = LikelihoodRatio(count: 3 * rows.count)
    outcome.best = test.best(null: null, explanations).map { ($0.kind, $0.ratio, $0.squares / dof) }
    return outcome
  }

  /// The rows of another lens with the errors of those of the stated one: all explanations predict the same observable.
  ///
  /// A lens that shrinks every rotation k times shrinks its errors as well: in units of the stated lens its residual is
  /// `k r`, k the ratio of the median angles. Otherwise a lens under which nothing turns would explain the errors of a
  /// device at rest.
  private static func inUnits(of stated: [Row], _ seen: [Row]) -> [Row] {
    let known = Dictionary(stated.map { ($0.start, $0) }) { first, _ in first }
    let pairs = seen.compactMap { row in known[row.start].map { (row, $0) } }
    let (angles, statedAngles) = (pairs.map { $0.0.observed.norm }, pairs.map { $0.1.observed.norm })
    guard let angle = angles.median, let statedAngle = statedAngles.median, angle > 0 else {
      return []
    }
    let magnification = statedAngle / angle
    return pairs.map { row, stated in
      var row = row
      for k in row.modes.indices {
        row.modes[k].information = magnification * magnification * stated.modes[0].information
      }
      return row
    }
  }

  private func clocks(_ history: InertialHistory, _ count: Int) -> [LikelihoodRatio.Explanation<Cause>] {
    var explanations: [LikelihoodRatio.Explanation<Cause>] = []
    func squares(late: Double) -> Double? {
      let shifted = rows(history, late: late)
      guard shifted.count >= count * 3 / 4 else { return nil }
      return self.squares(shifted, mount.matrix) * Double(count) / Double(shifted.count)
    }
    var best: (late: Double, squares: Double)?
    for step in -50...50 where step != 0 {
      // 4 ms apart up to 80 ms, then ever wider: to a second and a half either way.
      let size = abs(step) <= 20 ? 0.004 * Double(abs(step)) : 0.08 * pow(1.1025, Double(abs(step) - 20))
      let late = step < 0 ? -size : size
      guard let s = squares(late: late) else { continue }
      if s < best?.squares ?? .infinity { best = (late, s) }
    }
    guard var best else { return [] }
    var width = max(0.002, 0.05 * abs(best.late))
    for _ in 0..<4 {
      for late in [best.late - width, best.late + width] {
        if let s = squares(late: late), s < best.squares { best = (late, s) }
      }
      width /= 2
    }
    explanations.append(.init(kind: .clock(late: best.late), squares: best.squares, parameters: 1))
    return explanations
  }

  /// Tests the clock alone, every axis' scale left free: a translation that goes with the rotation scales it, and a
  /// shift in time does not.
  package func clock(_ history: InertialHistory) -> (late: Double, ratio: Double)? {
    let now = rows(history, relative: 0.02)
    guard now.count >= 12 else { return nil }
    let count = Double(now.count)
    let null = scaledSquares(now)
    guard null > Self.clockSuspicious * 3 * count else { return nil }
    var best: (late: Double, squares: Double)?
    func consider(_ late: Double) {
      let shifted = rows(history, late: late, relative: 0.02)
      guard shifted.count * 4 >= now.count * 3 else { return }
      let squares = scaledSquares(shifted) * count / Double(shifted.count)
      if squares < best?.squares ?? .infinity { best = (late, squares) }
    }
    for step in -40...40 where step != 0 {
      let size = abs(step) <= 25 ? 0.004 * Double(abs(step)) : 0.1 * pow(1.15, Double(abs(step) - 25))
      consider(step < 0 ? -size : size)
    }
    guard let coarse = best?.late else { return nil }
    for part in [-0.5, -0.25, 0.25, 0.5] { consider(coarse + part * max(0.004, 0.15 * abs(coarse))) }
    guard let best, abs(best.late) > 0.003 else { return nil }
    let test = LikelihoodRatio(count: 3 * now.count)
    return (best.late, test.ratio(null: null, alternative: best.squares, parameters: 1, alternatives: 20))
  }

  /// Capped squares with a free factor on each of the observer's axes.
  private func scaledSquares(_ rows: [Row]) -> Double {
    var factors = Vector3(1, 1, 1)
    let bias = bias(rows, mount.matrix)
    let predicted = rows.map { mount * ($0.gyroscope - bias * $0.seconds) }
    for _ in 0..<3 {
      var normal = Matrix3(diagonal: Vector3(1e-9, 1e-9, 1e-9)), right = Vector3.zero
      for (row, p) in zip(rows, predicted) {
        let r = row.robustResidual(factors * p)
        let scaled = Matrix3(diagonal: p) * r.information
        normal += scaled * Matrix3(diagonal: p)
        right += scaled * (factors * p + r.vector)
      }
      guard let inverse = normal.inverse else { break }
      factors = (inverse * right).clamped(lowerBound: Vector3(0.7, 0.7, 0.7), upperBound: Vector3(1.4, 1.4, 1.4))
    }
    return zip(rows, predicted).reduce(0) { sum, pair in
      sum + min(pair.0.residual(factors * pair.1).square, Self.cap)
    }
  }

  /// The mount freely fitted: Gauss-Newton on the rotation group from every signed permutation.
  private func mounts(_ rows: [Row]) -> [LikelihoodRatio.Explanation<Cause>] {
    var best: (rotation: Rotation, squares: Double)?
    for start in [Matrix3.identity] + SignedPermutation.proper {
      var rotation = Rotation(matrix: mount.matrix * start)
      for _ in 0..<6 {
        let bias = bias(rows, rotation.matrix)
        var normal = Matrix3(diagonal: Vector3(1e-6, 1e-6, 1e-6)), right = Vector3.zero
        for row in rows {
          let predicted = rotation * (row.gyroscope - bias * row.seconds)
          let r = row.robustResidual(predicted)
          // d predicted = delta x predicted: J = -[predicted]x.
          let j = -predicted.skew
          let weighted = j.transpose * r.information
          normal += weighted * j
          right += weighted * r.vector
        }
        guard let inverse = normal.inverse else { break }
        let step = inverse * right
        guard step.isFinite else { break }
        rotation = Rotation.exp(step.norm > 0.5 ? step * (0.5 / step.norm) : step) * rotation
      }
      let s = squares(rows, rotation.matrix)
      if s < best?.squares ?? .infinity { best = (rotation, s) }
    }
    guard let best else { return [] }
    let angle = (best.rotation * mount.inverse).log.norm
    return [.init(kind: .mount(best.rotation, angle: angle), squares: best.squares, parameters: 3)]
  }

  /// One factor on the gyroscope, least squares; and radians for degrees.
  private func scales(_ rows: [Row], _ c: Matrix3) -> [LikelihoodRatio.Explanation<Cause>] {
    var factors = [Double.pi / 180]
    var above = 0.0, below = 1e-12
    for row in rows {
      let g = c * row.gyroscope
      let information = row.modes[0].information
      above += information.form(g, row.observed)
      below += information.form(g, g)
    }
    if above > 0.05 * below { factors.append(below / above) }
    return factors.map {
      .init(kind: .gyroscopeScale($0), squares: squares(rows, c * (1 / $0)), parameters: 1)
    }
  }
}
