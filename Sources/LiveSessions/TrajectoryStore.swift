import Datasets
import Foundation
import Geometry
import SensorData

/// The trajectory of a session in a file, `trajectory.tum`. One writer, while there is one.
struct TrajectoryStore {
  private let file: StoredFile
  private var text: [UInt8] = []
  /// Bytes that are written.
  private(set) var size: Int
  /// Bytes of what is written that come once more.
  private var repeated: Int
  /// Poses so far.
  private(set) var count = 0
  /// Poses left out because they were not finite.
  private(set) var nonFinite = 0

  /// Opens the file with what was `written` into it before, which comes again and is passed over.
  init(path: String, written: Int) throws(LogError) {
    file = try StoredFile(path: path, truncates: written == 0)
    (size, repeated) = (written, written)
  }

  mutating func add(_ time: Timestamp, _ worldFromBody: Pose) {
    if TrajectoryLine.append(time, worldFromBody, to: &text) { count += 1 } else { nonFinite += 1 }
  }

  mutating func flush() throws(LogError) {
    let passed = min(repeated, text.count)
    repeated -= passed
    text.removeFirst(passed)
    guard !text.isEmpty else { return }
    try file.write(text, at: size)
    size += text.count
    text.removeAll(keepingCapacity: text.count < 1 << 16)
  }

  func sync() { file.sync() }
}

/// A file that only the user can read, written at its end.
final class PrivateFile {
  private let file: StoredFile
  private var size = 0

  init(path: String) throws(LogError) { file = try StoredFile(path: path, truncates: true) }

  func append(_ bytes: [UInt8]) throws(LogError) {
    try file.write(bytes, at: size)
    size += bytes.count
  }

  func sync() { file.sync() }
}

/// A whole file that appears at once, on disk.
enum AtomicBytes {
  static func write(_ bytes: [UInt8], to path: String) throws(LogError) {
    unlink(path + ".partial")
    let file = try PrivateFile(path: path + ".partial")
    try file.append(bytes)
    file.sync()
    guard rename(path + ".partial", path) == 0 else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
  }
}
