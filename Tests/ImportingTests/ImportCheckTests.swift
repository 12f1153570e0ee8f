import Foundation
import Geometry
import Importing
import SensorData
import Testing

/// The check finds the wrong frames, units and clocks that imports suffer from, and nothing in good ones.
@Suite struct ImportCheckTests {
  private func starloc(_ change: (Folder) throws -> Void) throws -> ImportReport {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.starloc(source)
    try change(source)
    return try Importer.run(.starloc, source: source.url.path, output: output.url.path)
  }

  @Test func aGyroscopeInTheBodysFrameIsFound() throws {
    let report = try starloc {
      try ForeignSamples.starlocInertial($0) { ForeignSamples.starlocIMU * $0 }
    }
    #expect(report.hasFault)
    #expect(report.findings.contains { ["imuAxes", "odometryConvention"].contains($0.code) }, "\(report.findings)")
  }

  @Test func degreesAreFound() throws {
    let report = try starloc { try ForeignSamples.starlocInertial($0) { $0 * (180 / .pi) } }
    #expect(
      report.findings.contains { $0.code == "gyroscopeUnit" && $0.remedy.contains("pi / 180") }, "\(report.findings)")
  }

  private func csv(_ change: (Folder) throws -> Void) throws -> ImportReport {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.csv(source)
    try change(source)
    return try Importer.run(
      .csv, source: source.url.path, output: output.url.path, options: .init(map: source.path("map.yaml")))
  }

  @Test func nothingIsFoundInGoodData() throws {
    let report = try csv { _ in }
    #expect(report.findings == [])
    #expect(abs(try #require(report.figures["specific force in the stillest second [m/s^2]"]) - 9.81) < 0.02)
    #expect(try #require(report.figures["correlation of gyroscope and poses"]) > 0.95)
  }

  @Test(arguments: [
    ("accelerometer_unit: g", "accelerometer_unit: m/s^2", "accelerometerUnit"),
    ("world_up: y", "world_up: z", "odometryConvention"),
    ("range_unit: cm", "range_unit: m", "rangeUnit"),
    ("accelerometer_unit: g", "accelerometer_unit: g\n  accelerometer_sign: apple", "odometryConvention"),
  ]) func wrongMapsAreFound(right: String, wrong: String, code: String) throws {
    let report = try csv { try $0.replace("map.yaml", right, wrong) }
    #expect(report.findings.contains { $0.code == code && $0.weight == .fault }, "\(report.findings)")
  }

  @Test func clocksThatDoNotMeetAreFound() throws {
    let report = try csv { try $0.replace("map.yaml", "time: us\n  time_unit: us", "time: us\n  time_unit: ns") }
    #expect(report.findings.contains { $0.code == "clockOverlap" && $0.weight == .fault }, "\(report.findings)")
  }

  /// Ranges to the wrong peers, against the truth that STAR-loc has.
  @Test func wrongIdsAreFound() throws {
    let report = try starloc { folder in
      var rows = try folder.text("uwb.csv").components(separatedBy: "\n")
      for k in rows.indices.dropFirst() where !rows[k].isEmpty {
        var cells = rows[k].components(separatedBy: ",")
        cells[1] = Walk.n(2 + 3 * abs(Double(k % 50) / 25 - 1))
        rows[k] = cells.joined(separator: ",")
      }
      try folder.write("uwb.csv", rows.joined(separator: "\n"))
    }
    #expect(report.findings.contains { $0.code == "rangesUnlikeTruth" }, "\(report.findings)")
  }

  @Test func aFolderMadeOtherwiseIsChecked() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.csv(source)
    let first = try Importer.run(
      .csv, source: source.url.path, output: output.url.path, options: .init(map: source.path("map.yaml")))
    let again = try Importer.check(output.url.path)
    #expect(again.figures == first.figures && again.counts == first.counts && again.decisions == first.decisions)
    try output.replace("mav0/imu0/sensor.yaml", "gravity_magnitude: 9.81", "gravity_magnitude: 1")
    #expect(try Importer.check(output.url.path).hasFault)
  }
}
