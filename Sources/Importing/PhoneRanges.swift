import Datasets
import SensorData

/// `ranges.csv` beside a phone's log: a time, the peer's id, the range, optional its standard deviation, on any clock that
/// `LogClock` can bring onto the log's.
enum PhoneRanges {
  static let columns = ["range_std"]

  private static let names = ["ranges.csv", "range.csv", "uwb.csv", "ni.csv", "distances.csv"]
  /// Names of columns, best first; a unit in brackets or behind a line does no harm.
  static let times = [
    "timestamp", "time", "time_s", "timestamp_s", "t", "time_ns", "timestamp_ns", "time_us", "time_ms", "timestamp_ms",
    "timestamp_us",
    "seconds", "seconds_elapsed", "datetime", "date", "unix", "unix time", "epoch",
  ]
  static let peers = [
    "peer_id", "peer", "id", "anchor_id", "anchor", "tag_id", "tag", "token", "device", "address", "name", "node",
  ]
  static let ranges = [
    "range", "distance", "range_m", "distance_m", "dist", "d", "range_cm", "distance_cm", "range_mm", "distance_mm",
  ]

  /// Reads the ranges, if there are any, once poses and inertial readings are written: they say when the log was.
  ///
  /// - Parameter toEpoch: nanoseconds to add to the log's stamps for those since 1970, where the log says.
  static func read(_ folder: SourceFolder, _ target: inout ImportTarget, toEpoch: Int64? = nil) throws {
    guard let path = names.lazy.compactMap({ folder.file($0) }).first else {
      return target.report.decide("no ranges.csv (timestamp, peer_id, range): no peers")
    }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let found = try TimeForm.find(path, names: times, content: .ranges)
    target.report.decide(found.words)
    let shift = try shift(path, found.form, file, &target, toEpoch)
    let table = try open(path)
    let scale = Self.scale(table.name(2))
    if scale != 1 { target.report.decide("\(file): ranges in \(scale == 0.001 ? "mm" : "cm"), as the header says") }
    var failures = 0
    while let range = try table.next({ (t: SourceTable) throws(SourceFault) -> RangeMeasurement? in
      guard let range = try t.numberIfAny(2), range > 0 else {
        failures += 1
        return nil
      }
      guard let peer = t.has(1) ? try t.text(1) : "peer" else {
        throw SourceFault(found: "no peer_id", expected: "a peer's id")
      }
      return RangeMeasurement(
        timestamp: Timestamp(nanoseconds: try t.time(0, found.form) &+ shift), peer: peer,
        range: range * scale, standardDeviation: try t.numberIfAny(3).map { $0 * scale })
    }) { try target.add(range, table.refuse) }
    target.report.count("\(file) rows without a range", failures)
    target.report.count("\(file) bad rows skipped", table.bad)
    target.rig.radio = RadioCalibration()
  }

  private static func open(_ path: String) throws(DatasetError) -> SourceTable {
    try SourceTable(
      path: path,
      columns: [
        .init(names: times), .init(names: peers, needed: false), .init(names: ranges),
        .init("range_std", "std", "sigma", needed: false),
      ], isRadio: true)
  }

  /// Metres in the unit that a column's name ends in.
  private static func scale(_ name: String) -> Double {
    switch name.lowercased().split(whereSeparator: { !$0.isLetter }).last {
    case "mm": 0.001
    case "cm": 0.01
    default: 1
    }
  }

  /// What brings the times of a file onto the log's clock; 0 where the log has no times.
  private static func shift(
    _ path: String, _ form: TimeForm, _ file: String, _ target: inout ImportTarget, _ toEpoch: Int64?
  ) throws(DatasetError) -> Int64 {
    guard let clock = target.clock(toEpoch: toEpoch) else { return 0 }
    let table = try open(path)
    var first = Int64.max, last = Int64.min
    while let time = try table.next({ (t: SourceTable) throws(SourceFault) -> Int64? in try t.time(0, form) }) {
      (first, last) = (min(first, time), max(last, time))
    }
    return first <= last ? clock.shift(first: first, last: last, name: file, &target.report) : 0
  }
}

extension ImportTarget {
  /// The log's clock, of what is written by now; nil while that is nothing.
  func clock(toEpoch: Int64? = nil) -> LogClock? {
    let spans = writer.counts.filter { $0.key == .imu || $0.key == .odometry }.values.filter { $0.written > 0 }
    guard let first = spans.map(\.first).min(), let last = spans.map(\.last).max() else { return nil }
    return LogClock(first: first, last: last, toEpoch: toEpoch)
  }
}
