import Foundation
import Geometry
import LeastSquares

/// One wrong thing about a recording's set-up.
package struct SetUpFault: Sendable {
  /// What is wrong: of the inertial unit, the camera, the radio, a tracker's odometry, all clocks.
  package enum Family: String, CaseIterable, Sendable { case imu, camera, radio, odometry, time }

  package let name: String
  package let family: Family
  /// What is wrong, in words.
  package let text: String
  private let apply: @Sendable (FaultyFolder) throws -> Void

  fileprivate init(
    _ name: String, _ family: Family, _ text: String, _ apply: @escaping @Sendable (FaultyFolder) throws -> Void
  ) {
    (self.name, self.family, self.text, self.apply) = (name, family, text, apply)
  }

  /// All faults.
  package static let all = inertial + camera + radio + odometry + time

  /// Whether a recording has what the fault is of.
  package func fits(_ recording: String) -> Bool {
    let needsUnit = family == .imu || name.hasSuffix("-imu") || name.hasPrefix("time-imu")
    return (!needsUnit || FaultyFolder.has(FaultyFolder.imu, in: recording))
      && (family != .camera || FaultyFolder.has(FaultyFolder.features, in: recording))
  }

  /// Writes a copy of a recording with the fault; what is there is replaced.
  ///
  /// - Returns: its folder, `<out>/<name>`.
  @discardableResult package func make(_ recording: String, in out: String) throws -> String {
    let folder = try FaultyFolder(copying: recording, to: "\(out)/\(name)")
    try apply(folder)
    return folder.path
  }
}

// MARK: inertial unit

extension SetUpFault {
  private typealias Change = @Sendable ([Double]) -> [Double]

  private static func unit(
    _ name: String, _ text: String, gyroscope: @escaping Change = { $0 }, accelerometer: @escaping Change = { $0 },
    isUnitless: Bool = false
  ) -> SetUpFault {
    SetUpFault(name, .imu, text) { folder in
      try folder.change(FaultyFolder.imu, isUnitless: isUnitless) { row in
        let values = try row[1..<7].map(FaultyFolder.number)
        let changed = gyroscope(Array(values[..<3])) + accelerometer(Array(values[3...]))
        row = [row[0]] + changed.map { Digits.significant($0, 9) }
      }
    }
  }

  private static func restamped(_ name: String, _ seconds: Double, _ family: Family, _ sensor: String, _ text: String)
    -> SetUpFault
  {
    SetUpFault(name, family, text) { folder in try folder.restamp(sensor) { $0 + Int64((seconds * 1e9).rounded()) } }
  }

  private static let swapped: Change = { [$0[1], $0[0], $0[2]] }
  private static func scaled(_ factor: Double) -> Change { { $0.map { factor * $0 } } }
  private static func clipped(_ limit: Double) -> Change { { $0.map { min(max($0, -limit), limit) } } }

  private static let inertial: [SetUpFault] = [
    unit("gyroscope-1.1-times", "gyroscope a tenth too large", gyroscope: scaled(1.1)),
    unit("accelerometer-1.1-times", "accelerometer a tenth too large", accelerometer: scaled(1.1)),
    unit("gyroscope-0.85-times", "gyroscope 15 % too small", gyroscope: scaled(0.85)),
    unit("accelerometer-0.85-times", "accelerometer 15 % too small", accelerometer: scaled(0.85)),
    unit("gyroscope-2-times", "gyroscope twice too large", gyroscope: scaled(2)),
    unit("accelerometer-2-times", "accelerometer twice too large", accelerometer: scaled(2)),
    unit(
      "gyroscope-degrees", "gyroscope in degrees per second, no unit", gyroscope: scaled(180 / .pi), isUnitless: true),
    unit("accelerometer-cm", "accelerometer in cm/s^2, no unit", accelerometer: scaled(100), isUnitless: true),
    unit("accelerometer-saturated", "accelerometer saturated at +-10 m/s^2", accelerometer: clipped(10)),
    unit("gyroscope-saturated", "gyroscope saturated at +-0.5 rad/s", gyroscope: clipped(0.5)),
    unit("gyroscope-negated", "gyroscope with the opposite sign", gyroscope: scaled(-1)),
    unit(
      "gyroscope-z-negated", "one axis of the gyroscope with the opposite sign",
      gyroscope: { [$0[0], $0[1], -$0[2]] }),
    unit("accelerometer-axes", "x and y of the accelerometer swapped", accelerometer: swapped),
    unit("imu-left-handed", "x and y of the whole inertial unit swapped", gyroscope: swapped, accelerometer: swapped),
    unit(
      "gyroscope-offset", "gyroscope with an offset of 0.3 rad/s on one axis",
      gyroscope: { [$0[0] + 0.3, $0[1], $0[2]] }),
    unit(
      "accelerometer-offset", "accelerometer with an offset of 3 m/s^2 on one axis",
      accelerometer: { [$0[0] + 3, $0[1], $0[2]] }),
    restamped("imu-late-50ms", 0.05, .imu, "imu0", "inertial unit stamped late 50ms"),
    restamped("imu-early-30ms", -0.03, .imu, "imu0", "inertial unit stamped early 30ms"),
    restamped("imu-late-300ms", 0.3, .imu, "imu0", "inertial unit stamped late 300ms"),
    SetUpFault("gravity-removed", .imu, "user acceleration: gravity taken off", removeGravity),
  ]

