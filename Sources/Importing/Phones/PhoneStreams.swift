import Datasets
import Geometry
import LeastSquares
import SensorData
import Wording

/// One sensor's readings, in a file of its own.
final class PhoneAxes {
  let table: SourceTable
  private let form: TimeForm
  private(set) var head: (time: Int64, value: Vector3)?

  /// - Parameters:
  ///   - columns: the time and three values.
  ///   - names: the names of all columns, of a file without a header.
  init(_ path: String, columns: [SourceTable.Column], names: [String]? = nil, form: TimeForm) throws(DatasetError) {
    table = try SourceTable(path: path, columns: columns, names: names)
    self.form = form
    try advance()
  }

  func advance() throws(DatasetError) {
    head = try table.next { (t: SourceTable) throws(SourceFault) -> (time: Int64, value: Vector3)? in
      (try t.time(0, form), try t.vector(1))
    }
  }
}

/// A phone's inertial unit whose gyroscope and accelerometer are files of their own.
enum PhoneInertial {
  /// Writes one sample a reading of the gyroscope, the acceleration interpolated to it.
  ///
  /// - Parameters:
  ///   - forces: files whose sum is the specific force but for its factor: the second has the stamps of the first.
  ///   - factor: unit and sign.
  static func read(
    gyroscope: PhoneAxes, forces: [PhoneAxes], factor: Double, into target: inout ImportTarget
  ) throws {
    var merger = InertialMerger()
    while let turn = gyroscope.head {
      // The accelerometer's readings up to a little behind this one.
      while let force = forces[0].head, force.time <= turn.time + 200_000_000 {
        var value = force.value
        if forces.count > 1 {
          while let gravity = forces[1].head, gravity.time < force.time { try forces[1].advance() }
          guard let gravity = forces[1].head, gravity.time == force.time else {
            try forces[0].advance()
            continue
          }
          value += gravity.value
        }
        merger.add(accelerometer: factor * value, at: force.time)
        try forces[0].advance()
      }
      merger.add(gyroscope: turn.value, at: turn.time)
      for sample in merger.take() { try target.add(sample, gyroscope.table.refuse) }
      try gyroscope.advance()
    }
    for sample in merger.take() { try target.add(sample, gyroscope.table.refuse) }
    ImportCompleteness.judge(unpaired: merger.unpaired, beyond: merger.waiting, of: merger.readings, &target.report)
    for axis in [gyroscope] + forces { target.report.count("bad rows skipped", axis.table.bad) }
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.report.decide(
      "gyroscope and accelerometer are separate files: the acceleration is interpolated to the gyroscope's stamps")
  }
}

/// `ranges.csv` beside a phone's log: a time, the peer's id, the range, optional its standard deviation, on any clock that
/// `LogClock` can bring onto the log's.
enum PhoneRanges {
  static let columns = ["range_std"]

  private static let names = ["ranges.csv", "range.csv", "uwb.csv", "ni.csv", "distances.csv"]
  /// Names of columns, best first; a unit in brackets or behind a line does no harm.
  static let times = [
    "timestamp", "time", "time_s", "timestamp_s", "t", "time_ns", "timestamp_ns", "time_us", "time_ms", "timestamp_ms",
    "timestamp_us",
    "seconds", "seconds_elapsed", "datetime", "date", "unix", "unix time", "epoch",
  ]
  static let peers = [
    "peer_id", "peer", "id", "anchor_id", "anchor", "tag_id", "tag", "token", "device", "address", "name", "node",
  ]
  static let ranges = [
    "range", "distance", "range_m", "distance_m", "dist", "d", "range_cm", "distance_cm", "range_mm", "distance_mm",
  ]

