import Foundation
import Geometry
import LeastSquares
import SensorData
import Wording

/// The offset between an inertial unit's clock and that of poses, from the rate of rotation alone: the axes between
/// the two need not be known.
///
/// Both are resampled to 50 Hz, and the fastest 2 % are cut: a tracker that loses its marker for an instant turns at
/// any speed. At each shift the speeds of rotation are correlated; the best shift counts where its correlation is high
/// and clearly above that of shifts half a second away.
struct RotationClock {
  /// The outcome.
  struct Outcome {
    /// Seconds to add to the inertial unit's stamps.
    var shift: Double
    /// Pearson's correlation of the rates there, and with the clocks as they are.
    var correlation: Double
    var unshifted: Double
  }

  private static let step: Int64 = 20_000_000
  /// Bins kept: an hour and a half.
  private static let most = 270_000

  private var gyroscope = RateBins()
  private var poses = RateBins()
  private var lastPose: (time: Int64, rotation: Rotation)?

  /// A reading of the gyroscope.
  mutating func add(angularVelocity: Vector3, at time: Int64) {
    gyroscope.add(angularVelocity.norm, at: time)
  }

  /// A pose.
  mutating func add(rotation: Rotation, at time: Int64) {
    guard let last = lastPose else {
      lastPose = (time, rotation)
      return
    }
    let span = Double(time - last.time) / 1e9
    // Shorter steps would measure the noise of the poses.
    guard span >= 0.045 else { return }
    if span < 0.2 { poses.add((last.rotation.inverse * rotation).log.norm / span, at: (time + last.time) / 2) }
    lastPose = (time, rotation)
  }

  /// The shift; nil where the rates say nothing about it.
  func estimate(within limit: Double) -> Outcome? {
    let bins = Int64((limit * 1e9).rounded()) / Self.step
    var correlations: [Double] = []
    let (turns, poses) = (gyroscope.cut(), poses.cut())
    for shift in -bins...bins { correlations.append(RateBins.correlation(turns, shiftedBy: shift, poses) ?? -1) }
    guard let best = correlations.indices.max(by: { correlations[$0] < correlations[$1] }),
      correlations[best] > 0.65
    else { return nil }
    let away = correlations.indices.filter { abs($0 - best) >= 25 }.map { correlations[$0] }.max() ?? -1
    guard correlations[best] - away > 0.1 else { return nil }
    var fraction = 0.0
    if best > 0, best + 1 < correlations.count {
      fraction = parabolaVertex(correlations[best - 1], correlations[best], correlations[best + 1])
    }
    return Outcome(
      shift: (Double(Int64(best) - bins) + fraction) * Double(Self.step) / 1e9, correlation: correlations[best],
      unshifted: correlations[Int(bins)])
  }

  /// Mean rates in bins of time.
  private struct RateBins {
    private(set) var first: Int64?
    private(set) var sums: [Double] = []
    private(set) var counts: [Double] = []

    mutating func add(_ rate: Double, at time: Int64) {
      let bin = time.floorDivided(by: RotationClock.step)
      let first = first ?? bin
      self.first = first
      let index = Int(bin - first)
      guard index >= 0, index < RotationClock.most else { return }
      while sums.count <= index {
        sums.append(0)
        counts.append(0)
      }
      sums[index] += rate
      counts[index] += 1
    }

