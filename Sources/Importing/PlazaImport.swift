import Datasets
import Foundation
import Geometry
import SensorData

/// Plaza (Djugash, Hamner and Roth, FSR 2009): a lawn mower's odometry and ranges to four nodes, as text tables: DR
/// (time, distance, turn), TD (time, antenna, node, range), TL (node, x, y), GT (time, x, y, heading).
struct PlazaImport: SourceImporter {
  private let folder: SourceFolder
  private let tables: [String: String]

  var rangeColumns: [String] { ["antenna_id"] }

  init(source: String) throws(DatasetError) {
    folder = try SourceFolder(source, needed: [], kind: .plaza)
    tables = Self.tables(in: folder.path)
    let missing = ["DR", "TD"].filter { tables[$0] == nil }
    guard missing.isEmpty else {
      throw DatasetError(
        file: folder.path, found: "no table \(missing.joined(separator: ", no table "))",
        expected: "files such as DR.csv or Plaza1_DR.txt: \(ImportKind.plaza.summary)")
    }
  }

  /// Text tables by their names.
  static func tables(in folder: String) -> [String: String] {
    var found: [String: String] = [:]
    for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
      let stem = name.split(separator: ".").first.map(String.init) ?? ""
      guard ["csv", "txt"].contains(name.split(separator: ".").last.map { $0.lowercased() } ?? "") else { continue }
      for table in ["DR", "TD", "TL", "GT"] where stem.uppercased() == table || stem.uppercased().hasSuffix("_" + table)
      {
        if found[table] == nil { found[table] = "\(folder)/\(name)" }
      }
    }
    return found
  }

  private func open(
    _ table: String, _ columns: [String], isRadio: Bool = false
  ) throws(DatasetError) -> SourceTable {
    let path = tables[table]!
    // A first line of numbers is a row: these tables have no header as published.
    let names = SourceHeader.peek(path)?.isRow == true ? columns : nil
    return try SourceTable(path: path, columns: columns.map { .init($0) }, names: names, isRadio: isRadio)
  }

  func read(into target: inout ImportTarget) throws {
    // x forward, y left, z up; the device looks forward.
    target.device = Pose(
      rotation: Rotation(matrix: Matrix3(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0))))
    target.rig.odometry = OdometryCalibration(positionRandomWalk: 0.05, yawRandomWalk: 0.005)
    target.rig.radio = RadioCalibration()
    target.report.decide("planar: the odometry's distances and turns are summed at height 0")
    let turns = try open("DR", ["time", "distance", "turn"])
    var place = Vector3.zero, heading = 0.0
    while let (time, step) = try turns.next({ (t: SourceTable) throws(SourceFault) -> (Timestamp, SIMD2<Double>)? in
      (Timestamp(nanoseconds: try t.time(0, .seconds)), SIMD2(try t.number(1), try t.number(2)))
    }) {
      // The arc's chord: half the turn before the step, half after it.
      place += step.x * Vector3(cos(heading + step.y / 2), sin(heading + step.y / 2), 0)
      heading += step.y
      try target.add(
        OdometryPose(timestamp: time, worldFromSensor: Pose(rotation: .yaw(heading), translation: place)), turns.refuse)
    }
    target.report.count("DR bad rows skipped", turns.bad)
    let ranges = try open("TD", ["time", "antenna", "node", "range"], isRadio: true)
    while let range = try ranges.next({ (t: SourceTable) throws(SourceFault) -> RangeMeasurement? in
      guard let node = try t.text(2) else { throw SourceFault(found: "no node", expected: "a node's id") }
      let range = try t.number(3)
      return range > 0
        ? RangeMeasurement(timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)), peer: node, range: range) : nil
    }) { try target.add(range, ranges.refuse) }
    target.report.count("TD bad rows skipped", ranges.bad)
    target.report.decide("the antenna is at the body's origin: the tables do not say where it is")
    var first: Timestamp?
    if tables["GT"] != nil {
      let truth = try open("GT", ["time", "x", "y", "heading"])
      while let state = try truth.next({ (t: SourceTable) throws(SourceFault) -> GroundTruthState? in
        GroundTruthState(
          timestamp: Timestamp(nanoseconds: try t.time(0, .seconds)),
          worldFromBody: Pose(
            rotation: .yaw(try t.number(3)), translation: Vector3(try t.number(1), try t.number(2), 0)))
      }) {
        if first == nil { first = state.timestamp }
        try target.add(state, truth.refuse)
      }
      target.report.count("GT bad rows skipped", truth.bad)
    }
    if tables["TL"] != nil {
      let nodes = try open("TL", ["node", "x", "y"])
      while let peer = try nodes.next({ (t: SourceTable) throws(SourceFault) -> GroundTruthPeer? in
        guard let id = try t.text(0) else { throw SourceFault(found: "no node", expected: "a node's id") }
        return GroundTruthPeer(
          timestamp: first ?? Timestamp(nanoseconds: 0), peer: id,
          position: Vector3(try t.number(1), try t.number(2), 0))
      }) { try target.add(peer, nodes.refuse) }
    }
  }
}
