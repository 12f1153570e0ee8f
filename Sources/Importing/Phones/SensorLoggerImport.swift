import Datasets
import Geometry
import LeastSquares
import SensorData

/// Sensor Logger: one file a sensor, columns in the order z, y, x, stamps in nanoseconds since 1970.
struct SensorLoggerImport: SourceImporter {
  private let folder: SourceFolder
  private let sign: String?

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String, map: ImportMap?) throws(DatasetError) {
    folder = try SourceFolder(source, needed: [], kind: .sensorLogger)
    guard folder.file("Gyroscope.csv", "GyroscopeUncalibrated.csv") != nil else {
      throw DatasetError(file: folder.path, found: "no Gyroscope.csv", expected: ImportKind.sensorLogger.summary)
    }
    sign = try PhoneUnits.sign(map)
  }

  private static let columns: [SourceTable.Column] = [.init("time"), .init("x"), .init("y"), .init("z")]

  private func axes(_ path: String) throws(DatasetError) -> PhoneAxes {
    try PhoneAxes(path, columns: Self.columns, form: .number(.nanoseconds))
  }

  func read(into target: inout ImportTarget) throws {
    let factor = try self.factor(&target.report)
    let turns = folder.file("Gyroscope.csv", "GyroscopeUncalibrated.csv")!
    if turns.hasSuffix("Uncalibrated.csv") { target.report.decide("the gyroscope is GyroscopeUncalibrated.csv") }
    try PhoneInertial.read(
      gyroscope: try axes(turns), forces: try forces(&target.report), factor: factor, into: &target)
    target.device = .identity
    target.report.decide("the inertial unit's axes are the device's")
    try readFrames(&target)
    try readPoses(&target)
    try PhoneRanges.read(folder, &target)
  }

  /// `frames.csv` beside the log: a row for each frame of its video, in order, of the time in the video, s, and since 1970,
  /// ns, without a header. That is what the app's own page prints from the video's metadata track with exiftool and
  /// ffprobe; the video's name is when the recording was asked for, and its first frame comes later.
  private func readFrames(_ target: inout ImportTarget) throws {
    guard let path = folder.file("frames.csv") else { return }
    let names = ["pts", "epoch"]
    let table = try SourceTable(path: path, columns: names.map { .init($0) }, names: names)
    var stamps: [Int64] = []
    while let stamp = try table.next({ (t: SourceTable) throws(SourceFault) -> Int64? in try t.time(1, .nanoseconds) })
    {
      stamps.append(stamp)
    }
    target.report.count("frames.csv bad rows skipped", table.bad)
    try PhoneVideo(name: "<the .mp4>").write(stamps, into: &target)
  }

  /// The files whose sum is the specific force.
  private func forces(_ report: inout ImportReport) throws(DatasetError) -> [PhoneAxes] {
    if let total = folder.file("TotalAcceleration.csv") {
      report.decide("specific force from TotalAcceleration.csv")
      return [try axes(total)]
    }
    if let user = folder.file("Accelerometer.csv"), let gravity = folder.file("Gravity.csv") {
      report.decide("Accelerometer.csv has gravity taken off: Gravity.csv is added")
      return [try axes(user), try axes(gravity)]
    }
    if let raw = folder.file("AccelerometerUncalibrated.csv") {
      report.decide("specific force from AccelerometerUncalibrated.csv")
      return [try axes(raw)]
    }
    throw DatasetError(
      file: folder.path, found: "no TotalAcceleration.csv, no Gravity.csv beside Accelerometer.csv",
      expected: "an acceleration with gravity: Accelerometer.csv alone has it taken off")
  }

  /// What an acceleration is to be multiplied by: the sign of the platform, and g where it is in g.
  private func factor(_ report: inout ImportReport) throws(DatasetError) -> Double {
    var scale = 1.0
    if folder.file("TotalAcceleration.csv") == nil, folder.file("Gravity.csv") == nil,
      let raw = folder.file("AccelerometerUncalibrated.csv")
    {
      scale = try PhoneUnits.forceScale(raw, columns: Self.columns, first: 1, &report)
    }
    if let sign {
      report.decide("accelerometer_sign: \(sign), as the map says")
      return sign == "apple" ? -scale : scale
    }
    guard let path = folder.file("Metadata.csv") else {
      report.decide("no Metadata.csv: the acceleration's sign is taken as Android's (up at rest)")
      report.find(
        "gravitySign", .note, "whose sign the acceleration has is not known", evidence: "no Metadata.csv",
        remedy: "state accelerometer_sign: apple or up in --map")
      return scale
    }
    let table = try SourceTable(
      path: path,
      columns: [.init("platform", needed: false), .init("standardisation", "standardization", needed: false)])
    let row = try table.next { (t: SourceTable) throws(SourceFault) -> (String, String)? in
      (try t.text(0) ?? "", try t.text(1) ?? "")
    }
    let isApple = row?.0.lowercased().contains("ios") == true && row?.1.lowercased() != "true"
    report.decide(
      isApple
        ? "Metadata.csv: iOS, not standardised: Apple's sign, multiplied by -1"
        : "Metadata.csv: \(row?.0 ?? "") standardised or Android: up at rest, as it is")
    return isApple ? -scale : scale
  }

  /// `poses.csv` of another tracker beside the log: time, x, y, z, qw, qx, qy, qz, z up, of the device.
  private func readPoses(_ target: inout ImportTarget) throws {
    guard let path = folder.file("poses.csv") else { return }
    let form = try TimeForm.find(path, names: PhoneRanges.times, content: .poses)
    target.report.decide(form.words)
    let table = try SourceTable(
      path: path,
      columns: [.init(names: PhoneRanges.times)] + ["x", "y", "z", "qw", "qx", "qy", "qz"].map { .init($0) })
    while let pose = try table.next({ (t: SourceTable) throws(SourceFault) -> OdometryPose? in
      OdometryPose(
        timestamp: Timestamp(nanoseconds: try t.time(0, form.form)),
        worldFromSensor: Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1)))
    }) { try target.add(pose, table.refuse) }
    target.rig.odometry = OdometryCalibration()
    target.report.decide("poses.csv is the trajectory: of the device, in a world with z up")
  }
}

