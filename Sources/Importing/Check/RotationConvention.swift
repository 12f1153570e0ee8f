import Foundation
import Geometry
import LeastSquares
import SensorData
import Wording

/// Whether the rotations of poses are those that take the body's coordinates to the world's, or their inverses, and how the inertial
/// unit is mounted: against the gyroscope, with any mount, which is a rotation and never a mirror.
///
/// Rates of rotation u from the poses, rad/s in the body's axes, are fitted to the gyroscope's w by the rotation that minimises `sum |w - C u|^2` (Horn, J. Opt. Soc. Am. A 4, 1987,
/// doi:10.1364/JOSAA.4.000629), as they are, inverted, and in another order; what remains tells which. A mount carries the accelerometer along: with the right one
/// gravity points up in the poses' world.
struct RotationConvention {
  /// Poses this far apart make a rate, nanoseconds: short of what a hand turns back within.
  private static let window: Int64 = 60_000_000
  private static let longest: Int64 = 500_000_000
  /// Windows that are enough, and kept.
  private static let least = 100, most = 20_000
  /// Fewer turns say nothing: root mean square, rad/s.
  private static let leastRate = 0.05

  /// How the rotations may be written.
  enum Reading: CaseIterable {
    case asTheyAre
    /// They take the world's coordinates to the body's.
    case inverted
    /// The columns w, x, y, z hold x, y, z, w.
    case reordered

    fileprivate func rotation(_ q: Rotation) -> Rotation {
      switch self {
      case .asTheyAre: q
      case .inverted: q.inverse
      case .reordered: Rotation(w: q.v.z, x: q.w, y: q.v.x, z: q.v.y)
      }
    }
  }

  /// The best mount under one reading.
  struct Fit {
    /// Share of the gyroscope's squares that it leaves.
    var share: Double
    /// `bodyFromIMU`.
    var mount: Rotation
    /// Up in the poses' world by the accelerometer on it: a unit vector.
    var up: Vector3
  }

  /// The outcome.
  struct Outcome {
    /// The best mount under every reading.
    var fits: [Reading: Fit]
    /// Share of the gyroscope's squares that the stated mount leaves, rotations as they are.
    var stated: Double
    /// `bodyFromIMU` and `bodyFromSensor` as they are stated.
    var statedMount: Rotation, statedSensor: Rotation
    /// Share of the gyroscope's squares about other axes than the one that the device turns about most.
    var aboutOthers: Double
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

  /// nil where there is too little rotation, or too little of both. O(readings + poses).
  var outcome: Outcome? {
    var gyroscope: [Vector3] = [], forces: [Vector3] = []
    var pairs: [(a: Rotation, b: Rotation, seconds: Double)] = []
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
      gyroscope.append(sum / Double(count))
      forces.append(force / Double(count))
      pairs.append((a.rotation, b.rotation, Double(b.time &- a.time) / 1e9))
    }
    let squares = gyroscope.reduce(0) { $0 + $1.squaredNorm }
    guard gyroscope.count >= Self.least, squares > Self.leastRate * Self.leastRate * Double(gyroscope.count) else {
      return nil
    }
    func turns(_ reading: Reading) -> [Vector3] {
      pairs.map { bodyFromSensor * ((reading.rotation($0.a).inverse * reading.rotation($0.b)).log / $0.seconds) }
    }
    func fit(_ reading: Reading) -> Fit {
      let found = Self.fit(turns(reading), gyroscope)
      let turn = found.rotation.inverse
      let up = zip(pairs, forces).reduce(Vector3.zero) {
        $0 + reading.rotation($1.0.b) * (bodyFromSensor.inverse * (turn * $1.1))
      }
      return Fit(
        share: found.residual / squares, mount: turn * bodyFromIMU, up: up.norm > 0 ? up / up.norm : .zero)
    }
    let scatter = gyroscope.reduce(Matrix3.zero) { $0 + Matrix3(outer: $1, $1) }
    let axis = SymmetricEigen.principalVector(of: (0..<3).map { r in (0..<3).map { scatter[r, $0] } })
    let most = Vector3(axis[0], axis[1], axis[2])
    let stated = zip(turns(.asTheyAre), gyroscope).reduce(0) { $0 + ($1.0 - $1.1).squaredNorm }
    return Outcome(
      fits: Dictionary(uniqueKeysWithValues: Reading.allCases.map { ($0, fit($0)) }), stated: stated / squares,
      statedMount: bodyFromIMU, statedSensor: bodyFromSensor, aboutOthers: 1 - scatter.form(most, most) / squares,
      windows: gyroscope.count)
  }

