import Datasets
import Foundation
import Geometry
import Importing
import SensorData
import TestSupport
import Testing

/// Times of every usual form, each said; and the clocks of files beside a log.
@Suite struct TimeTests {
  /// An hour after the walk's beginning, so that no time of day is near zero: 2023-11-14 23:13:20 UTC.
  private static let start = 1_700_003_600
  private static let map =
    "odometry0: {file: p.csv, time: t, position: [x, y, z], quaternion: [qw, qx, qy, qz]}\n"

  /// Poses and ranges of the walk, their times written by two functions of seconds since the beginning.
  private func write(
    _ source: Folder, poses: (Double) -> String, ranges: (Double) -> String, headers: (String, String) = ("t", "t")
  ) throws {
    var p = "\(headers.0),x,y,z,qw,qx,qy,qz\n", r = "\(headers.1),id,d\n"
    for t in Walk.times(50) {
      let pose = Walk.pose(t)
      p += "\(poses(t)),\(Walk.n(pose.translation)),\(Walk.n(pose.rotation.w)),\(Walk.n(pose.rotation.v))\n"
    }
    for t in Walk.times(10) { r += "\(ranges(t)),1,\(Walk.n(Walk.range(t, Walk.peers[0].place)))\n" }
    try source.write("p.csv", p)
    try source.write("r.csv", r)
  }

  private static func iso(_ t: Double, _ format: String = "%04d-%02d-%02dT%02d:%02d:%02d.%06d", hours: Int = 0)
    -> String
  {
    let micro = Int((t * 1e6).rounded()), seconds = start + hours * 3600 + micro / 1_000_000
    // 2023-11-14 or the day after.
    let day = seconds / 86400 - 19675
    return String(
      format: format, 2023, 11, 14 + day, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60, micro % 1_000_000)
  }

  private static func epoch(_ t: Double, _ unit: Double) -> String {
    unit == 1 ? Walk.n(Double(start) + t, 6) : "\(start * Int(unit) + Int((t * unit).rounded()))"
  }

  /// Imports, and gives the first stamp of poses and of ranges, nanoseconds.
  private func imported(
    _ source: Folder, _ more: String = "uwb0: {file: r.csv, time: t, peer: id, range: d}\n"
  ) throws -> (report: ImportReport, poses: Int64, ranges: Int64) {
    let output = try Folder()
    try source.write("map.yaml", Self.map + more)
    let report = try Importer.run(
      .csv, source: source.url.path, output: output.url.path, options: .init(map: source.path("map.yaml")))
    func first(_ name: String) throws -> Int64 {
      let lines = try output.text("mav0/\(name)/data.csv").split(separator: "\n")
      return Int64(lines[1].prefix { $0 != "," }) ?? -1
    }
    return (report, try first("odometry0"), try first("uwb0"))
  }

  static let dates: [(String, @Sendable (Double) -> String)] = [
    ("with their zone", { iso($0) + "Z" }), ("without a zone, taken as UTC", { iso($0) }),
    ("with their zone", { iso($0, hours: 1) + "+01:00" }), ("with their zone", { iso($0, hours: -5) + "-0500" }),
    ("without a zone", { iso($0, "%04d-%02d-%02d %02d:%02d:%02d.%06d") }),
    ("without a zone", { iso($0, "%04d/%02d/%02d %02d:%02d:%02d.%06d") }),
    ("with their zone", { iso($0, "%04d%02d%02dT%02d%02d%02d.%06d") + "Z" }),
    ("with their zone", { iso($0, "%04d-%02d-%02d %02d:%02d:%02d.%06d") + " UTC" }),
  ]

