import Datasets
import Geometry
import LeastSquares
import SensorData

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
