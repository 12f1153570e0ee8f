import Datasets
import EventLines
import Foundation
import FuseCaptureFormat
import JSONText
import SensorData

/// A session's stream as a dataset folder, in a tar archive (POSIX.1-1988, ustar) or as it is.
///
/// Numbers are the shortest that read back as the same Double, and a file has a column `arrival [ns]` where the order of
/// lines is not the order of stamps: `fuse run` on it gives the session's bytes. In bounded memory: two passes over the
/// log.
package struct RecordingArchive {
  private let setup: SessionSetup
  private let name: String
  private let folder: String
  /// Calls back with every event of the session, in order.
  private let events: ((TimedEvent) throws -> Void) throws -> Void

  /// An archive of what `events` passes on; `folder` exists and is for its temporary files.
  package init(
    _ setup: SessionSetup, name: String, folder: String, events: @escaping ((TimedEvent) throws -> Void) throws -> Void
  ) {
    self.setup = setup
    self.name = name
    self.folder = folder
    self.events = events
  }

  /// The recording of batches in a log, as they are admitted; `read` passes on their records, in order.
  init(
    _ setup: SessionSetup, name: String, folder: String,
    records read: @escaping ((LogRecord) throws -> Bool) throws -> Void
  ) {
    let events: ((TimedEvent) throws -> Void) throws -> Void = { body in
      var admission = EventAdmission(rig: setup.header.rig, usesOdometry: setup.header.trajectory == .odometry)
      var events: [TimedEvent] = []
      func pass() throws {
        for event in events { try body(event) }
        events.removeAll(keepingCapacity: true)
      }
      try read { record in
        for parsed in try EventBatch(accepted: record.payload).events { admission.admit(parsed, into: &events) }
        try pass()
        return true
      }
      admission.finish(into: &events)
      try pass()
    }
    self.init(setup, name: name, folder: folder, events: events)
  }

  /// Writes the archive into `folder` and returns its path.
  package func write() throws -> String {
    let (tables, texts) = try tables()
    defer { for table in tables.values { unlink(table.path) } }
    let path = "\(folder)/recording.tar"
    let archive = try PrivateFile(path: path)
    for (file, text) in texts {
      try Self.add("\(name)/\(file)", size: text.utf8.count, to: archive)
      try archive.append(Array(text.utf8) + Self.padding(text.utf8.count))
    }
    for (file, table) in tables.sorted(by: { $0.key < $1.key }) {
      try Self.add("\(name)/mav0/\(file)", size: table.size, to: archive)
      try Self.copy(table.path, to: archive)
      try archive.append(Self.padding(table.size))
    }
    try archive.append([UInt8](repeating: 0, count: 1024))
    return path
  }

  /// Writes the recording into `folder` as it is in the archive: `mav0` and the files beside it.
  package func writeFolder() throws {
    let (tables, texts) = try tables()
    defer { for table in tables.values { unlink(table.path) } }
    func place(_ file: String) throws -> String {
      let path = "\(folder)/\(file)"
      try FileManager.default.createDirectory(
        atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      return path
    }
    for (file, text) in texts {
      let copy = try PrivateFile(path: place(file))
      try copy.append(Array(text.utf8))
      copy.sync()
    }
    for (file, table) in tables {
      let path = try place("mav0/\(file)")
      guard rename(table.path, path) == 0 else { throw SegmentFile.error(path) }
    }
  }

  /// The tables as temporary files, and the files of keys.
  private func tables() throws -> (tables: [String: Table], texts: [(file: String, text: String)]) {
    var late: Set<String> = []
    var present: Set<String> = []
    var hasView = false
    try events { timed in
      for file in Self.files(timed.event) {
        present.insert(file)
        if timed.arrival != timed.event.timestamp { late.insert(file) }
      }
      if case .frame(let frame) = timed.event, frame.view != nil { hasView = true }
    }
    var tables: [String: Table] = [:]
    for file in present {
      tables[file] = try Table(
        path: "\(folder)/" + file.replacingOccurrences(of: "/", with: "-"),
        columns: Self.columns(file, hasView: hasView),
        hasArrival: late.contains(file))
    }
    try events { timed in
      for file in Self.files(timed.event) { try tables[file]!.add(timed, file: file, hasView: hasView) }
    }
    for table in tables.values { try table.flush() }
    return (tables, try calibrations(present).sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  // MARK: tables

  private static func files(_ event: SensorEvent) -> [String] {
    switch event {
    case .imu: ["imu0/data.csv"]
    case .odometry: ["odometry0/data.csv"]
    case .frame(let frame): ["cam\(frame.camera)/features.csv", "cam\(frame.camera)/frames.csv"]
    case .device: ["events0/data.csv"]
    case .range: ["uwb0/data.csv"]
    }
  }

  private static func columns(_ file: String, hasView: Bool) -> String {
    switch file {
    case "imu0/data.csv":
      "w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]"
    case "odometry0/data.csv":
      "p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
    case "events0/data.csv": "event [],peer_id []"
    case "uwb0/data.csv":
      "peer_id [],range [m],range_std [m],azimuth [rad],elevation [rad],angle_std [rad],antenna_id [],rssi [dBm],"
        + "first_path_power [dBm],nlos [],technology []"
    case _ where file.hasSuffix("features.csv"): "feature_id [],u [px],v [px]"
    default: "mean_luma [],exposure_time [ns]" + (hasView ? ",view []" : "")
    }
  }

  /// One table, written to a temporary file.
  private final class Table {
    let path: String
    private let hasArrival: Bool
    private let file: PrivateFile
    private var text: [UInt8]
    private(set) var size = 0

    init(path: String, columns: String, hasArrival: Bool) throws {
      self.path = path
      self.hasArrival = hasArrival
      file = try PrivateFile(path: path)
      text = Array("#timestamp [ns],\(columns)\(hasArrival ? ",arrival [ns]" : "")\n".utf8)
    }

    func add(_ timed: TimedEvent, file: String, hasView: Bool) throws {
      switch timed.event {
      case .imu(let sample):
        row(timed, [sample.angularVelocity, sample.specificForce].flatMap { [$0.x, $0.y, $0.z] }.map(Self.text))
      case .odometry(let pose):
        let (p, q) = (pose.worldFromSensor.translation, pose.worldFromSensor.rotation.readableQuaternion)
        row(timed, [p.x, p.y, p.z, q.w, q.x, q.y, q.z].map(Self.text))
      case .device(let event): row(timed, [event.name, event.peer ?? ""])
      case .range(let range):
        row(
          timed,
          [
            range.peer, Self.text(range.range), Self.text(range.standardDeviation), Self.text(range.azimuth),
            Self.text(range.elevation), Self.text(range.angleStandardDeviation), range.antenna ?? "",
            Self.text(range.rssi), Self.text(range.firstPathPower), Self.text(range.nonLineOfSight),
            range.technology ?? "",
          ])
      case .frame(let frame) where file.hasSuffix("features.csv"):
        for feature in frame.features {
          row(timed, ["\(feature.featureID)", Self.text(feature.u), Self.text(feature.v)])
        }
      case .frame(let frame):
        row(
          timed,
          [Self.text(frame.meanLuma), Self.text(frame.exposure.map(EventLineWriter.nanoseconds))]
            + (hasView ? [frame.view?.rawValue ?? ""] : []))
      }
      if text.count > 1 << 16 { try flush() }
    }

    private func row(_ timed: TimedEvent, _ cells: [String]) {
      text.append(contentsOf: String(timed.event.timestamp.nanoseconds).utf8)
      for cell in cells {
        text.append(UInt8(ascii: ","))
        text.append(contentsOf: cell.utf8)
      }
      if hasArrival { text.append(contentsOf: ",\(timed.arrival.nanoseconds)".utf8) }
      text.append(UInt8(ascii: "\n"))
    }

    private static func text(_ value: Double) -> String { "\(value)" }
    private static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "" }

    func flush() throws {
      try file.append(text)
      size += text.count
      text.removeAll(keepingCapacity: true)
    }
  }

  // MARK: calibrations

  /// The files of keys: JSON is YAML, so the numbers stay as they were sent.
  private func calibrations(_ present: Set<String>) throws -> [String: String] {
    var parser = LineParser()
    guard case .header(let tree) = try setup.body.withUnsafeBufferPointer({ try parser.parse($0) }) else { return [:] }
    func text(_ sensor: String) -> String? {
      guard case .object(let members)? = tree["rig"]?[sensor] else { return nil }
      return JSONValue.object(members.filter { $0.value != .null }).line + "\n"
    }
    var files: [String: String] = [:]
    for sensor in ["imu0", "cam0", "cam1", "uwb0", "odometry0"] where present.contains(where: { $0.hasPrefix(sensor) })
    {
      files["mav0/\(sensor)/sensor.yaml"] = text(sensor)
    }
    // A radio that the header does not describe: one antenna at the body's origin.
    if present.contains("uwb0/data.csv"), files["mav0/uwb0/sensor.yaml"] == nil {
      files["mav0/uwb0/sensor.yaml"] = "{\"T_BS\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}\n"
    }
    files["dataset.yaml"] = text("dataset")
    return files
  }

  // MARK: tar

  private static func add(_ name: String, size: Int, to archive: PrivateFile) throws {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int, _ length: Int) {
      for (index, byte) in text.utf8.prefix(length).enumerated() { header[offset + index] = byte }
    }
    func octal(_ value: Int, at offset: Int, _ digits: Int) {
      let text = String(value, radix: 8)
      put(String(repeating: "0", count: max(0, digits - text.count)) + text, at: offset, digits)
    }
    put(name, at: 0, 100)
    octal(0o644, at: 100, 7)
    octal(0, at: 108, 7)
    octal(0, at: 116, 7)
    octal(size, at: 124, 11)
    octal(0, at: 136, 11)
    put("        ", at: 148, 8)
    put("0", at: 156, 1)
    put("ustar", at: 257, 5)
    put("00", at: 263, 2)
    octal(header.reduce(0) { $0 + Int($1) }, at: 148, 6)
    header[154] = 0
    try archive.append(header)
  }

  private static func padding(_ size: Int) -> [UInt8] { [UInt8](repeating: 0, count: (512 - size % 512) % 512) }

  private static func copy(_ path: String, to archive: PrivateFile) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw LogError.file(path: path, cause: "cannot be read")
    }
    defer { try? file.close() }
    while let data = try file.read(upToCount: 1 << 16), !data.isEmpty { try archive.append(Array(data)) }
  }
}
