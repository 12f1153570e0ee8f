import Foundation
import Importing
import Testing

/// What is wrong with a source and cannot be seen in its text is found by the check, for each kind that has poses and a
/// gyroscope: frames, units, the order of a quaternion, clocks.
@Suite struct WrongFrameTests {
  /// Where a kind has its gyroscope and its poses, by their columns.
  struct Layout: Sendable, CustomTestStringConvertible {
    var kind: ImportKind
    var gyroscope: String
    var turns: [String]
    var forces: [String]
    var poses: String
    var quaternion: [String]
    var ranges: String
    var range: String

    var testDescription: String { kind.rawValue }
  }

  private static func xyz(_ name: String) -> [String] {
    ["x", "y", "z"].map { name.replacingOccurrences(of: "?", with: $0) }
  }
  private static let robot = "data/default_1/ifo001/"

  static let layouts = [
    Layout(
      kind: .starloc, gyroscope: "imu.csv", turns: xyz("angular_velocity_?"), forces: xyz("linear_acceleration_?"),
      poses: "uwb.csv", quaternion: ["w", "rot_x", "rot_y", "rot_z"], ranges: "uwb.csv", range: "range"),
    Layout(
      kind: .miluv, gyroscope: robot + "imu_px4.csv", turns: xyz("angular_velocity.?"),
      forces: xyz("linear_acceleration.?"),
      poses: robot + "mocap.csv", quaternion: ["pose.orientation.w"] + xyz("pose.orientation.?"),
      ranges: robot + "uwb_range.csv", range: "range"),
    Layout(
      kind: .arkitNI, gyroscope: "motion.csv", turns: xyz("gyro_?"), forces: xyz("accel_?"), poses: "arkit.csv",
      quaternion: [], ranges: "ni.csv", range: "distance"),
    Layout(
      kind: .stray, gyroscope: "imu.csv", turns: xyz("alpha_?"), forces: xyz("a_?"), poses: "odometry.csv",
      quaternion: ["qw", "qx", "qy", "qz"], ranges: "ranges.csv", range: "range"),
    Layout(
      kind: .sensorLogger, gyroscope: "Gyroscope.csv", turns: xyz("?"), forces: [], poses: "poses.csv",
      quaternion: ["qw", "qx", "qy", "qz"], ranges: "ranges.csv", range: "range"),
    Layout(
      kind: .csv, gyroscope: "imu.csv", turns: ["gx", "gy", "gz"], forces: ["ax", "ay", "az"], poses: "poses.csv",
      quaternion: ["a", "b", "c", "d"], ranges: "ranges.csv", range: "cm"),
  ]

  private func report(_ kind: ImportKind, _ damage: (Folder) throws -> Void) throws -> ImportReport {
    let (source, output) = (try Folder(), try Folder())
    let (path, map) = try ForeignSamples.write(kind, to: source)
    try damage(source)
    return try Importer.run(kind, source: path, output: output.url.path, options: .init(map: map))
  }