  /// The rotation that takes `a` to `b` best, and the squares that remain.
  private static func fit(_ a: [Vector3], _ b: [Vector3]) -> (rotation: Rotation, residual: Double) {
    var s = Matrix3.zero
    for (u, v) in zip(a, b) { s += Matrix3(outer: u, v) }
    let (xx, yy, zz) = (s[0, 0], s[1, 1], s[2, 2])
    let horn: [[Double]] = [
      [xx + yy + zz, s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]],
      [s[1, 2] - s[2, 1], xx - yy - zz, s[0, 1] + s[1, 0], s[2, 0] + s[0, 2]],
      [s[2, 0] - s[0, 2], s[0, 1] + s[1, 0], yy - xx - zz, s[1, 2] + s[2, 1]],
      [s[0, 1] - s[1, 0], s[2, 0] + s[0, 2], s[1, 2] + s[2, 1], zz - xx - yy],
    ]
    let unit = SymmetricEigen.principalVector(of: horn)
    var value = 0.0
    for i in 0..<4 { for j in 0..<4 { value += unit[i] * horn[i][j] * unit[j] } }
    let all = a.reduce(0) { $0 + $1.squaredNorm } + b.reduce(0) { $0 + $1.squaredNorm }
    return (Rotation(w: unit[0], x: unit[1], y: unit[2], z: unit[3]), max(0, all - 2 * value))
  }
}

extension RotationConvention.Outcome {
  /// What is wrong.
  enum Cause { case inverted, reordered, turned, leftHanded }

  /// Smaller turns are left to calibrations, radians; and how far from an axis gravity may point, by its cosine.
  private static let (leastTurn, upright) = (20 * Double.pi / 180, cos(30 * Double.pi / 180))

  private var asTheyAre: RotationConvention.Fit { fits[.asTheyAre]! }

  private func turn(_ mount: Rotation) -> Double { (mount * statedMount.inverse).log.norm }

  /// Whether one share is that of the truth rather than another: it is the smaller part, a good part less, and over all windows far more than
  /// noise would make it.
  private func isBeyondDoubt(_ share: Double, _ other: Double) -> Bool {
    share < 0.5 && other > 1.3 * share && 1.5 * Double(windows) * log(other / max(share, 1e-9)) > 30
  }

  /// nil where the rotations agree with the stated mount, or nothing is beyond doubt.
  ///
  /// Poses that are left-handed with y up, as Unity's, are mirrored by S on both sides: rates of rotation become `-S w`, which looks like a mount, and the
  /// accelerometer on that mount points down, along `-S` of up.
  var cause: Cause? {
    // With a free mount an order that is wrong and an inverse explain much the same: the one with gravity upright, and with the mount that is stated, is meant.
    func rank(_ fit: RotationConvention.Fit) -> (Int, Double) {
      ((fit.up.z > Self.upright ? 0 : 2) + (turn(fit.mount) < Self.leastTurn ? 0 : 1), fit.share)
    }
    let readings: [(cause: Cause, fit: RotationConvention.Fit)] = [
      (.inverted, fits[.inverted]!), (.reordered, fits[.reordered]!),
    ].filter { isBeyondDoubt($0.1.share, asTheyAre.share) }
    if let best = readings.min(by: { rank($0.fit) < rank($1.fit) }) { return best.cause }
    guard isBeyondDoubt(asTheyAre.share, stated), turn(asTheyAre.mount) > Self.leastTurn else { return nil }
    if asTheyAre.up.z > Self.upright { return .turned }
    return -asTheyAre.up.y > Self.upright ? .leftHanded : nil
  }