  /// Reads the ranges, if there are any, once poses and inertial readings are written: they say when the log was.
  ///
  /// - Parameter toEpoch: nanoseconds to add to the log's stamps for those since 1970, where the log says.
  static func read(_ folder: SourceFolder, _ target: inout ImportTarget, toEpoch: Int64? = nil) throws {
    guard let path = names.lazy.compactMap({ folder.file($0) }).first else {
      return target.report.decide("no ranges.csv (timestamp, peer_id, range): no peers")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let found = try TimeForm.find(path, names: times, content: .ranges)
    target.report.decide(found.words)
    let shift = try shift(path, found.form, file, &target, toEpoch)
    let table = try open(path)
    let scale = Self.scale(table.name(2))
    if scale != 1 { target.report.decide("\(file): ranges in \(scale == 0.001 ? "mm" : "cm"), as the header says") }
    var failures = 0
    while let range = try table.next({ (t: SourceTable) throws(SourceFault) -> RangeMeasurement? in
      guard let range = try t.numberIfAny(2), range > 0 else {
        failures += 1
        return nil
      }
      guard let peer = t.has(1) ? try t.text(1) : "peer" else {
        throw SourceFault(found: "no peer_id", expected: "a peer's id")
      }
      return RangeMeasurement(
        timestamp: Timestamp(nanoseconds: try t.time(0, found.form) &+ shift), peer: peer,
        range: range * scale, standardDeviation: try t.numberIfAny(3).map { $0 * scale })
    }) { try target.add(range, table.refuse) }
    target.report.count("\(file) rows without a range", failures)
    target.report.count("\(file) bad rows skipped", table.bad)
    target.rig.radio = RadioCalibration()
  }

  private static func open(_ path: String) throws(DatasetError) -> SourceTable {
    try SourceTable(
      path: path,
      columns: [
        .init(names: times), .init(names: peers, needed: false), .init(names: ranges),
        .init("range_std", "std", "sigma", needed: false),
      ], isRadio: true)
  }

  /// Metres in the unit that a column's name ends in.
  private static func scale(_ name: String) -> Double {
    switch name.lowercased().split(whereSeparator: { !$0.isLetter }).last {
    case "mm": 0.001
    case "cm": 0.01
    default: 1
    }
  }

  /// What brings the times of a file onto the log's clock; 0 where the log has no times.
  private static func shift(
    _ path: String, _ form: TimeForm, _ file: String, _ target: inout ImportTarget, _ toEpoch: Int64?
  ) throws(DatasetError) -> Int64 {
    guard let clock = target.clock(toEpoch: toEpoch) else { return 0 }
    let table = try open(path)
    var first = Int64.max, last = Int64.min
    while let time = try table.next({ (t: SourceTable) throws(SourceFault) -> Int64? in try t.time(0, form) }) {
      (first, last) = (min(first, time), max(last, time))
    }
    return first <= last ? clock.shift(first: first, last: last, name: file, &target.report) : 0
  }
}

extension ImportTarget {
  /// The log's clock, of what is written by now; nil while that is nothing.
  func clock(toEpoch: Int64? = nil) -> LogClock? {
    let spans = writer.counts.filter { $0.key == .imu || $0.key == .odometry }.values.filter { $0.written > 0 }
    guard let first = spans.map(\.first).min(), let last = spans.map(\.last).max() else { return nil }
    return LogClock(first: first, last: last, toEpoch: toEpoch)
  }
}

/// Units, signs and axes of phones.
enum PhoneUnits {
  /// Standard gravity, m/s^2: what a phone's "g" is.
  static let gravity = 9.80665

  /// The camera of ARKit (x along the phone's long side to its lower end, y along its short side, z out of the screen)
  /// in device axes D (x right, y up, z out of the screen): ARKit's camera is in landscape.
  static let deviceFromARKitCamera = Rotation(
    matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1)))

  /// The calibration of an inertial unit from a map, or a phone's where it says nothing.
  static func inertial(_ file: CalibrationFile?, _ report: inout ImportReport) throws(DatasetError) -> IMUCalibration {
    var imu = IMUCalibration(
      gyroscopeNoiseDensity: 0.001, gyroscopeRandomWalk: 0.00005, accelerometerNoiseDensity: 0.01,
      accelerometerRandomWalk: 0.0005)
    var isStated = false
    if let file {
      imu.bodyFromIMU = try file.pose("T_BS") ?? .identity
      imu.gravityMagnitude = try file.number("gravity_magnitude", "m/s^2 above 0", in: 0.1...100) ?? 9.81
      for (key, path) in [
        ("gyroscope_noise_density", \IMUCalibration.gyroscopeNoiseDensity),
        ("gyroscope_random_walk", \.gyroscopeRandomWalk),
        ("accelerometer_noise_density", \.accelerometerNoiseDensity),
        ("accelerometer_random_walk", \.accelerometerRandomWalk),
      ] {
        guard let value = try file.number(key, "a noise density above 0", in: 1e-12...1e3) else { continue }
        imu[keyPath: path] = value
        isStated = true
      }
    }
    if !isStated { report.decide("the inertial unit's noise is not stated: that of a phone is assumed") }
    return imu
  }

  /// The `accelerometer_sign` of a map: `apple` (at rest face up z < 0) or `up`; nil where it says none.
  static func sign(_ map: ImportMap?) throws(DatasetError) -> String? {
    guard let map, let sign = try map.file.text("accelerometer_sign") else { return nil }
    guard ["apple", "up"].contains(sign) else {
      throw map.file.fault(
        "accelerometer_sign", found: "accelerometer_sign: \(sign)", expected: "apple (at rest face up z < 0) or up")
    }
    return sign
  }

  /// What the accelerometer of a file is to be multiplied by, for m/s^2: by the median size of its first readings.
  static func forceScale(
    _ path: String, columns: [SourceTable.Column], names: [String]? = nil, first: Int, _ report: inout ImportReport
  ) throws(DatasetError) -> Double {
    let table = try SourceTable(path: path, columns: columns, names: names)
    var sizes: [Double] = []
    while sizes.count < 2000,
      let size = try table.next({ (t: SourceTable) throws(SourceFault) -> Double? in
        try t.vector(first).norm
      })
    { sizes.append(size) }
    let median = sizes.median ?? 0
    let isG = median < 4
    report.decide(
      "the accelerometer reads \(Words.fixed(median, 2)) in the median: \(isG ? "g, times 9.80665" : "m/s^2")")
    return isG ? gravity : 1
  }
}

