import Datasets
import Foundation
import Geometry
import SensorData

/// MILUV: robots with two tags each, a motion capture, ranges of which the calibrated bias is taken off already.
struct MILUVImport: SourceImporter {
  private let robot: SourceFolder
  private let name: String
  private let config: String?
  private let experiment: String

  var rangeColumns: [String] { ["range_std", "antenna_id", "first_path_power"] }

  init(source: String, map: ImportMap?) throws(DatasetError) {
    var folder = source
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    if !RegularFile.exists("\(folder)/uwb_range.csv") {
      let robots = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted().filter {
        RegularFile.exists("\(folder)/\($0)/uwb_range.csv")
      }
      let wanted = try map?.file.text("robot") ?? robots.first
      guard let wanted, robots.contains(wanted) else {
        throw DatasetError(
          file: folder, found: "robots \(robots.isEmpty ? "none" : robots.joined(separator: ", "))",
          expected: "ifo001/uwb_range.csv, ..., or 'robot: ifo001' in --map")
      }
      folder += "/\(wanted)"
    }
    robot = try SourceFolder(folder, needed: ["uwb_range.csv", "mocap.csv"], kind: .miluv)
    let url = URL(fileURLWithPath: folder).standardizedFileURL
    name = url.lastPathComponent
    experiment = url.deletingLastPathComponent().lastPathComponent
    // The configuration is at the data set's root, beside `data`.
    var above = url, found: String?
    for _ in 0..<5 where found == nil {
      above = above.deletingLastPathComponent()
      if RegularFile.exists("\(above.path)/config/uwb/anchors.yaml") { found = above.path }
    }
    config = found
  }

  func read(into target: inout ImportTarget) throws {
    target.report.decide("robot \(name): its tags' ranges only")
    let tags = try antennas(&target)
    target.rig.radio = RadioCalibration(antennas: tags)
    try readPoses(&target)
    try readRanges(&target, tags)
    try readAnchors(&target)
    if let path = robot.file("imu_px4.csv", "imu_cam.csv") { try readInertial(path, &target) }
  }

  /// The robot's tags: places in the body by id. Vectors are texts, "[x, y, z]".
  private func antennas(_ target: inout ImportTarget) throws(DatasetError) -> [String: Vector3] {
    guard let config else {
      throw DatasetError(
        file: robot.path, found: "no config/uwb/anchors.yaml in the folders above",
        expected: "the data set's config folder beside data, with uwb/tags.yaml and uwb/anchors.yaml")
    }
    let path = "\(config)/config/uwb/tags.yaml"
    let file = try CalibrationFile(path: path)
    guard let section = try file.section(name) else {
      throw DatasetError(file: path, line: 1, found: "no \(name)", expected: "the robot's tags: id: \"[x, y, z]\"")
    }
    var tags: [String: Vector3] = [:]
    for id in section.keys where Int(id) != nil { tags[id] = try Self.vector(section, id) }
    guard !tags.isEmpty else {
      throw DatasetError(file: path, line: 1, found: "no tags of \(name)", expected: "id: \"[x, y, z]\"")
    }
    target.report.decide(
      "tags \(tags.keys.sorted().joined(separator: " and ")) are antennas of \(name), at their lever arms")
    return tags
  }

  /// A vector that is a text or a list.
  private static func vector(_ file: CalibrationFile, _ key: String) throws(DatasetError) -> Vector3 {
    if let p = try? file.numbers(key, ""), p.count == 3 { return Vector3(p[0], p[1], p[2]) }
    let text = try file.text(key) ?? ""
    let cells = text.filter { !"[]\"' ".contains($0) }.split(separator: ",").compactMap { Double($0) }
    guard cells.count == 3, cells.allSatisfy(\.isFinite) else {
      throw file.fault(key, found: "\(key): \(text.prefix(40))", expected: "\"[x, y, z]\" in metres")
    }
    return Vector3(cells[0], cells[1], cells[2])
  }

