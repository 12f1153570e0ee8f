import Foundation
import JSONText

/// Opening and reading regular files, with errors that name them.
package enum RegularFile {
  /// Largest text file that is read whole: a calibration is some hundred bytes.
  private static let largestText = 256 * 1024

  /// Opens a regular file for reading; a directory, a pipe or a missing permission is an error, never a hang.
  static func open(_ path: String) throws(DatasetError) -> (descriptor: Int32, size: Int64) {
    let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      let cause = errno
      var found = String(cString: strerror(cause))
      if cause == ENOENT, exists(path) { found = "a link to a file that is not there" }
      throw DatasetError(file: path, found: found, expected: "a readable file")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      close(descriptor)
      throw DatasetError(file: path, found: isFolder ? "a folder" : "a special file", expected: "a regular file")
    }
    return (descriptor, Int64(status.st_size))
  }

  /// Reads up to `count` bytes; 0 at the end of the file.
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutablePointer<UInt8>, _ count: Int, path: String
  ) throws(DatasetError) -> Int {
    while true {
      let got = Foundation.read(descriptor, buffer, count)
      if got >= 0 { return got }
      if errno != EINTR {
        throw DatasetError(file: path, found: String(cString: strerror(errno)), expected: "a readable file")
      }
    }
  }

  /// The whole contents of a file.
  ///
  /// - Parameter limit: most bytes; a larger file is an error.
  package static func bytes(_ path: String, limit: Int) throws(DatasetError) -> [UInt8] {
    let (descriptor, size) = try open(path)
    defer { close(descriptor) }
    guard size <= Int64(limit) else {
      throw DatasetError(file: path, found: "\(size) bytes", expected: "at most \(limit) bytes")
    }
    // One more than there should be, in case that it grows.
    var bytes = [UInt8](repeating: 0, count: Int(size) + 1)
    var filled = 0
    while filled < bytes.count {
      let free = bytes.count - filled
      let got = try bytes.withUnsafeMutableBufferPointer { buffer throws(DatasetError) in
        try read(descriptor, into: buffer.baseAddress! + filled, free, path: path)
      }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// The whole text of a small file, UTF-8.
  package static func text(_ path: String) throws(DatasetError) -> String {
    let bytes = try bytes(path, limit: largestText)
    let filled = bytes.count
    guard let text = String(validating: bytes[..<filled], as: UTF8.self) else {
      throw DatasetError(
        file: path, line: lineOfBadText(bytes[..<filled]), found: "bytes that are no UTF-8", expected: "text")
    }
    return text
  }

  /// The first line that is no UTF-8, from 1: no character spans a line break.
  private static func lineOfBadText(_ bytes: ArraySlice<UInt8>) -> Int? {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }

  /// The last `count` bytes of a file at most, and whether that is the whole file.
  static func tail(_ path: String, count: Int) throws(DatasetError) -> (bytes: [UInt8], isWhole: Bool) {
    let (descriptor, size) = try open(path)
    defer { close(descriptor) }
    let offset = max(0, size - Int64(count))
    var bytes = [UInt8](repeating: 0, count: Int(min(size, Int64(count))))
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress! + filled, $0.count - filled, off_t(offset) + off_t(filled))
      }
      if got <= 0 { break }
      filled += got
    }
    bytes.removeLast(bytes.count - filled)
    return (bytes, offset == 0)
  }

  /// Whether there is something of that name; also a link that leads nowhere, and what cannot be looked at: both are
  /// errors when they are opened, and not taken for absent.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 || errno != ENOENT && errno != ENOTDIR
  }

  /// Why a path cannot be used as a folder, in words; nil where it can be listed.
  package static func problem(ofFolder path: String) -> String? {
    guard let folder = opendir(path) else {
      switch errno {
      case ENOENT: return exists(path) ? "a link to a folder that is not there" : "no such folder"
      case ENOTDIR: return "not a folder"
      default: return "a folder that cannot be read (\(String(cString: strerror(errno))))"
      }
    }
    closedir(folder)
    return nil
  }

  /// Bytes of a regular file; nil for anything else.
  package static func size(_ path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
  }

  /// Whether the path is a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension JSONValue {
  /// The value in a file.
  ///
  /// - Throws: `DatasetError` for an unreadable file and for invalid JSON.
  package init(contentsOf path: String) throws(DatasetError) {
    let bytes = try RegularFile.bytes(path, limit: 64 << 20)
    guard let value = JSONValue(parsing: bytes) else {
      throw DatasetError(file: path, found: "no JSON", expected: "JSON as 'fuse' writes it")
    }
    self = value
  }
}
