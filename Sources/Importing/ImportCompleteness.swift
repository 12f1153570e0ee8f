import Datasets

/// What of a source is not in the folder: rows out of order, sensors that a run needs.
enum ImportCompleteness {
  /// Adds a finding for each stream that lost more than one row in a thousand by its stamps, and for a folder without
  /// ranges.
  static func judge(
    _ counts: [DatasetStreamWriter.Stream: DatasetStreamWriter.Counts], _ report: inout ImportReport
  ) {
    for stream in DatasetStreamWriter.Stream.allCases {
      guard let count = counts[stream] else { continue }
      let rows = count.written + count.goingBack + count.repeated
      for (left, code, words, remedy) in [
        (
          count.goingBack, "stampOrder", "lie before the row above them",
          "sort the source by its time; files of several peers one behind the other are no order of time"
        ),
        (
          count.repeated, "stampRepeated", "have the stamp of the row above them",
          "write stamps with all their digits, each row once"
        ),
      ] where left * 1000 > rows {
        report.find(
          code, left * 10 > rows ? .fault : .note, "\(left) of \(rows) rows of \(stream.rawValue) \(words): left out",
          evidence: "\(Figures.fixed(100 * Double(left) / Double(rows), 1)) % of the rows", remedy: remedy)
      }
    }
    if counts[.ranges] == nil {
      report.find(
        "noRanges", .note, "no range was imported: a run finds no peer", evidence: "no row for uwb0",
        remedy: "add the file of the radio, and import again")
    }
  }

  /// Gyroscope readings that found no acceleration near them, and those beyond the end of the accelerometer's: a log that
  /// one sensor ended earlier is shorter, and no fault.
  static func judge(unpaired: Int, beyond: Int, of readings: Int, _ report: inout ImportReport) {
    report.count("gyroscope readings without an acceleration near them", unpaired)
    report.count("gyroscope readings behind the accelerometer's last", beyond)
    guard unpaired * 10 > readings || (unpaired + beyond) * 2 > readings else { return }
    report.find(
      "imuUnpaired", .fault,
      "\(unpaired + beyond) of \(readings) gyroscope readings have no acceleration within 0.1 s",
      evidence: "stamps of both sensors", remedy: "log both sensors at once, on one clock")
  }
}