  private func expect(_ report: ImportReport, _ codes: [String]) {
    #expect(report.findings.contains { $0.weight == .fault && codes.contains($0.code) }, "\(report.findings)")
    for finding in report.findings { #expect(!finding.remedy.isEmpty && !finding.evidence.isEmpty) }
  }

  private static let frame = ["imuAxes", "odometryConvention", "gyroscopeUnit"]

  @Test(arguments: ForeignSamples.kinds) func nothingIsFoundInGoodSamples(kind: ImportKind) throws {
    let report = try report(kind) { _ in }
    #expect(!report.hasFault, "\(report.findings)")
  }

  /// The gyroscope's axes go round: x is called y, y z, z x.
  @Test(arguments: layouts) func aGyroscopeInAnotherFrameIsFound(layout: Layout) throws {
    expect(try report(layout.kind) { try $0.rename(layout.gyroscope, layout.turns, layout.turns.shifted) }, Self.frame)
  }

  @Test(arguments: layouts) func aMirroredGyroscopeIsFound(layout: Layout) throws {
    expect(try report(layout.kind) { try $0.scale(layout.gyroscope, layout.turns, -1) }, Self.frame)
  }

  @Test(arguments: layouts) func degreesAreFound(layout: Layout) throws {
    let factor = layout.kind == .csv ? Double.pi / 180 : 180 / .pi
    expect(
      try report(layout.kind) { try $0.scale(layout.gyroscope, layout.turns, factor) },
      ["gyroscopeUnit", "gyroscopeScale"])
  }

  @Test(arguments: layouts.filter { !$0.quaternion.isEmpty }) func theOrderOfTheQuaternionIsFound(layout: Layout) throws
  {
    expect(
      try report(layout.kind) { try $0.rename(layout.poses, layout.quaternion, layout.quaternion.shifted) }, Self.frame)
  }

  /// Stray Scanner's and the raw sensor of Sensor Logger are told by their size.
  @Test(arguments: layouts.filter { ![.stray, .sensorLogger].contains($0.kind) })
  func anAccelerationInAnotherUnitIsFound(layout: Layout) throws {
    let factor = [.csv, .arkitNI].contains(layout.kind) ? 9.80665 : 1 / 9.80665
    expect(
      try report(layout.kind) { try $0.scale(layout.gyroscope, layout.forces, factor) },
      ["accelerometerUnit", "accelerometerScale"])
  }

  @Test(arguments: layouts) func millimetresAreFound(layout: Layout) throws {
    expect(try report(layout.kind) { try $0.scale(layout.ranges, [layout.range], 1000) }, ["rangeUnit"])
  }

  /// The inertial unit counts from its own start.
  @Test(arguments: layouts.filter { ![.starloc, .sensorLogger].contains($0.kind) })
  func anotherClockIsFound(layout: Layout) throws {
    let report = try report(layout.kind) { folder in
      let name = try folder.header(layout.gyroscope)[0]
      try folder.add(layout.gyroscope, name, 3)
    }
    expect(report, ["odometryClock", "truthClock"])
  }

  @Test(arguments: layouts.filter { $0.kind != .starloc && $0.kind != .arkitNI }) func rowsOutOfOrderAreFound(
    layout: Layout
  ) throws {
    let report = try report(layout.kind) { folder in
      var lines = try folder.text(layout.ranges).components(separatedBy: "\n").filter { !$0.isEmpty }
      lines = [lines[0]] + lines.dropFirst().reversed()
      try folder.write(layout.ranges, lines.joined(separator: "\n") + "\n")
    }
    expect(report, ["stampOrder"])
  }

  // MARK: - Spectacular AI, which has no columns

  @Test(arguments: ["frame", "degrees", "order", "g", "millimetres"]) func spectacular(wrong: String) throws {
    let report = try report(.spectacular) { folder in
      if wrong == "millimetres" { return try folder.scale("ranges.csv", ["range"], 1000) }
      let lines = try folder.text("data.jsonl").components(separatedBy: "\n").map { line -> String in
        func values(_ type: String, _ change: ([Double]) -> [Double]) -> String {
          guard line.contains("\"\(type)\""), let open = line.range(of: "[") else { return line }
          let numbers = line[open.upperBound...].prefix { $0 != "]" }.split(separator: ",").map { Double($0)! }
          return line[..<open.upperBound] + change(numbers).map { Walk.n($0) }.joined(separator: ",") + "]}}"
        }
        switch wrong {
        case "frame": return values("gyroscope") { $0.shifted }
        case "degrees": return values("gyroscope") { $0.map { $0 * 180 / .pi } }
        case "g": return values("accelerometer") { $0.map { $0 / 9.80665 } }
        default:
          return line.replacingOccurrences(of: "\"orientation\":{\"w\"", with: "\"orientation\":{\"W\"")
            .replacingOccurrences(of: "\"z\":(-?[0-9.]+)\\}\\}\\}", with: "\"w\":$1}}}", options: .regularExpression)
            .replacingOccurrences(of: "\"W\"", with: "\"z\"")
        }
      }
      try folder.write("data.jsonl", lines.joined(separator: "\n"))
    }
    let codes: [String: [String]] = [
      "frame": ["imuAxes", "truthConvention"], "degrees": ["gyroscopeUnit"], "order": ["imuAxes", "truthConvention"],
      "g": ["accelerometerUnit"], "millimetres": ["rangeUnit"],
    ]
    expect(report, codes[wrong]!)
  }

  // MARK: - Maps and inertial units in files of their own

  /// Every unit of time that a map may name wrongly.
  @Test(arguments: [("time: t", "ms"), ("time: t", "us"), ("time: t", "ns")])
  func wrongUnitsOfTimeAreFound(key: String, unit: String) throws {
    let report = try report(.csv) { try $0.replace("map.yaml", key, "\(key)\n  time_unit: \(unit)") }
    expect(report, ["timestampUnit", "stampRepeated", "clockOverlap"])
  }

  @Test func gravityOnAnotherClockIsFound() throws {
    let report = try report(.sensorLogger) { try $0.add("Gravity.csv", "time", 500_000) }
    expect(report, ["imuUnpaired"])
  }

  @Test func aFolderWithoutRangesOrPosesSaysSo() throws {
    let report = try report(.sensorLogger) {
      try $0.remove("ranges.csv")
      try $0.remove("poses.csv")
    }
    #expect(report.findings.map(\.code).sorted() == ["noRanges", "noTrajectory"])
  }
}

extension Array {
  /// The first element last.
  fileprivate var shifted: [Element] { Array(dropFirst() + prefix(1)) }
}

extension Folder {
  fileprivate func mark(_ name: String) throws -> String {
    try text(name).prefix { $0 != "\n" }.contains(";") ? ";" : ","
  }

  fileprivate func header(_ name: String) throws -> [String] {
    let mark = try mark(name)
    return try text(name).prefix { $0 != "\n" }.components(separatedBy: mark).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  /// Gives columns other names.
  fileprivate func rename(_ name: String, _ old: [String], _ new: [String]) throws {
    let header = try header(name), mark = try mark(name)
    precondition(old.allSatisfy(header.contains))
    try line(name, 1) { _ in
      header.map { column in old.firstIndex(of: column).map { new[$0] } ?? column }.joined(separator: mark)
    }
  }

  fileprivate func scale(_ name: String, _ columns: [String], _ factor: Double) throws {
    try change(name, columns) { Walk.n(Double($0)! * factor) }
  }

  /// Adds to whole numbers or seconds.
  fileprivate func add(_ name: String, _ column: String, _ value: Double) throws {
    try change(name, [column]) { text in Int(text).map { "\($0 + Int(value))" } ?? Walk.n(Double(text)! + value, 6) }
  }

  private func change(_ name: String, _ columns: [String], _ change: (String) -> String) throws {
    let header = try header(name), mark = try mark(name)
    let places = columns.map { header.firstIndex(of: $0)! }
    var lines = try text(name).components(separatedBy: "\n")
    for k in lines.indices.dropFirst() where !lines[k].isEmpty {
      var cells = lines[k].components(separatedBy: mark)
      for place in places { cells[place] = change(cells[place].trimmingCharacters(in: .whitespaces)) }
      lines[k] = cells.joined(separator: mark)
    }
    try write(name, lines.joined(separator: "\n"))
  }
}