  private static func removeGravity(_ folder: FaultyFolder) throws {
    let truth = try folder.table(FaultyFolder.truth).rows.map { row in
      (time: try FaultyFolder.integer(row[0]), attitude: try Rotation(cells: row[4..<8]))
    }
    var k = 0
    try folder.change(FaultyFolder.imu) { row in
      let time = try FaultyFolder.integer(row[0])
      while k + 1 < truth.count, truth[k + 1].time <= time { k += 1 }
      let up = truth[k].attitude.inverse * Vector3(0, 0, 9.81)
      row = try row[..<4] + (0..<3).map { Digits.significant(try FaultyFolder.number(row[4 + $0]) - up[$0], 9) }
    }
  }
}

// MARK: camera

extension SetUpFault {
  private static func features(
    _ name: String, _ text: String,
    _ change: @escaping @Sendable (FaultyFolder) throws -> (Double, Double) -> (Double, Double)
  ) -> SetUpFault {
    SetUpFault(name, .camera, text) { folder in
      let pixel = try change(folder)
      try folder.change(FaultyFolder.features) { row in
        let (u, v) = pixel(try FaultyFolder.number(row[2]), try FaultyFolder.number(row[3]))
        (row[2], row[3]) = (Digits.fixed(u, 4), Digits.fixed(v, 4))
      }
    }
  }

  private static func intrinsics(_ name: String, _ text: String, _ change: @escaping Change) -> SetUpFault {
    SetUpFault(name, .camera, text) { try $0.setCamera("intrinsics", change($0.camera("intrinsics"))) }
  }

  /// A mount that is off about an axis of the camera: degrees about right, down, ahead.
  private static func mounted(_ name: String, _ degrees: Vector3, _ text: String) -> SetUpFault {
    let turn = Rotation.exp(Angle.degrees(1) * degrees).matrix
    return SetUpFault(name, .camera, text) { try $0.setMount { $0 * turn } }
  }

  private static let camera: [SetUpFault] = [
    mounted("camera-mount-10-pitch", [10, 0, 0], "T_BS of the camera 10 degrees of pitch off"),
    mounted("camera-mount-10-yaw", [0, -10, 0], "T_BS of the camera 10 degrees of yaw off"),
    mounted("camera-mount-90-roll", [0, 0, 90], "T_BS of the camera 90 degrees of roll off"),
    mounted("camera-mount-180-roll", [0, 0, 180], "T_BS of the camera 180 degrees of roll off"),
    mounted("camera-mount-5-roll", [0, 0, 5], "T_BS of the camera 5 degrees of roll off"),
    restamped("camera-early-40ms", -0.04, .camera, "cam0", "camera stamped early 40ms"),
    restamped("camera-late-60ms", 0.06, .camera, "cam0", "camera stamped late 60ms"),
    restamped("camera-late-200ms", 0.2, .camera, "cam0", "camera stamped late 200ms"),
    restamped("camera-late-1s", 1, .camera, "cam0", "camera stamped late 1s"),
    SetUpFault("camera-mount-inverse", .camera, "T_BS of the camera is its inverse") {
      try $0.setMount(keepsPlace: false, inverted)
    },
    intrinsics("focal-length-1.3", "focal length 30 % too long") { [1.3 * $0[0], 1.3 * $0[1], $0[2], $0[3]] },
    intrinsics("focal-length-0.8", "focal length 20 % too short") { [0.8 * $0[0], 0.8 * $0[1], $0[2], $0[3]] },
    intrinsics("intrinsics-half", "intrinsics of half the resolution") { $0.map { 0.5 * $0 } },
    intrinsics("principal-point", "principal point 120 pixels off") { [$0[0], $0[1], $0[2] + 120, $0[3]] },
    features("lens-ignored", "features of a lens of 0.3 radial distortion, stated as none") { folder in
      let k = try folder.camera("intrinsics")
      return { u, v in
        let (x, y) = ((u - k[2]) / k[0], (v - k[3]) / k[1])
        let r = 1 - 0.3 * (x * x + y * y) + 0.1 * pow(x * x + y * y, 2)
        return (k[0] * x * r + k[2], k[1] * y * r + k[3])
      }
    },
    features("features-u-mirrored", "the image mirrored left to right, as of a front camera") { folder in
      let width = try folder.camera("resolution")[0]
      return { u, v in (width - 1 - u, v) }
    },
    features("features-swapped", "columns u and v exchanged") { _ in { u, v in (v, u) } },
    features("features-normalised", "features in normalised coordinates") { folder in
      let k = try folder.camera("intrinsics")
      return { u, v in ((u - k[2]) / k[0], (v - k[3]) / k[1]) }
    },
    features("features-half", "features of an image of half the size") { _ in { u, v in (u / 2, v / 2) } },
    features("features-noisy", "features that err by 5 pixels, stated as before") { _ in
      let draw = PythonRandom(9)
      return { u, v in (u + draw.gaussian(0, 5), v + draw.gaussian(0, 5)) }
    },
  ]