/// The direction of "up" in the world of poses, its handedness, and what makes it a right-handed world with z up.
struct WorldUp {
  /// An axis.
  enum Axis: String { case y, z }

  let axis: Axis
  /// Whether world and body are left-handed: Unity's with y up, Unreal's with z up.
  let isLeftHanded: Bool
  private let turn: Rotation

  init(_ axis: Axis, isLeftHanded: Bool = false) {
    (self.axis, self.isLeftHanded) = (axis, isLeftHanded)
    // 90 degrees about x: y becomes z.
    turn =
      axis == .z ? .identity : Rotation(matrix: Matrix3(rows: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)))
  }

  /// The pose in the world with z up.
  ///
  /// A left-handed one becomes `S p`, `S R S`, S the mirror of one horizontal axis of world and body: z below y, y below z, so that Unity's camera
  /// becomes ARKit's, and Unreal's body one of REP 103.
  func turned(_ pose: Pose) -> Pose {
    let q = pose.rotation
    // S Exp(v) S = Exp(-S v).
    let rotation = isLeftHanded ? Rotation(w: q.w, x: -mirror.x * q.v.x, y: -mirror.y * q.v.y, z: -mirror.z * q.v.z) : q
    return Pose(rotation: turn * rotation, translation: turned(pose.translation))
  }

  /// The place in the world with z up.
  func turned(_ place: Vector3) -> Vector3 { turn * (isLeftHanded ? mirror * place : place) }

  /// The diagonal of S.
  private var mirror: Vector3 { axis == .y ? Vector3(1, 1, -1) : Vector3(1, -1, 1) }
}

/// The camera of a phone's recording, whose frames are in a video: the folder `video` gets their stamps and what is known
/// of the lens, from which `fuse-import-video` makes cam0.
struct PhoneVideo {
  /// The name of the video, for the report.
  var name: String
  /// Focal lengths, pixels.
  var focal: (x: Double, y: Double)?
  /// Principal point, pixels; nil: the middle of the frame.
  var principal: (x: Double, y: Double)?
  /// Columns and rows that these are of; nil: those of the video's frames.
  var size: (width: Int, height: Int)?
  /// The lens.
  var distortion = CameraCalibration.Distortion.none
  /// The camera in the device; nil: by the frame's shape, which is upright where it is higher than wide.
  var bodyFromCamera: Pose?
  /// Seconds from the first row to the last of a rolling shutter, where the app says.
  var readout: Double?

  /// OpenCV's axes of a frame as the sensor gives it, in landscape, in the device's: `degrees` clockwise make it upright.
  static func axes(orientation degrees: Double = 90) -> Rotation {
    let (c, s) = (
      degrees == 0 || degrees == 180 ? (degrees == 0 ? 1.0 : -1) : 0, degrees == 90 ? 1.0 : degrees == 270 ? -1 : 0
    )
    return Rotation(matrix: Matrix3(columns: Vector3(c, -s, 0), Vector3(-s, -c, 0), Vector3(0, 0, -1)))
  }

