import Foundation
import Geometry
import SensorData

/// Writes a recording as its rows come, in bounded memory: for imports of any length.
///
/// Rows of one sensor come in order of time; one that goes back, or that repeats a stamp where a stamp is the key, is
/// left out and counted. Every file appears under its name at the end, when all are complete.
package final class DatasetStreamWriter {
  /// A table of the recording.
  package enum Stream: String, CaseIterable, Sendable {
    case imu = "imu0"
    case odometry = "odometry0"
    case ranges = "uwb0"
    case truth = "state_groundtruth_estimate0"
    case peers = "peers_groundtruth0"
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

  private struct Table {
    var text: TableText
    var file: AtomicFile
  }

  private let folder: String
  private let rangeColumns: [RangeColumn]
  private var tables: [Stream: Table] = [:]
  /// Rows by stream.
  package private(set) var counts: [Stream: Counts] = [:]

  /// - Parameters:
  ///   - folder: created with its parents where it is absent.
  ///   - rangeColumns: optional columns of `uwb0/data.csv`, by name: `range_std`, `antenna_id`, ...
  package init(folder: String, rangeColumns: [String]) {
    self.folder = folder
    self.rangeColumns = RangeColumn.all.filter { column in
      rangeColumns.contains { column.header.hasPrefix($0 + " [") }
    }
  }

  /// Adds an inertial reading.
  package func add(_ sample: IMUSample) throws {
    try row(.imu, DatasetTables.inertialColumns, sample.timestamp, isKey: true) { try $0.add(sample) }
  }

  /// Adds a pose of another tracker.
  package func add(_ pose: OdometryPose) throws {
    try row(.odometry, DatasetTables.poseColumns, pose.timestamp, isKey: true) { try $0.add(pose.worldFromSensor) }
  }

  /// Adds a true state of the body; its pose only.
  package func add(_ state: GroundTruthState) throws {
    try row(.truth, DatasetTables.poseColumns, state.timestamp, isKey: true) { try $0.add(state.worldFromBody) }
  }

  /// Adds a range.
  package func add(_ range: RangeMeasurement) throws {
    let columns = rangeColumns
    let header = ",peer_id [],range [m]" + columns.map { "," + $0.header }.joined()
    try row(.ranges, header, range.timestamp, isKey: false) { try $0.add(range, columns) }
  }

  /// Adds a true position of a peer.
  package func add(_ peer: GroundTruthPeer) throws {
    try row(.peers, DatasetTables.peerColumns, peer.timestamp, isKey: false) {
      $0.add(peer.peer)
      try $0.add(peer.position, decimals: 6)
    }
  }

  private func row(
    _ stream: Stream, _ columns: String, _ stamp: Timestamp, isKey: Bool, _ write: (inout TableText) throws -> Void
  ) throws {
    var count = counts[stream] ?? Counts()
    defer { counts[stream] = count }
    let time = stamp.nanoseconds
    if time < count.last {
      count.goingBack += 1
      return
    }
    if isKey, time == count.last {
      count.repeated += 1
      return
    }
    if tables[stream] == nil {
      let path = "\(folder)/mav0/\(stream.rawValue)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      tables[stream] = Table(
        text: TableText(file: "\(path)/data.csv", header: "#timestamp [ns]" + columns),
        file: try AtomicFile(folder: path, name: "data.csv"))
    }
    tables[stream]!.text.add(time)
    try write(&tables[stream]!.text)
    tables[stream]!.text.endLine()
    count.written += 1
    count.first = min(count.first, time)
    count.last = time
    if count.written & 255 == 0 { try tables[stream]!.file.write(tables[stream]!.text.drain()) }
  }

  /// Writes the calibrations of the sensors that have rows, and gives all files their names; tables of an earlier
  /// recording that this one does not have are removed, cameras are left alone.
  package func finish(_ description: DatasetContents) throws {
    try finishTables()
    for stream in Stream.allCases where tables[stream] == nil {
      let path = "\(folder)/mav0/\(stream.rawValue)"
      for name in ["data.csv", "sensor.yaml"] { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }
      if (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == true {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    var described = description
    (described.events, described.truth, described.peers) = ([], [], [])
    try Self.writeCalibrations(described, to: folder)
    try commitTables()
  }

  /// Gives the tables their names; everything else in the folder stays as it is.
  package func commit() throws {
    try finishTables()
    try commitTables()
  }

  private func finishTables() throws {
    for stream in tables.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      try tables[stream]!.file.write(tables[stream]!.text.drain())
      try tables[stream]!.file.finishWriting()
    }
  }

  private func commitTables() throws {
    for stream in tables.keys.sorted(by: { $0.rawValue < $1.rawValue }) { try tables[stream]!.file.commit() }
    tables = [:]
  }

  /// Writes one camera's calibration where it is wanted.
  package static func write(_ camera: CameraCalibration, isFirst: Bool, to folder: String, name: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = try AtomicFile(folder: folder, name: name)
    try file.write(Array(DatasetCalibrationText.camera(camera, isFirst: isFirst).utf8))
    try file.commit()
  }

  /// Writes `dataset.yaml` and the sensors' calibrations of a rig into a folder, whose data stay as they are.
  ///
  /// - Parameter keepsDescription: whether a `dataset.yaml` that is there stays.
  package static func writeCalibrations(
    _ contents: DatasetContents, to folder: String, keepsDescription: Bool = false
  ) throws {
    for (name, text) in DatasetCalibrationText.files(contents).sorted(by: { $0.key < $1.key }) {
      if keepsDescription, name == "dataset.yaml", RegularFile.exists("\(folder)/\(name)") { continue }
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      let file = try AtomicFile(folder: url.deletingLastPathComponent().path, name: url.lastPathComponent)
      try file.write(Array(text.utf8))
      try file.commit()
    }
  }
}
