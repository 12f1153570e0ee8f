import Datasets
import Foundation
import Geometry
import SensorData
import Wording

/// Any CSV files, as a map describes them: columns, units, signs, frames.
struct CSVImport: SourceImporter {
  private let root: String
  private let map: ImportMap

  var rangeColumns: [String] {
    ["range_std", "azimuth", "elevation", "angle_std", "antenna_id", "rssi", "first_path_power", "nlos"]
  }

  init(source: String, map: ImportMap?) throws(DatasetError) {
    guard let map else {
      throw DatasetError(
        file: source, found: "no map", expected: "--map map.yaml, which says what the columns are: 'fuse template map'")
    }
    self.map = map
    root = RegularFile.isFolder(source) ? source : URL(fileURLWithPath: source).deletingLastPathComponent().path
  }

  func read(into target: inout ImportTarget) throws {
    var isAny = false
    if let section = try map.section("imu0") {
      isAny = true
      try readInertial(section, &target)
    }
    if let section = try map.section("odometry0") {
      isAny = true
      try readPoses(section, &target, isTruth: false)
    }
    if let section = try map.section("truth") {
      isAny = true
      try readPoses(section, &target, isTruth: true)
    }
    if let section = try map.section("uwb0") {
      isAny = true
      try CSVRanges(section, root: root).read(into: &target)
    }
    if let section = try map.section("peers") { try readPeers(section, &target) }
    guard isAny else {
      throw DatasetError(
        file: map.file.path, line: 1, found: "no sensor", expected: "sections imu0, odometry0, truth or uwb0")
    }
    if let path = try map.file.text("cameras") {
      let chain = path.hasPrefix("/") ? path : "\(root)/\(path)"
      let file = RecordingFile(path: chain, relativePath: chain)
      for number in try Kalibr.cameras(file).prefix(2) {
        target.rig.cameras.append(
          try Kalibr.camera(file, number: number, bodyFromIMU: target.rig.imu?.bodyFromIMU ?? .identity))
      }
    }
    if let device = try map.device() {
      target.device = device.pose
      target.report.decide("the device, as the map says: \(device.words)")
    }
  }

  private func path(_ section: ImportMap.Section) throws(DatasetError) -> String {
    let name = try section.text("file", "a file beside the source")
    return name.hasPrefix("/") ? name : "\(root)/\(name)"
  }

  /// The form of a sensor's times: `time_unit` of the map, or what the file shows; said either way.
  static func timeForm(
    _ section: ImportMap.Section, _ path: String, _ content: TimeForm.Content, _ report: inout ImportReport
  ) throws(DatasetError) -> TimeForm {
    let stated = try section.word("time_unit", ["auto", "s", "ms", "us", "ns", "iso"])
    let names = [try section.text("time", "the column of the time")]
    let found = try TimeForm.find(
      path, names: names, content: content, stated: stated == "iso" ? nil : DecimalTime.Unit(rawValue: stated))
    guard stated != "iso" || found.form == .calendar else {
      throw section.file.fault(
        "time_unit", found: "time_unit: iso, and \(found.words)", expected: "dates, or no time_unit")
    }
    report.decide(found.words)
    return found.form
  }

  private static let imuKeys = [
    "file", "time", "time_unit", "gyroscope", "gyroscope_unit", "accelerometer", "accelerometer_unit",
    "accelerometer_sign", "T_BS", "gyroscope_noise_density", "gyroscope_random_walk", "accelerometer_noise_density",
    "accelerometer_random_walk", "gravity_magnitude",
  ]

  private func readInertial(_ section: ImportMap.Section, _ target: inout ImportTarget) throws {
    try section.check(Self.imuKeys)
    let time = try section.text("time", "the column of the time"), path = try path(section)
    let gyroscope = try section.names("gyroscope", 3, "[wx, wy, wz]")
    let accelerometer = try section.names("accelerometer", 3, "[ax, ay, az]")
    let rate = try section.word("gyroscope_unit", ["rad/s", "deg/s"]) == "rad/s" ? 1 : Double.pi / 180
    var force = try section.word("accelerometer_unit", ["m/s^2", "g"]) == "g" ? PhoneUnits.gravity : 1
    if try section.word("accelerometer_sign", ["up", "apple"]) == "apple" { force = -force }
    let table = try SourceTable(path: path, columns: [.init(time)] + (gyroscope + accelerometer).map { .init($0) })
    let form = try Self.timeForm(section, path, .inertial, &target.report)
    let sample = { (t: SourceTable) throws(SourceFault) -> IMUSample? in
      IMUSample(
        timestamp: Timestamp(nanoseconds: try t.time(0, form)), angularVelocity: rate * (try t.vector(1)),
        specificForce: force * (try t.vector(4)))
    }
    while let row = try table.next(sample) { try target.add(row, table.refuse) }
    target.report.count("imu0 bad rows skipped", table.bad)
    target.rig.imu = try PhoneUnits.inertial(section.file, &target.report)
  }

