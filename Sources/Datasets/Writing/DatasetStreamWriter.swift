import Foundation
import Geometry
import SensorData
import Wording

/// Writes a recording as its rows come, in bounded memory: for imports of any length.
///
/// Rows of one sensor come in order of time; one that goes back, or that repeats a stamp where a stamp is the key, is
/// left out and counted. The files appear when the folder is committed.
package final class DatasetStreamWriter {
  /// A table of the recording.
  package enum Stream: String, CaseIterable, Sendable {
    case imu = "imu0"
    case odometry = "odometry0"
    case ranges = "uwb0"
    case truth = "state_groundtruth_estimate0"
    case peers = "peers_groundtruth0"

    fileprivate var index: Int {
      switch self {
      case .imu: 0
      case .odometry: 1
      case .ranges: 2
      case .truth: 3
      case .peers: 4
      }
    }
  }

  /// What happened to the rows of a stream.
  package struct Counts: Equatable, Sendable {
    /// Rows written.
    package var written = 0
    /// Rows left out because their time goes back.
    package var goingBack = 0
    /// Rows left out because their stamp was there already.
    package var repeated = 0
    /// First and last stamp, nanoseconds.
    package var first = Int64.max
    package var last = Int64.min
  }

  /// One table that is being written.
  private final class Table {
    // Rows are written by one caller at a time: a check of exclusive access at every cell costs more than the cell.
    @exclusivity(unchecked) var text: TableText
    @exclusivity(unchecked) var count = Counts()
    let file: AtomicFile
    private var waiting = 0

    init(folder: StagedFolder, stream: Stream, columns: String) throws(OutputError) {
      let name = "mav0/\(stream.rawValue)/data.csv"
      text = TableText(file: "\(folder.path)/\(name)", header: "#timestamp [ns]" + columns)
      file = try folder.file(name)
    }

    /// Whether a row of that stamp is to be written; it is counted either way.
    func admits(_ time: Int64, isKey: Bool) -> Bool {
      if time < count.last {
        count.goingBack += 1
        return false
      }
      if isKey, time == count.last {
        count.repeated += 1
        return false
      }
      return true
    }

    func endRow(_ time: Int64) throws(OutputError) {
      text.endLine()
      count.written += 1
      count.first = min(count.first, time)
      count.last = time
      waiting += 1
      if waiting == 256 { try drain() }
    }

    func drain() throws(OutputError) {
      waiting = 0
      try file.write(text.drain())
    }
  }

  private let folder: StagedFolder
  private let rangeColumns: [RangeColumn]
  private var tables: [Table?] = Array(repeating: nil, count: Stream.allCases.count)

  /// Rows by stream, of those that have some.
  package var counts: [Stream: Counts] {
    var counts: [Stream: Counts] = [:]
    for stream in Stream.allCases { if let table = tables[stream.index] { counts[stream] = table.count } }
    return counts
  }

  /// - Parameters:
  ///   - folder: gets the files; its caller commits it.
  ///   - rangeColumns: optional columns of `uwb0/data.csv`, by name: `range_std`, `antenna_id`, ...
  package init(folder: StagedFolder, rangeColumns: [String]) {
    self.folder = folder
    self.rangeColumns = RangeColumn.all.filter { column in
      rangeColumns.contains { column.header.hasPrefix($0 + " [") }
    }
  }

  /// Adds an inertial reading.
  package func add(_ sample: IMUSample) throws {
    let table = try table(.imu) { DatasetTables.inertialColumns }, time = sample.timestamp.nanoseconds
    guard table.admits(time, isKey: true) else { return }
    table.text.add(time)
    try table.text.add(sample)
    try table.endRow(time)
  }

  /// Adds a pose of another tracker.
  package func add(_ pose: OdometryPose) throws { try add(pose.worldFromSensor, pose.timestamp, .odometry) }

  /// Adds a true state of the body; its pose only.
  package func add(_ state: GroundTruthState) throws { try add(state.worldFromBody, state.timestamp, .truth) }

  private func add(_ pose: Pose, _ stamp: Timestamp, _ stream: Stream) throws {
    let table = try table(stream) { DatasetTables.poseColumns }, time = stamp.nanoseconds
    guard table.admits(time, isKey: true) else { return }
    table.text.add(time)
    try table.text.add(pose)
    try table.endRow(time)
  }

  /// Adds a range.
  package func add(_ range: RangeMeasurement) throws {
    let columns = rangeColumns
    let table = try table(.ranges) { ",peer_id [],range [m]" + columns.map { "," + $0.header }.joined() }
    let time = range.timestamp.nanoseconds
    guard table.admits(time, isKey: false) else { return }
    table.text.add(time)
    try table.text.add(range, columns)
    try table.endRow(time)
  }

  /// Adds a true position of a peer.
  package func add(_ peer: GroundTruthPeer) throws {
    let table = try table(.peers) { DatasetTables.peerColumns }, time = peer.timestamp.nanoseconds
    guard table.admits(time, isKey: false) else { return }
    table.text.add(time)
    table.text.add(peer.peer)
    try table.text.add(peer.position, decimals: 6)
    try table.endRow(time)
  }

  private func table(_ stream: Stream, _ columns: () -> String) throws -> Table {
    if let table = tables[stream.index] { return table }
    let table = try Table(folder: folder, stream: stream, columns: columns())
    tables[stream.index] = table
    return table
  }

  /// Ends the tables, and writes `dataset.yaml` and the calibrations of the sensors that have rows.
  package func finish(_ description: DatasetContents) throws {
    try finish()
    var described = description
    (described.events, described.truth, described.peers) = ([], [], [])
    // A sensor without rows is not there.
    if tables[Stream.imu.index] == nil { described.rig.imu = nil }
    if tables[Stream.odometry.index] == nil { described.rig.odometry = nil }
    if tables[Stream.ranges.index] == nil { described.rig.radio = nil }
    try Self.writeCalibrations(described, to: folder)
  }

  /// Ends the tables.
  package func finish() throws {
    for table in tables.compactMap(\.self) {
      try table.drain()
      try table.file.commit()
    }
  }

  /// Writes one camera's calibration where it is wanted; without its place on the body where that is not known.
  package static func write(
    _ camera: CameraCalibration, isFirst: Bool, isPlaced: Bool = true, to folder: StagedFolder, name: String
  ) throws(OutputError) {
    let text = DatasetCalibrationText.camera(camera, isFirst: isFirst, isPlaced: isPlaced)
    try folder.write(Array(text.utf8), to: name)
  }

  /// Writes `dataset.yaml` and the sensors' calibrations of a rig.
  ///
  /// - Parameter keepsDescription: whether a `dataset.yaml` that is there stays.
  package static func writeCalibrations(
    _ contents: DatasetContents, to folder: StagedFolder, keepsDescription: Bool = false
  ) throws(OutputError) {
    for (name, text) in DatasetCalibrationText.files(contents).sorted(by: { $0.key < $1.key }) {
      if keepsDescription, name == "dataset.yaml", RegularFile.exists("\(folder.path)/\(name)") { continue }
      try folder.write(Array(text.utf8), to: name)
    }
  }
}

/// One optional column of `uwb0/data.csv`.
struct RangeColumn {
  /// Contents of a cell.
  enum Cell {
    case number(Double)
    case text(String)
  }

  /// Name and unit.
  let header: String
  /// The cell of a measurement; nil where it was not measured.
  let cell: (RangeMeasurement) -> Cell?

  /// All optional columns in the order in which they are written.
  static var all: [RangeColumn] {
    [
      number("range_std [m]", \.standardDeviation), number("azimuth [rad]", \.azimuth),
      number("elevation [rad]", \.elevation), number("angle_std [rad]", \.angleStandardDeviation),
      text("antenna_id []", \.antenna), number("rssi [dBm]", \.rssi),
      number("first_path_power [dBm]", \.firstPathPower), number("nlos []", \.nonLineOfSight),
      text("technology []", \.technology),
    ]
  }

  private static func number(_ header: String, _ path: KeyPath<RangeMeasurement, Double?>) -> RangeColumn {
    RangeColumn(header: header) { range in range[keyPath: path].map { .number($0) } }
  }

  private static func text(_ header: String, _ path: KeyPath<RangeMeasurement, String?>) -> RangeColumn {
    RangeColumn(header: header) { range in range[keyPath: path].map { .text($0) } }
  }
}