    /// Means instead of sums, the largest cut.
    func cut() -> RateBins {
      var means = self
      for k in sums.indices where counts[k] > 0 { (means.sums[k], means.counts[k]) = (sums[k] / counts[k], 1) }
      let sorted = sums.indices.filter { counts[$0] > 0 }.map { means.sums[$0] }.sorted()
      guard let limit = sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * 98 / 100)] else {
        return means
      }
      for k in means.sums.indices { means.sums[k] = min(means.sums[k], limit) }
      return means
    }

    static func correlation(_ a: RateBins, shiftedBy shift: Int64, _ b: RateBins) -> Double? {
      guard let firstA = a.first, let firstB = b.first else { return nil }
      var (n, sa, sb, saa, sbb, sab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
      for j in b.sums.indices where b.counts[j] > 0 {
        let i = Int(firstB + Int64(j) - shift - firstA)
        guard i >= 0, i < a.sums.count, a.counts[i] > 0 else { continue }
        let (x, y) = (a.sums[i], b.sums[j])
        n += 1
        sa += x
        sb += y
        saa += x * x
        sbb += y * y
        sab += x * y
      }
      guard n >= 100 else { return nil }  // five seconds of poses
      let spread = (saa - sa * sa / n) * (sbb - sb * sb / n)
      return spread > 0 ? (sab - sa * sb / n) / spread.squareRoot() : nil
    }
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// Whether the rotations of poses are those that take the body's coordinates to the world's, or their inverses, and how the inertial
/// unit is mounted: against the gyroscope, with any mount, which is a rotation and never a mirror.
///
/// Rates of rotation from the poses are fitted to the gyroscope's by the best rotation (Horn, J. Opt. Soc. Am. A 4, 1987,
/// doi:10.1364/JOSAA.4.000629), as they are and inverted; what remains tells which. A mount carries the accelerometer along: with the right one
/// gravity points up in the poses' world.
struct RotationConvention {
  /// Poses this far apart make a rate, nanoseconds: short of what a hand turns back within.
  private static let window: Int64 = 60_000_000
  private static let longest: Int64 = 500_000_000
  /// Windows that are enough, and kept.
  private static let least = 100, most = 20_000
  /// Fewer turns say nothing: root mean square, rad/s.
  private static let leastRate = 0.05

  /// The outcome.
  struct Outcome {
    /// Share of the gyroscope's squares that the stated mount leaves, and that the best one leaves, as the rotations are and inverted.
    var stated: Double, asTheyAre: Double, inverted: Double
    /// `bodyFromIMU` of the best mount, as the rotations are and inverted; and as it is stated.
    var mount: Rotation, mountInverted: Rotation, statedMount: Rotation
    /// Up in the world by the accelerometer on the best mount, rotations as they are: 1 where it is the world's +z.
    var upright: Double
    var windows: Int
  }

  private let bodyFromSensor: Rotation, bodyFromIMU: Rotation
  /// Readings in the body's axes, by the stated mount.
  private var rates: [(time: Int64, value: Vector3, force: Vector3)] = []
  private var poses: [(time: Int64, rotation: Rotation)] = []

  init(bodyFromSensor: Pose, bodyFromIMU: Pose) {
    (self.bodyFromSensor, self.bodyFromIMU) = (bodyFromSensor.rotation, bodyFromIMU.rotation)
  }

  mutating func add(_ sample: IMUSample) {
    guard rates.count < 10 * Self.most else { return }
    rates.append(
      (sample.timestamp.nanoseconds, bodyFromIMU * sample.angularVelocity, bodyFromIMU * sample.specificForce))
  }

  /// Adds the rotation of a pose, as the file has it.
  mutating func add(rotation: Rotation, at time: Int64) {
    if let last = poses.last, time &- last.time < Self.window || poses.count >= Self.most { return }
    poses.append((time, rotation))
  }

  /// nil where there is too little rotation, or too little of both.
  var outcome: Outcome? {
    var gyroscope: [Vector3] = [], same: [Vector3] = [], inverse: [Vector3] = []
    var forces: [(worldFromBody: Rotation, mean: Vector3)] = []
    var k = 0
    for (a, b) in zip(poses, poses.dropFirst()) where b.time &- a.time > 0 && b.time &- a.time <= Self.longest {
      while k < rates.count, rates[k].time < a.time { k += 1 }
      var sum = Vector3.zero, force = Vector3.zero, count = 0, j = k
      while j < rates.count, rates[j].time <= b.time {
        sum += rates[j].value
        force += rates[j].force
        (count, j) = (count + 1, j + 1)
      }
      guard count >= 2 else { continue }
      let seconds = Double(b.time &- a.time) / 1e9
      gyroscope.append(sum / Double(count))
      forces.append((b.rotation * bodyFromSensor.inverse, force / Double(count)))
      same.append(bodyFromSensor * ((a.rotation.inverse * b.rotation).log / seconds))
      inverse.append(bodyFromSensor * ((a.rotation * b.rotation.inverse).log / seconds))
    }
    let squares = gyroscope.reduce(0) { $0 + $1.squaredNorm }
    guard gyroscope.count >= Self.least, squares > Self.leastRate * Self.leastRate * Double(gyroscope.count) else {
      return nil
    }
    let (first, second) = (Self.fit(same, gyroscope), Self.fit(inverse, gyroscope))
    let turn = first.rotation.inverse
    let up = forces.reduce(Vector3.zero) { $0 + $1.worldFromBody * (turn * $1.mean) }
    let stated = zip(same, gyroscope).reduce(0) { $0 + ($1.0 - $1.1).squaredNorm }
    return Outcome(
      stated: stated / squares, asTheyAre: first.residual / squares, inverted: second.residual / squares,
      mount: turn * bodyFromIMU, mountInverted: second.rotation.inverse * bodyFromIMU, statedMount: bodyFromIMU,
      upright: up.norm > 0 ? up.z / up.norm : 0, windows: gyroscope.count)
  }

  /// The rotation that takes `a` to `b` best, and the squares that remain.
  private static func fit(_ a: [Vector3], _ b: [Vector3]) -> (rotation: Rotation, residual: Double) {
    var s = Matrix3.zero
    for (u, v) in zip(a, b) { s += Matrix3(outer: u, v) }
    let (xx, yy, zz) = (s[0, 0], s[1, 1], s[2, 2])
    var matrix: [[Double]] = [
      [xx + yy + zz, s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]],
      [s[1, 2] - s[2, 1], xx - yy - zz, s[0, 1] + s[1, 0], s[2, 0] + s[0, 2]],
      [s[2, 0] - s[0, 2], s[0, 1] + s[1, 0], yy - xx - zz, s[1, 2] + s[2, 1]],
      [s[0, 1] - s[1, 0], s[2, 0] + s[0, 2], s[1, 2] + s[2, 1], zz - xx - yy],
    ]
    let horn = matrix
    // The largest eigenvalue's direction: a power of the matrix, shifted above zero, by squaring.
    let size = matrix.flatMap { $0 }.reduce(0) { max($0, abs($1)) }
    guard size > 0 else { return (.identity, b.reduce(0) { $0 + $1.squaredNorm }) }
    for k in 0..<4 { matrix[k][k] += 4 * size }
    for _ in 0..<24 {
      var square = [[Double]](repeating: [0, 0, 0, 0], count: 4), largest = 0.0
      for i in 0..<4 {
        for j in 0..<4 {
          for k in 0..<4 { square[i][j] += matrix[i][k] * matrix[k][j] }
          largest = max(largest, abs(square[i][j]))
        }
      }
      matrix = square.map { $0.map { $0 / largest } }
    }
    let column = (0..<4).max { matrix[$0][$0] < matrix[$1][$1] }!
    let q = (0..<4).map { matrix[$0][column] }
    let norm = q.reduce(0) { $0 + $1 * $1 }.squareRoot()
    let unit = q.map { $0 / norm }
    var value = 0.0
    for i in 0..<4 { for j in 0..<4 { value += unit[i] * horn[i][j] * unit[j] } }
    let all = a.reduce(0) { $0 + $1.squaredNorm } + b.reduce(0) { $0 + $1.squaredNorm }
    return (Rotation(w: unit[0], x: unit[1], y: unit[2], z: unit[3]), max(0, all - 2 * value))
  }
}