  @Test(arguments: dates.indices) func datesAreRead(_ index: Int) throws {
    let (words, form) = Self.dates[index]
    let source = try Folder()
    try write(source, poses: form, ranges: { Self.epoch($0, 1000) })
    let (report, poses, ranges) = try imported(source)
    #expect(poses == Int64(Self.start) * 1_000_000_000 && ranges == poses)
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.decisions.contains { $0.contains("p.csv: times are dates, \(words)") }, "\(report.decisions)")
    #expect(report.decisions.contains("r.csv: times in ms since 1970"))
  }

  @Test(arguments: [(1.0, "s"), (1e3, "ms"), (1e6, "us"), (1e9, "ns")]) func unitsSince1970AreFound(
    unit: Double, name: String
  ) throws {
    let source = try Folder()
    try write(source, poses: { Self.epoch($0, unit) }, ranges: { Self.iso($0) + "Z" })
    let (report, poses, ranges) = try imported(source)
    #expect(poses == Int64(Self.start) * 1_000_000_000 && ranges == poses && report.findings.isEmpty)
    #expect(report.decisions.contains("p.csv: times in \(name) since 1970"))
  }

  /// From zero: the rate of the rows tells the unit, or the header does.
  @Test(arguments: [(1.0, "s"), (1e3, "ms"), (1e6, "us"), (1e9, "ns")]) func unitsFromZeroAreFound(
    unit: Double, name: String
  ) throws {
    let source = try Folder()
    func cell(_ t: Double) -> String { unit == 1 ? Walk.n(t, 3) : "\(Int((t * unit).rounded()))" }
    try write(source, poses: cell, ranges: cell)
    let found = try imported(source)
    #expect(found.poses == 0 && found.ranges == 0 && found.report.findings.isEmpty, "\(found.report.findings)")
    #expect(
      found.report.decisions.contains { $0.hasPrefix("p.csv: times in \(name), by its rows' rate of 50 Hz, from zero") }
    )
    for header in ["t [\(name)]", "t(\(name))"] {
      try write(source, poses: cell, ranges: cell, headers: (header, header))
      let stated = try imported(source)
      #expect(
        stated.report.findings.isEmpty
          && stated.report.decisions.contains { $0.contains("as the header says, from zero") })
    }
  }

  @Test func statedUnitsStay() throws {
    let source = try Folder()
    try write(source, poses: { Self.epoch($0, 1000) }, ranges: { Self.epoch($0, 1000) })
    let stated = try imported(source, "uwb0: {file: r.csv, time: t, time_unit: ms, peer: id, range: d}\n")
    #expect(
      stated.report.decisions.contains("r.csv: times in ms, as stated, since 1970") && stated.report.findings.isEmpty)
    #expect(throws: DatasetError.self) {
      try imported(source, "uwb0: {file: r.csv, time: t, time_unit: iso, peer: id, range: d}\n")
    }
  }

  @Test(arguments: [
    ("noon", "a number in s, ms, us or ns, or a date"), ("2023-13-01T00:00:00Z", "or a date"),
    ("2023-02-29 10:00:00", "or a date"), ("11/12/2023 10:00:00", "day and month are plain"), ("", "or a date"),
    ("2023-11-14T25:00:00Z", "or a date"), ("22:13:20:5", "or a date"),
  ]) func noTimesAreRefused(text: String, remedy: String) throws {
    let source = try Folder()
    try write(source, poses: { _ in text }, ranges: { Self.epoch($0, 1) })
    let error = #expect(throws: DatasetError.self) { try imported(source) }
    #expect(error?.file == source.path("p.csv") && error?.line == 2, "\(String(describing: error))")
    #expect(error?.expected.contains(remedy) == true, "\(String(describing: error))")
  }

  // MARK: - One file an anchor

  private func anchors(_ source: Folder, _ names: (String) -> String) throws {
    for (k, peer) in Walk.peers.enumerated() {
      var text = "t,d\n"
      for t in Walk.times(10) {
        text += "\(Walk.n(t + 0.01 * Double(k), 3)),\(Walk.n(Walk.range(t + 0.01 * Double(k), peer.place)))\n"
      }
      try source.write(names(peer.id), text)
    }
  }

  @Test(arguments: [
    ("anchor_%@.csv", "anchor_*.csv"), ("uwb/%@/ranges.csv", "uwb/*/ranges.csv"), ("A%@-log.csv", "A{peer}-log.csv"),
    ("2023_tag1_%@_x.csv", "*_tag1_{peer}_*.csv"),
  ]) func oneFileAnAnchor(name: String, pattern: String) throws {
    let source = try Folder()
    try write(source, poses: { Walk.n($0, 3) }, ranges: { Walk.n($0, 3) })
    try anchors(source) { name.replacingOccurrences(of: "%@", with: $0) }
    let (report, _, _) = try imported(
      source, "uwb0: {files: \"\(pattern)\", peer: from the name, time: t, range: d}\n")
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(
      report.counts["uwb0 rows"] == 3 * Walk.times(10).count
        && report.counts.keys.allSatisfy { !$0.contains("going back") })
    #expect(report.decisions.contains { $0.contains("3 files of ranges, the peers by their names: 1, 2, 3") })
  }

  @Test func listedFilesGoByTheirNames() throws {
    let source = try Folder()
    try write(source, poses: { Walk.n($0, 3) }, ranges: { Walk.n($0, 3) })
    try anchors(source) { "a\($0).csv" }
    let (report, _, _) = try imported(
      source, "uwb0: {files: [a1.csv, a2.csv], peer: from the name, time: t, range: d}\n")
    #expect(report.decisions.contains { $0.contains("the peers by their names: a1, a2") })
  }

  @Test func aPatternThatFitsNothingIsRefused() throws {
    let source = try Folder()
    try write(source, poses: { Walk.n($0, 3) }, ranges: { Walk.n($0, 3) })
    let error = #expect(throws: DatasetError.self) {
      try imported(source, "uwb0: {files: b_*.csv, peer: from the name, time: t, range: d}\n")
    }
    #expect(error?.found == "no file b_*.csv" && error?.line == 2 && error?.expected.contains("p.csv") == true)
    let silent = #expect(throws: DatasetError.self) {
      try imported(source, "uwb0: {files: \"*.csv\", time: t, range: d}\n")
    }
    #expect(silent?.expected.contains("peer: from the name") == true)
  }

  // MARK: - Clocks beside a log

  /// Poses of Stray Scanner on a clock, ranges on another: each relation is found, and said.
  @Test(arguments: [
    ("on the log's clock", 84_210.5, 84_210.5, false), ("from zero", 84_210.5, 0.05, false),
    ("the time of day", 80_000.5, 80_000.5 + 1_699_920_000, false), ("the time of day", 80_000.5, 80_000.5, true),
    ("from zero", 1_700_000_000.25, 0.0, false), ("on the log's clock", 0.0, 0.0, false),
    ("on the log's clock", 1_700_000_000.25, 1_700_000_000.25, false),
  ]) func rangesComeOntoTheLogsClock(words: String, log: Double, ranges: Double, asDate: Bool) throws {
    let (source, output) = (try Folder(), try Folder())
    var poses = "timestamp, frame, x, y, z, qx, qy, qz, qw\n", r = "timestamp,peer_id,range\n"
    for (k, t) in Walk.times(60).enumerated() {
      poses += "\(Walk.n(log + t, 6)), \(k), \(Walk.n(t, 3)), 0, 0, 0, 0, 0, 1\n"
    }
    for t in Walk.times(10) {
      let time = ranges + t, s = Int(time)
      let date = String(
        format: "2023-11-14T%02d:%02d:%02d.%03dZ", s / 3600, s / 60 % 60, s % 60,
        Int(((time - Double(s)) * 1000).rounded()) % 1000)
      r += "\(asDate ? date : Walk.n(time, 6)),tag,\(Walk.n(3 + 0.1 * t))\n"
    }
    try source.write("odometry.csv", poses)
    try source.write("ranges.csv", r)
    let report = try Importer.run(.stray, source: source.url.path, output: output.url.path)
    #expect(!report.findings.contains { $0.code == "clockOverlap" }, "\(report.findings) \(report.decisions)")
    #expect(report.decisions.contains { $0.hasPrefix("ranges.csv: ") && $0.contains(words) }, "\(report.decisions)")
    #expect(report.findings.contains { $0.code == "clockAssumed" } == (words == "the time of day"))
  }

  /// Ranges since 1970 beside a log from zero have no relation that anybody could know.
  @Test func clocksThatNeverMeetAreSaid() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.write(.stray, to: source)
    try source.rows("ranges.csv") { ["\(1_700_050_000 + (Double($0[0]) ?? 0))"] + $0.dropFirst() }
    let report = try Importer.run(.stray, source: source.url.path, output: output.url.path)
    #expect(report.findings.contains { $0.code == "clockOverlap" && $0.weight == .fault })
    #expect(report.decisions.contains { $0.contains("by no clock that is known") })
  }

  // MARK: - Cases

  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message))) func theCaseHasTheRightAnswer() throws {
    let (source, output) = (SharedData.recording("cases/iso-times").path, try Folder())
    let report = try Importer.run(.arkitNI, source: source, output: output.url.path)
    #expect(report.decisions.contains("ni.csv: times are dates, with their zone"))
    #expect(report.decisions.contains { $0.hasPrefix("arkit.csv: times in s") })
    #expect(!report.hasFault && report.next == ImportReport.run, "\(report.findings)")
  }
}