/// ios_logger: text tables without headers: `Accel.txt` (time, g, Apple's sign), `Gyro.txt` (time, rad/s), `ARposes.txt`
/// (time, place, quaternion w, x, y, z of ARKit's camera), `Frames.txt` (time, number, focal lengths, principal point).
struct IOSLoggerImport: SourceImporter {
  private let folder: SourceFolder

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: [], kind: .iosLogger)
    guard folder.file("ARposes.txt") != nil || folder.file("Gyro.txt") != nil && folder.file("Accel.txt") != nil else {
      throw DatasetError(
        file: folder.path, found: "no ARposes.txt, no Accel.txt with Gyro.txt", expected: ImportKind.iosLogger.summary)
    }
  }

  private static let axes = ["time", "x", "y", "z"]

  func read(into target: inout ImportTarget) throws {
    target.device = .identity
    if let accelerometer = folder.file("Accel.txt"), let gyroscope = folder.file("Gyro.txt") {
      func axes(_ path: String) throws(DatasetError) -> PhoneAxes {
        let form = try TimeForm.find(path, names: ["time"], header: Self.axes, content: .inertial)
        target.report.decide(form.words)
        return try PhoneAxes(path, columns: Self.axes.map { .init($0) }, names: Self.axes, form: form.form)
      }
      let scale = try PhoneUnits.forceScale(
        accelerometer, columns: Self.axes.map { .init($0) }, names: Self.axes, first: 1, &target.report)
      try PhoneInertial.read(
        gyroscope: try axes(gyroscope), forces: [try axes(accelerometer)], factor: -scale, into: &target)
      target.report.decide("acceleration has Apple's sign (at rest face up z is negative): multiplied by -1")
    }
    if let path = folder.file("ARposes.txt") { try readPoses(path, &target) }
    if let path = folder.file("Frames.txt") { try readFrames(path, &target) }
    try PhoneRanges.read(folder, &target)
  }

  private func readPoses(_ path: String, _ target: inout ImportTarget) throws {
    let names = ["time", "x", "y", "z", "qw", "qx", "qy", "qz"]
    let form = try TimeForm.find(path, names: ["time"], header: names, content: .poses)
    target.report.decide(form.words)
    target.report.decide("ARKit's world has y up: turned about x, so that z is up")
    target.report.decide(
      "poses are of ARKit's camera, in landscape: odometry0's T_BS turns them into the device's axes")
    target.rig.odometry = OdometryCalibration(
      bodyFromSensor: Pose(rotation: PhoneUnits.deviceFromARKitCamera), positionRandomWalk: 0.01, yawRandomWalk: 0.002)
    let turn = WorldUp(.y)
    let table = try SourceTable(path: path, columns: names.map { .init($0) }, names: names)
    while let pose = try table.next({ (t: SourceTable) throws(SourceFault) -> OdometryPose? in
      OdometryPose(
        timestamp: Timestamp(nanoseconds: try t.time(0, form.form)),
        worldFromSensor: turn.turned(Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1))))
    }) { try target.add(pose, table.refuse) }
    target.report.count("ARposes.txt bad rows skipped", table.bad)
  }

  private func readFrames(_ path: String, _ target: inout ImportTarget) throws {
    let names = ["time", "frame", "fx", "fy", "cx", "cy"]
    let form = try TimeForm.find(path, names: ["time"], header: names, content: .poses)
    let table = try SourceTable(path: path, columns: names.map { .init($0) }, names: names)
    var stamps: [Int64] = [], lens: [[Double]] = []
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> (Int64, [Double])? in
      (try t.time(0, form.form), [try t.number(2), try t.number(3), try t.number(4), try t.number(5)])
    }) {
      stamps.append(row.0)
      lens.append(row.1)
    }
    target.report.count("Frames.txt bad rows skipped", table.bad)
    var video = PhoneVideo(name: "Frames.m4v")
    let median = (0..<4).compactMap { k in lens.map { $0[k] }.median }
    if median.count == 4, median.allSatisfy({ $0 > 0 }) {
      (video.focal, video.principal) = ((median[0], median[1]), (median[2], median[3]))
    }
    try video.write(stamps, into: &target)
  }
}
