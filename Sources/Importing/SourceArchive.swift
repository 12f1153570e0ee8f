import Datasets
import Foundation
import JSONText

/// A source that is packed in one file, a zip or Sensor Logger's JSON, unpacked beside what is being written.
struct SourceArchive {
  /// The unpacked folder.
  let folder: String
  private let source: String

  /// Unpacks a source where it is a packed one; nil for any other. Its tables are unpacked, images and videos are not.
  ///
  /// - Parameter staging: the folder that is being written; `remove` before it is committed.
  init?(_ source: String, in staging: StagedFolder) throws {
    folder = "\(staging.staging)/.unpacked"
    self.source = source
    if ZipArchive.isArchive(source) {
      let archive = try ZipArchive(path: source)
      for entry in archive.entries where Self.isTable(entry.name) {
        try archive.unpack(entry, to: "\(folder)/\(entry.name)")
      }
    } else if SensorLoggerJSON.isOne(source) {
      try SensorLoggerJSON.unpack(source, to: folder)
    } else {
      return nil
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Whether an import reads a file of that name: no image, depth, sound or video.
  private static func isTable(_ name: String) -> Bool {
    let last = name.split(separator: "/").last.map { $0.lowercased() } ?? ""
    guard let point = last.lastIndex(of: ".") else { return last == "metadata" }
    return ["csv", "txt", "json", "jsonl", "yaml", "yml", "pb3"].contains(String(last[last.index(after: point)...]))
  }

  /// The unpacked files go.
  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// An error that names the packed file, and the file in it.
  func naming(_ error: DatasetError) -> DatasetError { error.naming(source, insteadOf: folder) }
}

/// Sensor Logger's export as JSON: a list of readings, each an object that names its sensor.
enum SensorLoggerJSON {
  /// Whether a file is one, by its beginning.
  static func isOne(_ path: String) -> Bool {
    guard path.lowercased().hasSuffix(".json"), RegularFile.size(path) ?? 0 > 0,
      let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 8192)
    else { return false }
    let text = String(decoding: head, as: UTF8.self)
    return text.first { !$0.isWhitespace } == "[" && text.contains("\"sensor\"")
  }

  /// Writes a table a sensor, as the export of tables has them.
  static func unpack(_ path: String, to folder: String) throws {
    let bytes = try RegularFile.bytes(path, limit: 2 << 30)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var tables: [String: [UInt8]] = [:]
    var element = FlatJSON()
    let sensor = FlatJSON.Path("sensor")
    let columns: [(StaticString, FlatJSON.Path)] = [
      ("time", .init("time")), ("x", .init("x")), ("y", .init("y")), ("z", .init("z")),
    ]
    let about: [(StaticString, FlatJSON.Path)] = [
      ("platform", .init("platform")), ("standardisation", .init("standardisation")),
    ]
    let (names, header) = (Array("time,x,y,z\n".utf8), Array("platform,standardisation\n".utf8))
    try bytes.withUnsafeBufferPointer { all in
      var reader = JSONReader(all)
      func cutShort() -> DatasetError {
        DatasetError(file: path, line: reader.line, found: "a list that is cut short", expected: "the whole export")
      }
      guard reader.pass(UInt8(ascii: "[")), !reader.pass(UInt8(ascii: "]")) else { return }
      repeat {
        guard element.read(&reader), let name = element.text(sensor) else {
          if reader.isAtEnd() { throw cutShort() }
          throw DatasetError(
            file: path, line: reader.line, found: "an element without a sensor",
            expected: "{\"sensor\": \"Gyroscope\", \"time\": \"...\", \"x\": ..., \"y\": ..., \"z\": ...}")
        }
        let isAbout = name == "Metadata"
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == " " || $0 == "-" }), name.count < 64,
          isAbout || columns.allSatisfy({ element.raw($0.1) != nil })
        else { continue }
        var row = tables[name] ?? (isAbout ? header : names)
        for (k, column) in (isAbout ? about : columns).enumerated() {
          if k > 0 { row.append(0x2C) }
          if let cell = element.raw(column.1) { row += cell.filter { $0 != 0x2C } }
        }
        row.append(0x0A)
        tables[name] = row
      } while reader.pass(UInt8(ascii: ","))
      guard reader.pass(UInt8(ascii: "]")) else { throw cutShort() }
    }
    for (name, table) in tables { try Data(table).write(to: URL(fileURLWithPath: "\(folder)/\(name).csv")) }
  }
}
