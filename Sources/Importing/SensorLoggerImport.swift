import Datasets
import Geometry
import SensorData

/// Sensor Logger: one file a sensor, columns in the order z, y, x, stamps in nanoseconds since 1970.
struct SensorLoggerImport: SourceImporter {
  private let folder: SourceFolder
  private let sign: String?

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String, map: ImportMap?) throws(DatasetError) {
    folder = try SourceFolder(source, needed: ["Gyroscope.csv"], kind: .sensorLogger)
    sign = try map?.file.text("accelerometer_sign")
    if let sign, let map, !["apple", "up"].contains(sign) {
      throw map.file.fault(
        "accelerometer_sign", found: "accelerometer_sign: \(sign)", expected: "apple (at rest face up z < 0) or up")
    }
  }

  /// A file of one sensor, in order.
  private final class Axis {
    let table: SourceTable
    private(set) var head: (time: Int64, value: Vector3)?

    init(_ path: String) throws(DatasetError) {
      table = try SourceTable(
        path: path, columns: [.init("time"), .init("x"), .init("y"), .init("z")])
      try advance()
    }

    func advance() throws(DatasetError) {
      head = try table.next { (t: SourceTable) throws(SourceFault) -> (time: Int64, value: Vector3)? in
        (try t.time(0, .nanoseconds), try t.vector(1))
      }
    }
  }

  func read(into target: inout ImportTarget) throws {
    let factor = try self.factor(&target.report)
    var merger = InertialMerger()
    let gyroscope = try Axis("\(folder.path)/Gyroscope.csv")
    let forces = try self.forces(&target.report)
    while let turn = gyroscope.head {
      // The accelerometer's readings up to a little behind this one.
      while let force = forces[0].head, force.time <= turn.time + 200_000_000 {
        var value = force.value
        if forces.count > 1 {  // gravity and the rest, logged apart with the same stamps
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
    ImportCompleteness.judge(unpaired: merger.unpaired + merger.waiting, of: merger.readings, &target.report)
    for axis in [gyroscope] + forces { target.report.count("bad rows skipped", axis.table.bad) }
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.device = .identity
    target.report.decide(
      "the inertial unit's axes are the device's; gyroscope and accelerometer are separate files: "
        + "the acceleration is interpolated to the gyroscope's stamps")
    try readPoses(&target)
    try PhoneRanges.read(folder, &target)
  }

  /// The files whose sum is the specific force.
  private func forces(_ report: inout ImportReport) throws(DatasetError) -> [Axis] {
    if let total = folder.file("TotalAcceleration.csv") {
      report.decide("specific force from TotalAcceleration.csv")
      return [try Axis(total)]
    }
    if let user = folder.file("Accelerometer.csv"), let gravity = folder.file("Gravity.csv") {
      report.decide("Accelerometer.csv has gravity taken off: Gravity.csv is added")
      return [try Axis(user), try Axis(gravity)]
    }
    if let raw = folder.file("AccelerometerUncalibrated.csv") {
      report.decide("specific force from AccelerometerUncalibrated.csv")
      return [try Axis(raw)]
    }
    throw DatasetError(
      file: folder.path, found: "no TotalAcceleration.csv, no Gravity.csv beside Accelerometer.csv",
      expected: "an acceleration with gravity: Accelerometer.csv alone has it taken off")
  }

  /// What an acceleration is to be multiplied by: the sign of the platform, and g where it is in g.
  private func factor(_ report: inout ImportReport) throws(DatasetError) -> Double {
    let columns: [SourceTable.Column] = [.init("time"), .init("x"), .init("y"), .init("z")]
    var scale = 1.0
    if folder.file("TotalAcceleration.csv") == nil, folder.file("Gravity.csv") == nil,
      let raw = folder.file("AccelerometerUncalibrated.csv")
    {
      scale = try PhoneUnits.forceScale(raw, columns: columns, first: 1, &report)
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
    let table = try SourceTable(
      path: path, columns: [.init("timestamp", "time")] + ["x", "y", "z", "qw", "qx", "qy", "qz"].map { .init($0) })
    while let pose = try table.next({ (t: SourceTable) throws(SourceFault) -> OdometryPose? in
      OdometryPose(
        timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)),
        worldFromSensor: Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1)))
    }) { try target.add(pose, table.refuse) }
    target.rig.odometry = OdometryCalibration()
    target.report.decide("poses.csv is the trajectory: of the device, in a world with z up")
  }
}