  private func readPoses(_ target: inout ImportTarget) throws {
    let table = try SourceTable(
      path: "\(robot.path)/mocap.csv",
      columns: [.init("timestamp")] + ["x", "y", "z"].map { .init("pose.position.\($0)") }
        + ["w", "x", "y", "z"].map { .init("pose.orientation.\($0)") })
    while let (time, pose) = try table.next({ (t: SourceTable) throws(SourceFault) -> (Timestamp, Pose)? in
      (
        Timestamp(nanoseconds: try t.time(0, .seconds)),
        Pose(rotation: try t.quaternion(w: 4, xyz: 5), translation: try t.vector(1))
      )
    }) {
      try target.add(OdometryPose(timestamp: time, worldFromSensor: pose), table.refuse)
      try target.add(GroundTruthState(timestamp: time, worldFromBody: pose), table.refuse)
    }
    target.report.count("mocap.csv bad rows skipped", table.bad)
    target.rig.odometry = OdometryCalibration(positionRandomWalk: 0.003, yawRandomWalk: 0.0005)
    target.report.decide("the motion capture's poses are the trajectory (odometry0), and the truth")
  }

  private func readRanges(_ target: inout ImportTarget, _ tags: [String: Vector3]) throws {
    let table = try SourceTable(
      path: "\(robot.path)/uwb_range.csv",
      columns: [
        .init("timestamp"), .init("range"), .init("from_id"), .init("to_id"), .init("std", needed: false),
        .init("fpp1", needed: false),
      ], isRadio: true)
    var foreign = 0
    while let range = try table.next({ (t: SourceTable) throws(SourceFault) -> RangeMeasurement? in
      guard let from = try t.text(2), let to = try t.text(3) else {
        throw SourceFault(found: "no from_id or to_id", expected: "the ids of both ends")
      }
      // Ranges that another robot's tag measured, and those between this robot's own tags, are not its links.
      let mine = tags[from] != nil ? from : tags[to] != nil ? to : nil
      guard let mine, tags[from] == nil || tags[to] == nil else {
        foreign += 1
        return nil
      }
      guard let range = try t.numberIfAny(1), range > 0 else { return nil }
      let deviation = try t.numberIfAny(4)
      return RangeMeasurement(
        timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)), peer: mine == from ? to : from, range: range,
        standardDeviation: deviation.flatMap { $0 > 0 && $0 < 10 ? $0 : nil }, antenna: mine,
        firstPathPower: try t.numberIfAny(5))
    }) { try target.add(range, table.refuse) }
    target.report.count("uwb_range.csv bad rows skipped", table.bad)
    target.report.count("ranges of no tag of this robot", foreign)
    target.report.decide("range: the calibrated bias is taken off already (range_raw has it)")
  }

  private func readAnchors(_ target: inout ImportTarget) throws {
    guard let config else { return }
    let path = "\(config)/config/uwb/anchors.yaml"
    let file = try CalibrationFile(path: path)
    var constellation: String?
    if let list = ["\(config)/config/experiments.csv", "\(config)/experiments.csv"].first(where: RegularFile.exists) {
      let table = try SourceTable(
        path: list,
        columns: [.init("experiment"), .init("anchor_constellation", "constellation")])
      while let (name, value) = try table.next({ (t: SourceTable) throws(SourceFault) -> (String, String)? in
        (try t.text(0) ?? "", try t.text(1) ?? "")
      }) { if name == experiment { constellation = value } }
    }
    let wanted = constellation ?? (file.keys.count == 1 ? file.keys[0] : nil)
    guard let wanted, let section = try file.section(wanted) else {
      target.report.decide(
        "experiments.csv does not say which constellation of anchors: their true positions are not known")
      return
    }
    target.report.decide("anchors of constellation \(wanted)")
    let first = target.writer.counts[.odometry]?.first ?? 0
    for id in section.keys.sorted(by: { ($0.count, $0) < ($1.count, $1) }) {
      let peer = GroundTruthPeer(
        timestamp: Timestamp(nanoseconds: first), peer: id, position: try Self.vector(section, id))
      try target.add(peer) { throw section.fault(id, found: $0.found, expected: $0.expected) }
    }
  }

  private func readInertial(_ path: String, _ target: inout ImportTarget) throws {
    let table = try SourceTable(
      path: path,
      columns: [.init("timestamp")] + ["x", "y", "z"].map { .init("angular_velocity.\($0)") }
        + ["x", "y", "z"].map { .init("linear_acceleration.\($0)") })
    while let sample = try table.next({ (t: SourceTable) throws(SourceFault) -> IMUSample? in
      IMUSample(
        timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)), angularVelocity: try t.vector(1),
        specificForce: try t.vector(4))
    }) { try target.add(sample, table.refuse) }
    target.report.count("\(URL(fileURLWithPath: path).lastPathComponent) bad rows skipped", table.bad)
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.report.decide("the inertial unit's axes are taken as the body's")
  }
}
