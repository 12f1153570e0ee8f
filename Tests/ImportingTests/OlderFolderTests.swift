import Datasets
import Foundation
import Importing
import SensorData
import Testing

/// What an import finds where it writes: an older recording stays as it was unless the new one is whole.
@Suite struct OlderFolderTests {
  private func import_(_ source: Folder, _ output: Folder, checks: Bool = true) throws -> ImportReport {
    try Importer.run(.stray, source: source.url.path, output: output.url.path, options: .init(checks: checks))
  }

  /// Each has replaced the older folder by one that no run took, or by a mixture.
  @Test(arguments: [
    ("odometry.csv", 3, 3, "1e300", true), ("odometry.csv", 3, 3, "1e300", false), ("ranges.csv", 5, 3, "text", true),
    ("imu.csv", 4, 2, "1e8", true), ("imu.csv", 4, 2, "1e8", false), ("odometry.csv", 3, 3, "5e8", false),
  ])
  func aRefusedImportLeavesItAndNamesTheSource(
    _ file: String, _ line: Int, _ cell: Int, _ value: String, _ checks: Bool
  ) throws {
    let (good, bad, output) = (try Folder(), try Folder(), try Folder())
    try ForeignSamples.write(.stray, to: good)
    try ForeignSamples.write(.stray, to: bad)
    _ = try import_(good, output)
    try output.write("notes.txt", "mine")
    let before = try output.contents()
    // Radios may have bad rows: all of them are.
    for row in file == "ranges.csv" ? line..<line + 20 : line..<line + 1 { try bad.cell(file, row, cell, value) }
    let error = #expect(throws: DatasetError.self) { try import_(bad, output, checks: checks) }
    #expect(error?.file == bad.path(file) && error?.line == line, "\(String(describing: error))")
    #expect(try output.contents() == before)
    let empty = try Folder()
    #expect(throws: DatasetError.self) { try import_(bad, empty, checks: checks) }
    #expect(try empty.contents().isEmpty)
  }

  @Test func aNewImportReplacesAllOfTheOlderOne() throws {
    let (first, second, output) = (try Folder(), try Folder(), try Folder())
    try ForeignSamples.write(.stray, to: first)
    try ForeignSamples.write(.stray, to: second)
    try second.remove("imu.csv")
    _ = try import_(first, output)
    try output.write("notes.txt", "mine")
    #expect(try output.contents()["mav0/imu0/data.csv"] != nil)
    _ = try import_(second, output)
    let contents = try output.contents()
    #expect(contents.keys.filter { $0.hasPrefix("mav0/imu0") }.isEmpty)
    #expect(contents["notes.txt"] == "mine")
  }

  /// A camera beside data of another source must not become part of this one.
  @Test func camerasOfAnotherRecordingAreNotKept() throws {
    let (first, second, output) = (try Folder(), try Folder(), try Folder())
    try ForeignSamples.write(.stray, to: first)
    try ForeignSamples.write(.stray, to: second)
    _ = try import_(first, output)
    try output.write("mav0/cam0/sensor.yaml", "of the first")
    let before = try output.contents()
    let error = #expect(throws: DatasetError.self) { try import_(second, output, checks: false) }
    #expect(error?.found.contains("cam0") == true)
    #expect(try output.contents() == before)
    // Of the same source they are: images were made of its video.
    let again = try import_(first, output, checks: false)
    #expect(again.decisions.contains { $0.contains("cam0") && $0.contains("same source") })
    #expect(try output.contents()["mav0/cam0/sensor.yaml"] == "of the first")
  }

  @Test func aCameraAloneBelongsToWhatIsImportedBesideIt() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.write(.stray, to: source)
    try output.write("mav0/cam0/sensor.yaml", "first")
    let report = try import_(source, output, checks: false)
    #expect(report.decisions.contains { $0.contains("cam0") })
    #expect(try output.contents()["mav0/cam0/sensor.yaml"] == "first")
  }

  @Test func aSourceIsNotReplaced() throws {
    let source = try Folder()
    try ForeignSamples.write(.stray, to: source)
    try source.write("dataset.yaml", "mine")
    let before = try source.contents()
    #expect(throws: OutputError.self) { try import_(source, source, checks: false) }
    #expect(try source.contents() == before)
  }

  /// The same anchor twice is one anchor; in two places it is a contradiction, named by its row.
  @Test func anAnchorInTwoPlacesIsNamed() throws {
    let source = try Folder(), output = try Folder()
    let sample = try ForeignSamples.write(.plaza, to: source)
    let tables = try source.contents().keys.filter { $0.contains("TL") }
    let name = try #require(tables.first)
    let rows = try source.text(name).split(separator: "\n").map(String.init)
    let last = try #require(rows.last)
    try source.write(name, (rows + [last]).joined(separator: "\n") + "\n")
    #expect(throws: Never.self) { try Importer.run(.plaza, source: sample.source, output: output.url.path) }
    let moved = last.replacingOccurrences(of: #"([0-9.]+)\s*$"#, with: "987.5", options: .regularExpression)
    try source.write(name, (rows + [moved]).joined(separator: "\n") + "\n")
    let before = try output.contents()
    let error = #expect(throws: DatasetError.self) {
      try Importer.run(.plaza, source: sample.source, output: output.url.path)
    }
    #expect(
      error?.line == rows.count + 1 && error?.found.contains("second position") == true, "\(String(describing: error))")
    #expect(try output.contents() == before)
  }
}
