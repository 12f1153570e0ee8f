import CDigest
import Foundation

/// SHA-256 of the files of a recording, to identify the input of results.
package struct InputDigest: Equatable, Sendable {
  /// One file's hash.
  package struct Entry: Equatable, Sendable {
    /// The file, relative to the recording's folder.
    package var path: String
    /// 64 lower-case hexadecimal digits.
    package var sha256: String
  }

  /// Files that affect the updates, sorted by path.
  package let inputs: [Entry]
  /// Ground-truth files, sorted by path.
  package let groundTruth: [Entry]

  /// Hashes the files of a recording, streamed.
  package init(_ recording: Recording) throws(DatasetError) {
    var inputs: [Entry] = []
    for file in recording.dataFiles + recording.calibrationFiles {
      inputs.append(Entry(path: file.relativePath, sha256: try Self.sha256(of: file.path)))
    }
    for camera in recording.layout.images {
      inputs.append(Entry(path: camera.folder.relativePath, sha256: try Self.sha256(ofImages: camera)))
    }
    self.inputs = inputs.sorted { $0.path < $1.path }
    let layout = recording.layout
    var truth: [Entry] = []
    for file in [layout.truthStates, layout.truthCalibration, layout.truthPeers].compactMap(\.self) {
      truth.append(Entry(path: file.relativePath, sha256: try Self.sha256(of: file.path)))
    }
    groundTruth = truth.sorted { $0.path < $1.path }
  }

  /// The SHA-256 of a file (FIPS 180-4), in bounded memory.
  package static func sha256(of path: String) throws(DatasetError) -> String {
    try sha256(of: [path])
  }

  /// The SHA-256 of bytes.
  package static func sha256(of bytes: [UInt8]) -> String {
    let hash = SHA256()
    hash.add(bytes)
    return hash.finish()
  }

  /// The hash of a camera's images one after the other, in the order of their list. Those that are not there, or are no
  /// files, are left out: the reader counts them. One that cannot be read is an error.
  private static func sha256(ofImages camera: CameraImages) throws(DatasetError) -> String {
    let list = try RowStream(camera.list, ImageListDecoder(), isStrict: false)
    var paths: [String] = []
    while let row = try list.next() {
      let path = camera.folder.path + "/" + row.name
      var status = stat()
      let isAbsent = stat(path, &status) == 0 ? status.st_mode & S_IFMT != S_IFREG : errno == ENOENT || errno == ENOTDIR
      if !isAbsent { paths.append(path) }
    }
    return try sha256(of: paths)
  }

  private static func sha256(of paths: [String]) throws(DatasetError) -> String {
    let hash = SHA256()
    let size = 256 * 1024
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
    defer { buffer.deallocate() }
    for path in paths {
      let (descriptor, _) = try RegularFile.open(path)
      defer { close(descriptor) }
      while true {
        let count = try RegularFile.read(descriptor, into: buffer, size, path: path)
        if count == 0 { break }
        hash.add(UnsafeRawBufferPointer(start: buffer, count: count))
      }
    }
    return hash.finish()
  }
}

/// A SHA-256 (FIPS 180-4) of bytes that come in pieces.
struct SHA256: ~Copyable {
  private let context: OpaquePointer

  init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("the hash library has no SHA-256, or there is no memory")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// Adds bytes.
  func add(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { EVP_DigestUpdate(context, start, bytes.count) }
  }

  /// The hash as 64 lower-case hexadecimal digits; afterwards it restarts.
  func finish() -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &digest, nil)
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
    let digits = Array("0123456789abcdef".unicodeScalars)
    var text = ""
    for byte in digest {
      text.unicodeScalars.append(digits[Int(byte >> 4)])
      text.unicodeScalars.append(digits[Int(byte & 15)])
    }
    return text
  }
}
