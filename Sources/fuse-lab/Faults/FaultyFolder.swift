import Datasets
import Foundation

/// A copy of a recording whose files are changed as text: a fault is what the writers of recordings never write, and what
/// it does not touch stays as it was.
struct FaultyFolder {
  static let imu = "mav0/imu0/data.csv"
  static let camera = "mav0/cam0/sensor.yaml"
  static let features = "mav0/cam0/features.csv"
  static let ranges = "mav0/uwb0/data.csv"
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
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
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
  var mount: [[Double]] {
    get throws {
      let flat = try camera("data")
      guard flat.count == 16 else { throw LabError("\(path)/\(Self.camera): found \(flat.count) numbers, expected 16") }
      return (0..<4).map { Array(flat[4 * $0..<4 * $0 + 4]) }
    }
  }

  /// Falsifies the camera's pose, after the device's true axes have been written down.
  func setMount(_ change: ([[Double]]) -> [[Double]]) throws {
    try keepDevice()
    try setCamera("data", change(mount).flatMap(\.self))
  }

  /// Writes down the device's true axes, which come from cam0 where the description does not state them.
  func keepDevice() throws {
    let content = try text(Self.description)
    if content.contains("device_T_BS") || !Self.has(Self.camera, in: path) { return }
    var device = try Matrix.product(mount, [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]])
    for row in 0..<3 { device[row][3] = 0 }
    try put(content + "\ndevice_T_BS: [\(Self.words(device.flatMap(\.self)))]\n", Self.description)
  }
}

/// Matrices of a calibration file, which keep the digits of the file: no rotation is made of them.
enum Matrix {
  static func product(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    a.map { row in b[0].indices.map { j in row.indices.reduce(0) { $0 + row[$1] * b[$1][j] } } }
  }

  /// A rotation about x, y or z (0, 1, 2), four rows of four.
  static func rotation(about axis: Int, degrees: Double) -> [[Double]] {
    let angle = degrees * .pi / 180
    let (i, j) = [(1, 2), (2, 0), (0, 1)][axis]
    var m = (0..<4).map { row in (0..<4).map { row == $0 ? 1.0 : 0 } }
    (m[i][i], m[i][j], m[j][i], m[j][j]) = (cos(angle), -sin(angle), sin(angle), cos(angle))
    return m
  }
}

/// A quaternion of a table, Hamilton, w first; its digits stay: it is not normalised, as a rotation is.
struct Quaternion: Sendable {
  let elements: [Double]

  init(_ w: Double, _ x: Double, _ y: Double, _ z: Double) { elements = [w, x, y, z] }

  init(_ cells: some Sequence<String>) throws { elements = try cells.map(FaultyFolder.number) }

  var conjugate: Quaternion { Quaternion(elements[0], -elements[1], -elements[2], -elements[3]) }

  static func * (a: Quaternion, b: Quaternion) -> Quaternion {
    let (w, x, y, z) = (a.elements[0], a.elements[1], a.elements[2], a.elements[3])
    let (s, t, u, v) = (b.elements[0], b.elements[1], b.elements[2], b.elements[3])
    return Quaternion(
      w * s - x * t - y * u - z * v, w * t + x * s + y * v - z * u, w * u - x * v + y * s + z * t,
      w * v + x * u - y * t + z * s)
  }

  /// A vector, rotated.
  func turned(_ p: [Double]) -> [Double] {
    Array((self * Quaternion(0, p[0], p[1], p[2]) * conjugate).elements[1...])
  }
}
