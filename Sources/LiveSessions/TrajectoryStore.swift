import Datasets
import Foundation
import Geometry
import SensorData

/// The trajectory of a session in a file, `trajectory.tum`. One writer.
struct TrajectoryStore {
  private let file: PrivateFile
  private var text: [UInt8] = []
  /// Poses so far.
  private(set) var count = 0
  /// Poses left out because they were not finite.
  private(set) var nonFinite = 0

  init(path: String, keeps: Bool) throws(LogError) { file = try PrivateFile(path: path, keeps: keeps) }

  mutating func add(_ time: Timestamp, _ worldFromBody: Pose) {
    if TrajectoryLine.append(time, worldFromBody, to: &text) { count += 1 } else { nonFinite += 1 }
  }

  mutating func flush() throws(LogError) {
    guard !text.isEmpty else { return }
    try file.append(text)
    text.removeAll(keepingCapacity: true)
  }

  func sync() { file.sync() }
}

/// A file that only the user can read, written at its end.
final class PrivateFile {
  private let path: String
  private let descriptor: Int32

  init(path: String, keeps: Bool) throws(LogError) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (keeps ? 0 : O_TRUNC), 0o600)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
  }

  deinit { close(descriptor) }

  func append(_ bytes: [UInt8]) throws(LogError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        throw errno == ENOSPC ? .full(path: path) : .file(path: path, cause: String(cString: strerror(errno)))
      }
      done += count
    }
  }

  func sync() { fdatasync(descriptor) }
}

/// A whole file that appears at once, on disk.
enum AtomicBytes {
  static func write(_ bytes: [UInt8], to path: String) throws(LogError) {
    unlink(path + ".partial")
    let file = try PrivateFile(path: path + ".partial", keeps: false)
    try file.append(bytes)
    file.sync()
    guard rename(path + ".partial", path) == 0 else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
  }
}