  /// A mount's inverse. A camera that is mounted along the body's axes is its own inverse: then the lesser confusion, of
  /// the optical axes.
  private static func inverted(_ axes: Matrix3) -> Matrix3 {
    let difference = axes - axes.transpose
    let isOwn = [difference[0, 1], difference[0, 2], difference[1, 2]].allSatisfy { abs($0) < 0.1 }
    return isOwn ? Rotation.exp(Angle.degrees(90) * Vector3(-1, 0, 0)).matrix : axes.transpose
  }
}

// MARK: radio and time

extension SetUpFault {
  private static func ranges(
    _ name: String, _ text: String, isUnitless: Bool = false, _ range: @escaping @Sendable (Double) -> Double
  ) -> SetUpFault {
    SetUpFault(name, .radio, text) { try $0.changeRanges(isUnitless: isUnitless, range) }
  }

  private static let radio: [SetUpFault] = [
    ranges("range-centimetres", "ranges in centimetres, no unit", isUnitless: true) { 100 * $0 },
    ranges("range-feet", "ranges in feet, no unit", isUnitless: true) { 3.28084 * $0 },
    ranges("range-round-trip", "ranges of the round trip: twice too long") { 2 * $0 },
    ranges("range-0.6-short", "every range 0.6 m too short") { max($0 - 0.6, 0) },
    ranges("range-1.5-long", "every range 1.5 m too long") { max($0 + 1.5, 0) },
    ranges("range-3-long", "every range 3 m too long") { max($0 + 3, 0) },
    restamped("radio-late-0.5s", 0.5, .radio, "uwb0", "ranges stamped late 0.5s"),
    restamped("radio-early-0.7s", -0.7, .radio, "uwb0", "ranges stamped early 0.7s"),
    restamped("radio-late-2s", 2, .radio, "uwb0", "ranges stamped late 2s"),
    SetUpFault("range-frozen", .radio, "the radio repeats its reading of the tenth second for ever") { folder in
      var readings = try Readings(folder.table(FaultyFolder.ranges), .ranges)
      readings.freeze(from: readings.stamps[0] + 10_000_000_001, to: .max)
      try folder.put(readings.table, FaultyFolder.ranges)
    },
    SetUpFault("range-inverted", .radio, "ranges that shorten where they should grow") { folder in
      let table = try folder.table(FaultyFolder.ranges)
      let column = try folder.rangeColumn(table)
      let middle = try table.rows.map { try FaultyFolder.number($0[column]) }.median ?? 0
      try folder.changeRanges { max(2 * middle - $0, 0.05) }
    },
  ]

  private static let time = [
    SetUpFault("time-milliseconds", .time, "all stamps in milliseconds") { folder in
      for sensor in try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/mav0") {
        try folder.restamp(sensor) { $0 / 1_000_000 }
      }
    },
    SetUpFault(
      "time-imu-microseconds", .time, "stamps of the inertial unit in microseconds, the others in nanoseconds"
    ) { folder in try folder.change(FaultyFolder.imu) { $0[0] = "\(try FaultyFolder.integer($0[0]) / 1000)" } },
  ]
}

