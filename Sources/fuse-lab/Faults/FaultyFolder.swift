import Datasets
import Foundation
import Geometry

/// A copy of a recording whose files are changed as text: a fault is what the writers of recordings never write, and what
/// it does not touch stays as it was.
struct FaultyFolder {
  static let imu = "mav0/imu0/data.csv"
  static let camera = "mav0/cam0/sensor.yaml"
  static let features = "mav0/cam0/features.csv"
  static let ranges = "mav0/uwb0/data.csv"
  static let odometry = "mav0/odometry0/data.csv"
  static let truth = "mav0/state_groundtruth_estimate0/data.csv"
  static let description = "dataset.yaml"

  /// A table: its first line, and the cells of the others.
  struct Table {
    var header: String
    var rows: [[String]]

    /// The place of a column; nil without one.
    func column(_ name: String) -> Int? {
      header.split(separator: ",", omittingEmptySubsequences: false).firstIndex { cell in
        cell.prefix { $0 != "[" }.drop { $0 == " " || $0 == "#" }.trimmingCharacters(in: .whitespaces) == name
      }
    }
  }

  /// Where it is.
  let path: String

  /// Copies a recording; what is there is replaced.
  init(copying recording: String, to path: String) throws {
    guard RegularFile.isFolder("\(recording)/mav0") else {
      throw LabError("\(recording): found no folder mav0 in it, expected a dataset folder")
    }
    self.path = path
    let files = FileManager.default
    try? files.removeItem(atPath: path)
    try files.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try files.copyItem(atPath: URL(fileURLWithPath: recording).resolvingSymlinksInPath().path, toPath: path)
  }

  /// Whether a recording has a file.
  static func has(_ name: String, in recording: String) -> Bool { RegularFile.exists("\(recording)/\(name)") }

  // MARK: files

  /// The text of a file; none where it is absent.
  func text(_ name: String) throws -> String {
    guard Self.has(name, in: path) else { return "" }
    return String(decoding: try RegularFile.bytes("\(path)/\(name)", limit: 1 << 30), as: UTF8.self)
  }

  /// Replaces a file; its folder is made.
  func put(_ text: String, _ name: String) throws {
    // A copy of what may only be read may only be read.
    try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try TextFile.write(text, to: "\(path)/\(name)")
  }

  /// Removes a sensor.
  func remove(_ sensor: String) { try? FileManager.default.removeItem(atPath: "\(path)/mav0/\(sensor)") }

  // MARK: tables