  private func readPoses(_ section: ImportMap.Section, _ target: inout ImportTarget, isTruth: Bool) throws {
    try section.check([
      "file", "time", "time_unit", "position", "quaternion", "rotation", "world_up", "handedness", "T_BS",
      "position_random_walk", "yaw_random_walk",
    ])
    let time = try section.text("time", "the column of the time"), path = try path(section)
    let position = try section.names("position", 3, "[x, y, z]")
    let quaternion = try section.names("quaternion", 4, "[w, x, y, z], in this order")
    let turn = try Self.world(section)
    let isInverse = try section.word("rotation", ["world_from_body", "body_from_world"]) == "body_from_world"
    if isInverse { target.report.decide("\(section.name): rotations are body_from_world, as the map says: inverted") }
    let bodyFromSensor = try section.file.pose("T_BS") ?? .identity
    let table = try SourceTable(path: path, columns: [.init(time)] + (position + quaternion).map { .init($0) })
    let form = try Self.timeForm(section, path, .poses, &target.report)
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> (Timestamp, Pose)? in
      let turned = try t.quaternion(w: 4, xyz: 5)
      let pose = Pose(rotation: isInverse ? turned.inverse : turned, translation: try t.vector(1))
      return (Timestamp(nanoseconds: try t.time(0, form)), turn.turned(pose))
    }) {
      if isTruth {
        try target.add(
          GroundTruthState(timestamp: row.0, worldFromBody: row.1 * bodyFromSensor.inverse), table.refuse)
      } else {
        try target.add(OdometryPose(timestamp: row.0, worldFromSensor: row.1), table.refuse)
      }
    }
    target.report.count("\(section.name) bad rows skipped", table.bad)
    if !isTruth {
      target.rig.odometry = OdometryCalibration(
        bodyFromSensor: bodyFromSensor,
        positionRandomWalk: try section.file.number("position_random_walk", "m/sqrt(m)", in: 0...1e6) ?? 0.03,
        yawRandomWalk: try section.file.number("yaw_random_walk", "rad/sqrt(s)", in: 0...1e6) ?? 0.01)
    }
  }

  /// The world of poses, or of peers, as the map states it.
  private static func world(_ section: ImportMap.Section) throws(DatasetError) -> WorldUp {
    WorldUp(
      try section.word("world_up", ["z", "y"]) == "y" ? .y : .z,
      isLeftHanded: try section.word("handedness", ["right", "left"]) == "left")
  }

  private func readPeers(_ section: ImportMap.Section, _ target: inout ImportTarget) throws {
    try section.check(["file", "peer", "position", "world_up", "handedness"])
    let turn = try Self.world(section)
    let columns = [try section.text("peer", "the column of the id")] + (try section.names("position", 3, "[x, y, z]"))
    let first = target.writer.counts.values.map(\.first).min() ?? 0
    let table = try SourceTable(path: try path(section), columns: columns.map { .init($0) })
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> GroundTruthPeer? in
      guard let id = try t.text(0) else { throw SourceFault(found: "no id", expected: "a peer's id") }
      return GroundTruthPeer(timestamp: Timestamp(nanoseconds: first), peer: id, position: turn.turned(try t.vector(1)))
    }) { try target.add(row, table.refuse) }
  }
}

extension SourceTable {
  /// A unit quaternion, its scalar part in one column, its vector in three.
  func quaternion(w: Int, xyz: Int) throws(SourceFault) -> Rotation {
    let s = try number(w), v = try vector(xyz)
    let length = (s * s + v.squaredNorm).squareRoot()
    guard abs(length - 1) < 0.01 else {
      throw SourceFault(found: "a quaternion of length \(Words.fixed(length, 3))", expected: "length 1")
    }
    return Rotation(w: s, x: v.x, y: v.y, z: v.z)
  }
}
