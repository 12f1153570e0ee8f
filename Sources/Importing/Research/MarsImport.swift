import Datasets
import Foundation
import Geometry
import LeastSquares
import SensorData
import Wording

/// MARS logger: `gyro_accel.csv`, the video's frames in `frame_timestamps.txt` and `movie_metadata.csv`.
struct MarsImport: SourceImporter {
  private let folder: SourceFolder
  private let sign: Double

  var rangeColumns: [String] { PhoneRanges.columns }

  init(source: String, map: ImportMap?) throws(DatasetError) {
    folder = try SourceFolder(source, needed: ["gyro_accel.csv"], kind: .mars)
    sign = try PhoneUnits.sign(map) == "apple" ? -1 : 1
  }

  func read(into target: inout ImportTarget) throws {
    target.device = .identity
    let path = "\(folder.path)/gyro_accel.csv"
    let form = try TimeForm.find(path, names: ["timestamp", "time"], content: .inertial)
    target.report.decide(form.words)
    let columns: [SourceTable.Column] =
      [.init("timestamp", "time")] + ["gx", "gy", "gz", "ax", "ay", "az"].map { .init($0) }
    let scale = sign * (try PhoneUnits.forceScale(path, columns: columns, first: 4, &target.report))
    let table = try SourceTable(path: path, columns: columns + [.init("unix time", "unix_time", needed: false)])
    var toEpoch: Int64?
    while let row = try table.next({ (t: SourceTable) throws(SourceFault) -> (IMUSample, Int64?)? in
      let time = try t.time(0, form.form)
      let unix = t.has(7) && toEpoch == nil ? try t.time(7, .nanoseconds) &- time : nil
      return (
        IMUSample(
          timestamp: Timestamp(nanoseconds: time), angularVelocity: try t.vector(1),
          specificForce: scale * (try t.vector(4))),
        unix
      )
    }) {
      if toEpoch == nil { toEpoch = row.1 }
      try target.add(row.0, table.refuse)
    }
    target.report.count("gyro_accel.csv bad rows skipped", table.bad)
    target.rig.imu = try PhoneUnits.inertial(nil, &target.report)
    target.report.decide(
      sign < 0
        ? "accelerometer_sign: apple, as the map says"
        : "the acceleration's sign is Android's, up at rest (else state accelerometer_sign: apple in --map)")
    try readFrames(form.form, &target)
    try PhoneRanges.read(folder, &target, toEpoch: toEpoch)
  }

  /// A frame of `movie_metadata.csv`.
  private struct Frame {
    var time: Int64
    var focal: (Double, Double)?, principal: (Double, Double)?
    /// Nanoseconds.
    var exposure: Double?, readout: Double?
  }

  private func readFrames(_ form: TimeForm, _ target: inout ImportTarget) throws {
    var frames: [Frame] = []
    if let path = folder.file("movie_metadata.csv") {
      let table = try SourceTable(
        path: path,
        columns: [
          .init("timestamp", "time"), .init("fx", needed: false), .init("fy", needed: false),
          .init("cx", needed: false),
          .init("cy", needed: false), .init("exposure time", "exposure_time", "exposure duration", needed: false),
          .init("frame readout time", "readout time", needed: false),
        ])
      while let frame = try table.next({ (t: SourceTable) throws(SourceFault) -> Frame? in
        var frame = Frame(time: try t.time(0, form))
        if let x = try t.numberIfAny(1), let y = try t.numberIfAny(2), x > 0, y > 0 { frame.focal = (x, y) }
        if let x = try t.numberIfAny(3), let y = try t.numberIfAny(4), x > 0, y > 0 { frame.principal = (x, y) }
        frame.exposure = try t.numberIfAny(5).flatMap { $0 >= 0 ? $0 : nil }
        frame.readout = try t.numberIfAny(6).flatMap { $0 > 0 ? $0 : nil }
        return frame
      }) { frames.append(frame) }
      target.report.count("movie_metadata.csv bad rows skipped", table.bad)
    }
    var stamps = frames.map(\.time)
    if let path = folder.file("frame_timestamps.txt") {
      // One number a line, with or without a header.
      let header = SourceHeader.peek(path)
      let name = header.flatMap { $0.isRow ? nil : $0.names.first } ?? "timestamp"
      let table = try SourceTable(
        path: path, columns: [.init(name)], names: header?.isRow == true ? [name] : nil)
      stamps = []
      while let time = try table.next({ (t: SourceTable) throws(SourceFault) -> Int64? in try t.time(0, form) }) {
        stamps.append(time)
      }
    }
    guard !stamps.isEmpty else {
      return target.report.decide("no frame_timestamps.txt, no movie_metadata.csv: no frames")
    }
    var video = PhoneVideo(name: "movie.mp4")
    let focal = frames.compactMap(\.focal), principal = frames.compactMap(\.principal)
    if let x = focal.map(\.0).median, let y = focal.map(\.1).median { video.focal = (x, y) }
    if let x = principal.map(\.0).median, let y = principal.map(\.1).median {
      video.principal = (x, y)
    }
    // Android stamps the first row's beginning; a frame's time is the middle of its exposure, in its middle row.
    if let readout = frames.compactMap(\.readout).median {
      let byTime = Dictionary(frames.map { ($0.time, $0) }) { first, _ in first }
      let exposure = frames.compactMap(\.exposure).median ?? 0
      stamps = stamps.map { $0 + Int64((((byTime[$0]?.exposure ?? exposure) + readout) / 2).rounded()) }
      video.readout = readout / 1e9
      target.report.decide(
        "frames are stamped in the middle of exposure and readout (\(Words.fixed(readout / 1e6, 1)) ms) for the first row's beginning"
      )
    }
    target.report.decide(
      "movie_metadata.csv: focal length \(video.focal.map { Words.fixed($0.x, 1) } ?? "unknown") pixels in the median"
        + (video.principal == nil ? "; no principal point: the middle of the frame" : ""))
    try video.write(stamps, into: &target)
  }
}

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