// MARK: odometry

extension SetUpFault {
  /// The truth as another tracker's poses, 50 a second, each through `pose`; without the inertial unit, unless the name says so,
  /// and without cameras.
  private static func tracker(
    _ name: String, _ text: String, delay: Double = 0, _ pose: @escaping @Sendable (Pose) -> Pose
  ) -> SetUpFault {
    SetUpFault(name, .odometry, text) { folder in
      var rows: [[String]] = [], next = Int64(0)
      for row in try folder.table(FaultyFolder.truth).rows {
        let time = try FaultyFolder.integer(row[0])
        guard time >= next else { continue }
        next = time + 19_000_000
        let place = try Vector3(row[1..<4].map(FaultyFolder.number))
        let said = try pose(Pose(rotation: Rotation(cells: row[4..<8]), translation: place))
        let values = (0..<3).map { said.translation[$0] } + said.rotation.elements
        rows.append(["\(time + Int64((delay * 1e9).rounded()))"] + values.map { Digits.fixed($0, 9) })
      }
      try folder.putOdometry(rows, keepsUnit: name.hasSuffix("-imu"))
    }
  }

  private static let odometry: [SetUpFault] = {
    let beside = "inertial unit beside them"
    let yDown = Pose(rotation: .exp(Vector3(.pi / 2, 0, 0)))
    let yUp = Pose(rotation: .exp(Vector3(-.pi / 2, 0, 0)))
    let toCamera = Rotation.exp(Vector3(-.pi / 2, 0, 0)) * .exp(Vector3(0, .pi / 2, 0))
    /// The attitude stays.
    @Sendable func moved(_ place: @escaping @Sendable (Pose) -> Vector3) -> @Sendable (Pose) -> Pose {
      { Pose(rotation: $0.rotation, translation: place($0)) }
    }
    let mirrored = moved { $0.translation * Vector3(1, -1, 1) }
    return [
      tracker("odometry-y-down", "poses in a world with y down, as of a camera's first frame, no inertial unit") {
        yDown * $0
      },
      tracker("odometry-y-down-imu", "poses in a world with y down, \(beside)") { yDown * $0 },
      tracker("odometry-inverse", "poses of the world in the body instead of the body in the world", \.inverse),
      tracker("odometry-conjugate-imu", "quaternions conjugated, \(beside)") {
        Pose(rotation: $0.rotation.inverse, translation: $0.translation)
      },
      tracker("odometry-camera-axes-imu", "attitudes of the camera, stated as the body's, \(beside)") {
        Pose(rotation: $0.rotation * toCamera, translation: $0.translation)
      },
      tracker(
        "odometry-scale-1.5", "positions 1.5 times too large, as of a camera alone", moved { 1.5 * $0.translation }),
      tracker("odometry-scale-0.5", "positions half as large", moved { 0.5 * $0.translation }),
      tracker("odometry-centimetres", "positions in centimetres", moved { 100 * $0.translation }),
      tracker("odometry-mirrored", "a left-handed world: y mirrored, positions only", mirrored),
      tracker("odometry-mirrored-imu", "y of the positions negated, \(beside)", mirrored),
      tracker(
        "odometry-swapped-imu", "x and y of the positions swapped, \(beside)",
        moved { [$0.translation.y, $0.translation.x, $0.translation.z] }),
      tracker(
        "odometry-inverse-positions-imu",
        "positions of the world in the body, attitudes of the body in the world, \(beside)",
        moved(\.inverse.translation)),
      tracker("odometry-left-handed-imu", "a left-handed world with y up, as Unity's, \(beside)") {
        // Right-handed with y up, then z of world and body mirrored.
        let turned = yUp * $0, q = turned.rotation, p = turned.translation
        return Pose(rotation: Rotation(w: q.w, x: -q.v.x, y: -q.v.y, z: q.v.z), translation: p * Vector3(1, 1, -1))
      },
      tracker("odometry-xyzw-imu", "quaternions as x, y, z, w in columns named w, x, y, z, \(beside)") {
        let q = $0.rotation
        return Pose(rotation: Rotation(w: q.v.x, x: q.v.y, y: q.v.z, z: q.w), translation: $0.translation)
      },
      tracker("odometry-late-0.4s-imu", "poses stamped 0.4 s late, \(beside)", delay: 0.4) { $0 },
    ]
  }()
}