  /// Writes stamps, nanoseconds in order, and the calibration.
  ///
  /// - Parameter frames: for each stamp the number of its frame in the video; nil: one after the other.
  func write(_ stamps: [Int64], frames: [Int]? = nil, into target: inout ImportTarget) throws {
    var text = frames == nil ? "#timestamp [ns]\n" : "#timestamp [ns],frame []\n"
    var last = Int64.min, left = 0
    for (k, stamp) in stamps.enumerated() {
      guard stamp >= 0, stamp > last, SensorBounds.isStamp(stamp) else {
        left += 1
        if frames == nil { text += "-1\n" }
        continue
      }
      text += frames.map { "\(stamp),\($0[k])\n" } ?? "\(stamp)\n"
      last = stamp
    }
    target.report.count("frames", stamps.count - left)
    target.report.count("frames left out, stamp not after the one before", left)
    try target.folder.write(Array(text.utf8), to: "video/cam0.csv")
    try target.folder.write(Array(calibration.utf8), to: "video/cam0.yaml")
    target.report.decide(
      "\(name): stamps \(focal == nil ? "" : "and lens ")of its frames are in the folder video; 'fuse-import-video \(name) -o <folder>' of the Python "
        + "package makes cam0 of them")
  }

  private var calibration: String {
    var text = "sensor_type: camera\n"
    if let pose = bodyFromCamera {
      text += "T_BS: [\(pose.rigidTransform.map { "\($0)" }.joined(separator: ", "))]\n"
    }
    if let size { text += "resolution: [\(size.width), \(size.height)]\n" }
    if let focal {
      let all = [focal.x, focal.y] + (principal.map { [$0.x, $0.y] } ?? [])
      text += "camera_model: pinhole\nintrinsics: [\(all.map { "\($0)" }.joined(separator: ", "))]\n"
      switch distortion {
      case .rational(let k1, let k2, let p1, let p2, let k3, _, _, _):
        text += "distortion_model: radial-tangential\ndistortion_coefficients: [\(k1), \(k2), \(p1), \(p2), \(k3)]\n"
      default: text += "distortion_model: none\ndistortion_coefficients: []\n"
      }
    }
    if let readout { text += "readout_time_s: \(readout)\n" }
    return text
  }
}

/// Brings separate gyroscope and accelerometer readings together: one sample for each reading of the gyroscope, the
/// specific force linearly between its neighbours. Readings of either sensor come in order of time.
struct InertialMerger {
  private struct Reading {
    var time: Int64
    var value: Vector3
  }

  /// Across a longer gap of the accelerometer nothing is interpolated, nanoseconds.
  private static let longestGap: Int64 = 100_000_000
  /// Readings of one sensor kept while the other is silent.
  private static let most = 100_000

  private var gyroscope: [Reading] = []
  private var accelerometer: [Reading] = []
  private var head = 0
  /// Readings of the gyroscope.
  private(set) var readings = 0
  /// Gyroscope readings without a specific force near them.
  private(set) var unpaired = 0

  /// Adds a reading of the gyroscope, rad/s.
  mutating func add(gyroscope value: Vector3, at time: Int64) {
    readings += 1
    gyroscope.append(Reading(time: time, value: value))
    if gyroscope.count - head > Self.most {
      head += 1
      unpaired += 1
    }
  }

  /// Adds a reading of the accelerometer, m/s^2.
  mutating func add(accelerometer value: Vector3, at time: Int64) {
    if let last = accelerometer.last, time <= last.time { return }
    accelerometer.append(Reading(time: time, value: value))
    if accelerometer.count >= 2 * Self.most { accelerometer.removeFirst(Self.most) }
  }

  /// The samples that are complete by now, in order.
  mutating func take() -> [IMUSample] {
    var samples: [IMUSample] = []
    var before = 0
    while head < gyroscope.count, let last = accelerometer.last, gyroscope[head].time <= last.time {
      let reading = gyroscope[head]
      head += 1
      while before + 1 < accelerometer.count, accelerometer[before + 1].time <= reading.time { before += 1 }
      let a = accelerometer[before]
      if a.time == reading.time {
        samples.append(sample(reading, a.value))
      } else if a.time < reading.time, before + 1 < accelerometer.count,
        accelerometer[before + 1].time - a.time <= Self.longestGap
      {
        let b = accelerometer[before + 1]
        let fraction = Double(reading.time - a.time) / Double(b.time - a.time)
        samples.append(sample(reading, a.value + (b.value - a.value) * fraction))
      } else {
        unpaired += 1
      }
    }
    accelerometer.removeFirst(before)
    if head > 1024 {
      gyroscope.removeFirst(head)
      head = 0
    }
    return samples
  }

  /// How many readings of the gyroscope wait for the accelerometer.
  var waiting: Int { gyroscope.count - head }

  private func sample(_ reading: Reading, _ force: Vector3) -> IMUSample {
    IMUSample(
      timestamp: Timestamp(nanoseconds: reading.time), angularVelocity: reading.value, specificForce: force)
  }
}
