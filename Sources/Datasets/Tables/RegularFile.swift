import Foundation

/// Opening and reading regular files, with errors that name them.
package enum RegularFile {
  /// Largest text file that is read whole: a calibration is some hundred bytes.
  static let largestText = 256 * 1024

  /// Opens a regular file for reading; a directory, a pipe or a missing permission is an error, never a hang.
  static func open(_ path: String) throws(DatasetError) -> (descriptor: Int32, size: Int64) {
    let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw DatasetError(file: path, found: String(cString: strerror(errno)), expected: "a readable file")
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

  /// The whole text of a small file, UTF-8.
  package static func text(_ path: String) throws(DatasetError) -> String {
    let (descriptor, size) = try open(path)
    defer { close(descriptor) }
    guard size <= Int64(largestText) else {
      throw DatasetError(file: path, found: "\(size) bytes", expected: "a text of at most \(largestText) bytes")
    }
    var bytes = [UInt8](repeating: 0, count: largestText + 1)
    var filled = 0
    while filled < bytes.count {
      let free = bytes.count - filled
      var got = 0
      do {
        got = try bytes.withUnsafeMutableBufferPointer { buffer throws(DatasetError) in
          try read(descriptor, into: buffer.baseAddress! + filled, free, path: path)
        }
      }
      if got == 0 { break }
      filled += got
    }
    guard let text = String(validating: bytes[..<filled], as: UTF8.self) else {
      throw DatasetError(file: path, found: "bytes that are no UTF-8", expected: "text")
    }
    return text
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

  /// Whether the path exists.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether the path is a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