  func table(_ name: String) throws -> Table {
    let lines = try text(name).utf8.split(separator: UInt8(ascii: "\n"))
    guard let header = lines.first else { throw LabError("\(path)/\(name): found no table, expected one") }
    let rows = lines.dropFirst().map { line in
      line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
    return Table(header: String(Substring(header)), rows: rows)
  }

  func put(_ table: Table, _ name: String) throws {
    let lines = [table.header] + table.rows.map { $0.joined(separator: ",") }
    try put(lines.joined(separator: "\n") + "\n", name)
  }

  /// Changes every row of a table.
  ///
  /// - Parameter isUnitless: whether the header's units go.
  func change(_ name: String, isUnitless: Bool = false, _ row: (inout [String]) throws -> Void) throws {
    var table = try table(name)
    for index in table.rows.indices { try row(&table.rows[index]) }
    if isUnitless { table.header = table.header.replacing(#/ ?\[[^\]]*\]/#, with: "") }
    try put(table, name)
  }

  /// Changes the stamps of all tables of a sensor.
  func restamp(_ sensor: String, _ stamp: (Int64) -> Int64) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(path)/mav0/\(sensor)")
    where name.hasSuffix(".csv") {
      try change("mav0/\(sensor)/\(name)") { $0[0] = "\(stamp(try Self.integer($0[0])))" }
    }
  }

  /// Changes every range.
  func changeRanges(isUnitless: Bool = false, _ range: (Double) -> Double) throws {
    let column = try rangeColumn(table(Self.ranges))
    try change(Self.ranges, isUnitless: isUnitless) {
      $0[column] = Digits.fixed(range(try Self.number($0[column])), 6)
    }
  }

  func rangeColumn(_ table: Table) throws -> Int {
    guard let column = table.column("range") else {
      throw LabError("\(path)/\(Self.ranges): found no column 'range', expected one")
    }
    return column
  }

  /// A cell as a number.
  static func number(_ cell: String) throws -> Double {
    guard let number = Double(cell) else { throw LabError("found '\(cell)' in a table, expected a number") }
    return number
  }

  /// A cell as a stamp.
  static func integer(_ cell: String) throws -> Int64 {
    guard let number = Int64(cell) else { throw LabError("found '\(cell)' in a table, expected a stamp") }
    return number
  }

  /// Takes poses for what another tracker says; cameras go, and the inertial unit unless it stays beside them.
  func putOdometry(_ rows: [[String]], keepsUnit: Bool = false) throws {
    try keepDevice()
    for sensor in ["cam0", "cam1"] + (keepsUnit ? [] : ["imu0"]) { remove(sensor) }
    let header = "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
    try put(Table(header: header, rows: rows), Self.odometry)
    try put("position_random_walk: 0.01\nyaw_random_walk: 0.003\n", "mav0/odometry0/sensor.yaml")
  }

  // MARK: calibration

  /// The list of a key in the camera's calibration.
  func camera(_ key: String) throws -> [Double] {
    guard let found = try text(Self.camera).firstMatch(of: Self.list(key)), let list = found[1].substring else {
      throw LabError("\(path)/\(Self.camera): found no list '\(key)', expected one")
    }
    return try list.split(separator: ",").map { try Self.number($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
  }

  /// Replaces it.
  func setCamera(_ key: String, _ values: [Double]) throws {
    let words = "\(key): [\(Self.words(values))]"
    try put(text(Self.camera).replacing(Self.list(key), maxReplacements: 1) { _ in words }, Self.camera)
  }

  private static func list(_ key: String) throws -> Regex<AnyRegexOutput> { try Regex(key + #": \[([^\]]*)\]"#) }

  private static func words(_ values: [Double]) -> String {
    values.map { Digits.significant($0, 9) }.joined(separator: ", ")
  }

  /// The camera's pose in the body, four rows of four.
  private var mount: [Double] {
    get throws {
      let rows = try camera("data")
      guard rows.count == 16 else { throw LabError("\(path)/\(Self.camera): found \(rows.count) numbers, expected 16") }
      return rows
    }
  }

  /// Falsifies the camera's axes in the body, after the device's true ones have been written down.
  ///
  /// - Parameter keepsPlace: false: the camera is at the body's origin.
  func setMount(keepsPlace: Bool = true, _ change: (Matrix3) -> Matrix3) throws {
    try keepDevice()
    let mount = try mount
    let axes = change(Matrix3(blockAt: 0, 0, of: mount, size: 4))
    try setCamera("data", Self.rows(axes, place: keepsPlace ? [mount[3], mount[7], mount[11]] : [0, 0, 0]))
  }

  /// Writes down the device's true axes, which come from cam0 where the description does not state them.
  func keepDevice() throws {
    let content = try text(Self.description)
    if content.contains("device_T_BS") || !Self.has(Self.camera, in: path) { return }
    let device = try Matrix3(blockAt: 0, 0, of: mount, size: 4) * Matrix3(diagonal: Vector3(1, -1, -1))
    let rows = Self.rows(device, place: [0, 0, 0])
    try put(content + "\ndevice_T_BS: [\(Self.words(rows))]\n", Self.description)
  }

  /// Of a pose, four rows of four. Matrices keep the digits of the file: no rotation is made of them.
  private static func rows(_ axes: Matrix3, place: [Double]) -> [Double] {
    (0..<3).flatMap { i in (0..<3).map { axes[i, $0] } + [place[i]] } + [0, 0, 0, 1]
  }
}

extension Rotation {
  /// Of the cells of a table: Hamilton, w first.
  init(cells: some Sequence<String>) throws {
    let q = try cells.map(FaultyFolder.number)
    self.init(w: q[0], x: q[1], y: q[2], z: q[3])
  }

  /// As the numbers of a table.
  var elements: [Double] { [w, v.x, v.y, v.z] }
}