extension RotationConvention.Outcome {
  /// Whether one share is that of the truth rather than another: it is the smaller part, a good part less, and over all windows far more than
  /// noise would make it.
  private func isBeyondDoubt(_ share: Double, _ other: Double) -> Bool {
    share < 0.5 && other > 1.3 * share && 1.5 * Double(windows) * log(other / max(share, 1e-9)) > 30
  }

  /// Whether the rotations are inverted.
  var isInverted: Bool { isBeyondDoubt(inverted, asTheyAre) }

  /// Whether the inertial unit is mounted otherwise than stated, gyroscope and accelerometer alike.
  var isTurned: Bool {
    !isInverted && isBeyondDoubt(asTheyAre, stated) && Self.turn(mount, statedMount) > Self.leastTurn
      && upright > cos(30 * Double.pi / 180)
  }

  /// Smaller turns are left to calibrations, radians.
  private static let leastTurn = 20 * Double.pi / 180

  private static func turn(_ a: Rotation, _ b: Rotation) -> Double { (a * b.inverse).log.norm }

  /// Says so, with the mount that goes with it. `name`: odometry or truth.
  func judge(_ name: String, _ report: inout ImportReport) {
    guard isInverted || isTurned else { return }
    let share = { (value: Double) in Words.fixed(100 * value, 0) }
    report.figures["gyroscope left by the poses' rotations [%]"] = 100 * asTheyAre
    report.figures["gyroscope left by their inverses [%]"] = 100 * inverted
    if isInverted {
      report.find(
        "\(name)Convention", .fault,
        "the poses' rotations are inverted: they take the world's coordinates to the body's",
        evidence:
          "the best mount leaves \(share(asTheyAre)) % of the gyroscope's squares as they are, \(share(inverted)) % inverted",
        remedy: "negate qx, qy and qz, or state rotation: body_from_world in the map")
    }
    let mount = isInverted ? mountInverted : mount
    let angle = Self.turn(mount, statedMount)
    guard angle > Self.leastTurn else { return }
    let m = mount.matrix
    let words = (0..<3).map { row in
      let values = (0..<3).map { m[$0, row] }
      let most = values.indices.max { abs(values[$0]) < abs(values[$1]) }!
      return "\(["x", "y", "z"][row]) along \(values[most] < 0 ? "-" : "+")\(["x", "y", "z"][most])"
    }
    let numbers = (0..<3).flatMap { row in
      (0..<3).map { Words.fixed((m[row, $0] * 1000).rounded() / 1000 + 0, 3) } + ["0"]
    }
    let remains =
      isInverted
      ? "" : "; the stated mount leaves \(share(stated)) % of the gyroscope's squares, this one \(share(asTheyAre)) %"
    report.find(
      "imuMount", .fault,
      "the inertial unit is turned by \(Words.fixed(angle * 180 / .pi, 0)) degrees against the \(name == "truth" ? "truth's body" : "tracker")"
        + (isInverted ? ", once that is mended" : ""),
      evidence: "its " + words.joined(separator: ", ") + " of the body" + remains,
      remedy: (name == "odometry" ? "where T_BS of odometry0 is right, " : "")
        + "state T_BS of imu0: [\(numbers.joined(separator: ", ")), 0, 0, 0, 1]")
  }
}