  /// Says so, with the mount that goes with it. `name`: odometry or truth.
  func judge(_ cause: Cause, _ name: String, _ report: inout ImportReport) {
    func share(_ reading: RotationConvention.Reading) -> String { Words.fixed(100 * fits[reading]!.share, 0) }
    report.figures["gyroscope left by the poses' rotations [%]"] = 100 * asTheyAre.share
    report.figures["gyroscope left by their inverses [%]"] = 100 * fits[.inverted]!.share
    func find(_ sentence: String, _ evidence: String, _ remedy: String) {
      report.find("\(name)Convention", .fault, sentence, evidence: evidence, remedy: remedy)
    }
    let left = "the best mount leaves \(share(.asTheyAre)) % of the gyroscope's squares as they are"
    switch cause {
    case .inverted:
      find(
        "the poses' rotations are inverted: they take the world's coordinates to the body's",
        "\(left), \(share(.inverted)) % inverted", "negate qx, qy and qz, or state rotation: body_from_world in the map"
      )
    case .reordered:
      find(
        "the poses' quaternions are written x, y, z, w where w, x, y, z is expected",
        "\(left), \(share(.reordered)) % in the other order",
        "write w, x, y, z, or give the map's quaternion in that order")
    case .leftHanded:
      return find(
        "the poses look left-handed with y up, as Unity's: a mirror image of world and body",
        "\(left), the stated one \(Words.fixed(100 * stated, 0)) %, and the accelerometer on it points along -y",
        "state handedness: left and world_up: y in the map, or write positions x, y, -z and quaternions w, -x, -y, z, "
          + "then turn y up to z up")
    case .turned: break
    }
    let reading: RotationConvention.Reading =
      switch cause {
      case .inverted: .inverted
      case .reordered: .reordered
      case .turned, .leftHanded: .asTheyAre
      }
    judgeMount(fits[reading]!.mount, name, isAlone: cause == .turned, &report)
  }

  private func judgeMount(_ mount: Rotation, _ name: String, isAlone: Bool, _ report: inout ImportReport) {
    let angle = turn(mount)
    guard angle > Self.leastTurn else { return }
    // A robot on a floor: any turn about that axis, before the mount or after it, does as well.
    let isShown = aboutOthers > 0.01
    let m = mount.matrix
    let words = (0..<3).map { row in
      let values = (0..<3).map { m[$0, row] }
      let most = values.indices.max { abs(values[$0]) < abs(values[$1]) }!
      return "\(["x", "y", "z"][row]) along \(values[most] < 0 ? "-" : "+")\(["x", "y", "z"][most])"
    }
    let left =
      "; the stated mount leaves \(Words.fixed(100 * stated, 0)) % of the gyroscope's squares, this one "
      + "\(Words.fixed(100 * asTheyAre.share, 0)) %"
    report.find(
      "imuMount", .fault,
      "inertial unit and \(name == "truth" ? "truth" : "tracker") are turned by \(Words.fixed(angle * 180 / .pi, 0)) degrees against each other"
        + (isAlone ? "" : ", once that is mended"),
      evidence: (isShown
        ? "its " + words.joined(separator: ", ") + " of the body" : "the device turns about one axis alone")
        + (isAlone ? left : ""),
      remedy: !isShown
        ? "state T_BS of imu0 and of odometry0; turned about several axes, the device shows the matrix"
        : "state T_BS of imu0: \(Self.words(mount))"
          // Which of the two is stated wrongly nothing shows: the other one's that does the same.
          + (name == "odometry" ? ", or of odometry0: \(Self.words(statedMount * mount.inverse * statedSensor))" : ""))
  }

  /// A rotation as a `T_BS`.
  private static func words(_ rotation: Rotation) -> String {
    let m = rotation.matrix
    let numbers = (0..<3).flatMap { row in
      (0..<3).map { Words.fixed((m[row, $0] * 1000).rounded() / 1000 + 0, 3) } + ["0"]
    }
    return "[\(numbers.joined(separator: ", ")), 0, 0, 0, 1]"
  }
}
