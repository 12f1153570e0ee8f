import CCompression
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

/// A zip file: its names, and the files in it one at a time. Apps share recordings so.
///
/// Entries that are stored or deflated; sizes and checksums are held against what is found.
struct ZipArchive {
  /// A file in the archive.
  struct Entry {
    var name: String
    fileprivate var method: Int, checksum: UInt32
    fileprivate var packed: Int, size: Int, header: Int
  }

  /// Most that is unpacked of one archive, bytes: a small file must not fill a disk.
  private static let most = 8 << 30

  let path: String
  /// The files, in the archive's order; folders and what desktops add are left out.
  let entries: [Entry]
  private let file: FileHandle

  /// Whether a file begins as an archive does.
  static func isArchive(_ path: String) -> Bool {
    guard RegularFile.size(path) ?? 0 > 22, let file = FileHandle(forReadingAtPath: path),
      let head = try? file.read(upToCount: 4)
    else { return false }
    return Array(head) == [0x50, 0x4B, 3, 4]
  }

  /// - Throws: `DatasetError` for a file that is no whole archive, and for one that needs what is not read here.
  init(path: String) throws(DatasetError) {
    self.path = path
    func fault(_ found: String, _ expected: String = "a whole zip file") -> DatasetError {
      DatasetError(file: path, found: found, expected: expected)
    }
    guard let size = RegularFile.size(path), let file = FileHandle(forReadingAtPath: path) else {
      throw fault("no file that can be read")
    }
    self.file = file
    // The list of files is at the end, before a comment of up to 65535 bytes.
    let tail = Self.bytes(file, from: max(0, Int(size) - 65_557), count: 65_557)
    guard let end = tail.indices.last(where: { tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) && tail.count - $0 >= 22 })
    else { throw fault("no list of files at its end (cut short?)") }
    let count = Self.number(tail, end + 10, 2)
    let (length, start) = (Self.number(tail, end + 12, 4), Self.number(tail, end + 16, 4))
    guard start != 0xFFFF_FFFF, count != 0xFFFF else {
      throw fault("a zip file over 4 GB", "a smaller one, or the unpacked folder")
    }
    let list = Self.bytes(file, from: start, count: length)
    var entries: [Entry] = []
    var at = 0
    for _ in 0..<count {
      guard list.count >= at + 46, list[at...].starts(with: [0x50, 0x4B, 1, 2]) else {
        throw fault("a damaged list of files")
      }
      let nameLength = Self.number(list, at + 28, 2)
      guard list.count >= at + 46 + nameLength else { throw fault("a damaged list of files") }
      let name = String(decoding: list[(at + 46)..<(at + 46 + nameLength)], as: UTF8.self)
      let entry = Entry(
        name: name, method: Self.number(list, at + 10, 2), checksum: UInt32(Self.number(list, at + 16, 4)),
        packed: Self.number(list, at + 20, 4), size: Self.number(list, at + 24, 4),
        header: Self.number(list, at + 42, 4))
      if !name.hasSuffix("/"), !name.hasPrefix("__MACOSX/"), !name.hasSuffix(".DS_Store") {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !name.hasPrefix("/"), !parts.contains(".."), !name.contains("\\"), !name.contains("\0") else {
          throw fault("a file named '\(name.prefix(60))' in it", "names below its own folder")
        }
        guard Self.number(list, at + 8, 2) & 1 == 0 else {
          throw fault("an encrypted file, \(name)", "one without a password")
        }
        entries.append(entry)
      }
      at += 46 + nameLength + Self.number(list, at + 30, 2) + Self.number(list, at + 32, 2)
    }
    guard entries.reduce(0, { $0 + $1.size }) < Self.most else { throw fault("more than 8 GB packed in it", "less") }
    // A folder that everything is in is no part of the names.
    if let first = entries.first?.name.split(separator: "/", maxSplits: 1), first.count == 2,
      entries.allSatisfy({ $0.name.hasPrefix("\(first[0])/") })
    {
      for k in entries.indices { entries[k].name.removeFirst(first[0].count + 1) }
    }
    self.entries = entries
  }

  /// Writes one file of it.
  ///
  /// - Throws: `DatasetError` for a file that is not whole; `CocoaError` where it cannot be written.
  func unpack(_ entry: Entry, to target: String) throws {
    func fault(_ found: String) -> DatasetError {
      DatasetError(file: path, found: "\(found) in it: \(entry.name)", expected: "a whole zip file")
    }
    let local = Self.bytes(file, from: entry.header, count: 30)
    guard local.count == 30, local.starts(with: [0x50, 0x4B, 3, 4]) else { throw fault("a damaged file") }
    let start = entry.header + 30 + Self.number(local, 26, 2) + Self.number(local, 28, 2)
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: target, contents: nil), let out = FileHandle(forWritingAtPath: target)
    else {
      throw DatasetError(file: target, found: "a file that cannot be written", expected: "room to unpack \(path)")
    }
    defer { try? out.close() }
    guard entry.method == 0 || entry.method == 8 else {
      throw DatasetError(
        file: path, found: "\(entry.name) packed by method \(entry.method)",
        expected: "deflated files, or the unpacked folder")
    }
    var checksum = crc32(0, nil, 0), written = 0
    func write(_ bytes: [UInt8]) throws {
      written += bytes.count
      guard written <= entry.size else { throw fault("a file longer than it says") }
      checksum = bytes.withUnsafeBufferPointer { crc32(checksum, $0.baseAddress, UInt32($0.count)) }
      try out.write(contentsOf: bytes)
    }
    let inflater = entry.method == 8 ? Inflater(.raw) : nil
    var left = entry.packed, at = start
    while left > 0 {
      let chunk = Self.bytes(file, from: at, count: min(left, 1 << 18))
      guard !chunk.isEmpty else { throw fault("a file cut short") }
      (at, left) = (at + chunk.count, left - chunk.count)
      guard let inflater else {
        try write(chunk)
        continue
      }
      guard try inflater.feed(chunk, write) else { throw fault("a damaged file") }
    }
    guard written == entry.size, UInt32(truncatingIfNeeded: checksum) == entry.checksum else {
      throw fault("a damaged file")
    }
  }

  private static func bytes(_ file: FileHandle, from offset: Int, count: Int) -> [UInt8] {
    guard (try? file.seek(toOffset: UInt64(offset))) != nil, let data = try? file.read(upToCount: count) else {
      return []
    }
    return Array(data)
  }

  private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    guard at + count <= bytes.count else { return 0 }
    return (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
  }
}

/// The files of a source: an import replaces none of them.
enum SourceFiles {
  /// Most files that are listed: a source with more has its images there, which no import writes.
  private static let most = 20_000

  /// A file, or the files in a folder and below it; without those of an output that lies within the source, which an
  /// earlier import has left there.
  static func list(_ source: String, output: String) -> [String] {
    guard RegularFile.isFolder(source), let found = FileManager.default.enumerator(atPath: source) else {
      return [source]
    }
    func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
    let (folder, target) = (real(source), real(output))
    let within = target.hasPrefix(folder + "/") ? String(target.dropFirst(folder.count + 1)) : nil
    var paths: [String] = []
    for case let name as String in found where paths.count < most {
      if let within, name == within || name.hasPrefix(within + "/") { continue }
      paths.append("\(source)/\(name)")
    }
    return paths
  }
}

extension DatasetError {
  /// The same error of a file in another folder.
  func naming(_ folder: String, insteadOf staging: String) -> DatasetError {
    var error = self
    error.file = file.replacingOccurrences(of: staging, with: folder)
    error.found = found.replacingOccurrences(of: staging, with: folder)
    error.expected = expected.replacingOccurrences(of: staging, with: folder)
    return error
  }
}
