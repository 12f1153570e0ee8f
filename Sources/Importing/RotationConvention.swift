import Foundation
import Geometry
import SensorData

/// Whether the rotations of poses are those that take the body's coordinates to the world's, or their inverses: against the
/// gyroscope, with any way of mounting it, which is a rotation and never a mirror.
///
/// Rates of rotation from the poses are fitted to the gyroscope's by the best rotation (Horn, J. Opt. Soc. Am. A 4, 1987,
/// doi:10.1364/JOSAA.4.000629), as they are and inverted; what remains tells which.
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
    /// Share of the gyroscope's squares that the best mount leaves, as the rotations are and inverted.
    var asTheyAre: Double, inverted: Double
    /// The inertial unit's axes on the body for the inverted ones.
    var mount: Rotation
    var windows: Int
  }

  private let bodyFromSensor: Rotation, bodyFromIMU: Rotation
  private var rates: [(time: Int64, value: Vector3)] = []
  private var poses: [(time: Int64, rotation: Rotation)] = []

  init(bodyFromSensor: Pose, bodyFromIMU: Pose) {
    (self.bodyFromSensor, self.bodyFromIMU) = (bodyFromSensor.rotation, bodyFromIMU.rotation)
  }

  mutating func add(angularVelocity: Vector3, at time: Int64) {
    if rates.count < 10 * Self.most { rates.append((time, bodyFromIMU * angularVelocity)) }
  }

  /// Adds the rotation of a pose, as the file has it.
  mutating func add(rotation: Rotation, at time: Int64) {
    if let last = poses.last, time &- last.time < Self.window || poses.count >= Self.most { return }
    poses.append((time, rotation))
  }

  /// nil where there is too little rotation, or too little of both.
  var outcome: Outcome? {
    var gyroscope: [Vector3] = [], same: [Vector3] = [], inverse: [Vector3] = []
    var k = 0
    for (a, b) in zip(poses, poses.dropFirst()) where b.time &- a.time > 0 && b.time &- a.time <= Self.longest {
      while k < rates.count, rates[k].time < a.time { k += 1 }
      var sum = Vector3.zero, count = 0, j = k
      while j < rates.count, rates[j].time <= b.time {
        sum += rates[j].value
        (count, j) = (count + 1, j + 1)
      }
      guard count >= 2 else { continue }
      let seconds = Double(b.time &- a.time) / 1e9
      gyroscope.append(sum / Double(count))
      same.append(bodyFromSensor * ((a.rotation.inverse * b.rotation).log / seconds))
      inverse.append(bodyFromSensor * ((a.rotation * b.rotation.inverse).log / seconds))
    }
    let squares = gyroscope.reduce(0) { $0 + $1.squaredNorm }
    guard gyroscope.count >= Self.least, squares > Self.leastRate * Self.leastRate * Double(gyroscope.count) else {
      return nil
    }
    let (first, second) = (Self.fit(same, gyroscope), Self.fit(inverse, gyroscope))
    return Outcome(
      asTheyAre: first.residual / squares, inverted: second.residual / squares, mount: second.rotation.inverse,
      windows: gyroscope.count)
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
  /// Whether the rotations are inverted beyond doubt: what remains is a good part less, over all windows far more than noise
  /// would make it, and it is the smaller part.
  var isInverted: Bool {
    inverted < 0.5 && asTheyAre > 1.3 * inverted && 1.5 * Double(windows) * log(asTheyAre / max(inverted, 1e-9)) > 30
  }

  /// Says so, with the mount that goes with it. `name`: odometry or truth.
  func judge(_ name: String, _ report: inout ImportReport) {
    let share = { (value: Double) in Figures.fixed(100 * value, 0) }
    report.figures["gyroscope left by the poses' rotations [%]"] = 100 * asTheyAre
    report.figures["gyroscope left by their inverses [%]"] = 100 * inverted
    report.find(
      "\(name)Convention", .fault, "the poses' rotations are inverted: they take the world's coordinates to the body's",
      evidence:
        "the best mount leaves \(share(asTheyAre)) % of the gyroscope's squares as they are, \(share(inverted)) % inverted",
      remedy: "negate qx, qy and qz, or state rotation: body_from_world in the map")
    let angle = mount.log.norm * 180 / .pi
    guard angle > 20 else { return }
    let m = mount.matrix
    let words = (0..<3).map { row in
      let values = (0..<3).map { m[$0, row] }
      let most = values.indices.max { abs(values[$0]) < abs(values[$1]) }!
      return "\(["x", "y", "z"][row]) along \(values[most] < 0 ? "-" : "+")\(["x", "y", "z"][most])"
    }
    let numbers = (0..<3).flatMap { row in
      (0..<3).map { Figures.fixed((m[row, $0] * 1000).rounded() / 1000 + 0, 3) } + ["0"]
    }
    report.find(
      "imuMount", .fault,
      "the inertial unit is turned on the body by \(Figures.fixed(angle, 0)) degrees, once that is mended",
      evidence: "its " + words.joined(separator: ", ") + " of the body",
      remedy: "state T_BS of imu0: [\(numbers.joined(separator: ", ")), 0, 0, 0, 1]")
  }
}
