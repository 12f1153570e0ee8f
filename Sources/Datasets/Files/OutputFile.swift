import Foundation

/// A file that a user named as an output.
///
/// A regular file is replaced when the new one is whole and on disk (`AtomicFile`); a link is followed to its file; a
/// character device or a FIFO is written through, as `cat >` would. Anything else, what may not be written, and what the
/// command reads are left as they are.
package final class OutputFile {
  private enum Way {
    case atomic(AtomicFile)
    case through(Int32)
  }

  /// The path as the user named it.
  package let path: String
  private let way: Way
  private var isOpen = true
  /// Seconds that a FIFO may wait for its reader.
  private static let patience = 5.0

  /// Opens the output.
  ///
  /// - Parameter inputs: files and folders that the command reads. In a folder the files of a recording and of a run are
  ///   inputs; others, such as a report that lies there, are not.
  /// - Throws: `OutputError`.
  package init(path: String, inputs: [String]) throws(OutputError) {
    self.path = path
    let named = try OutputTarget.status(path)
    var found = named
    if let named, OutputTarget.kind(named) == S_IFLNK {
      var status = stat()
      guard stat(path, &status) == 0 else {
        throw .occupied(path: path, found: "a symbolic link that leads nowhere")
      }
      found = status
    }
    try Self.refuseInput(path, found, inputs)
    switch found.map(OutputTarget.kind) {
    case nil: way = .atomic(try Self.atomic(path))
    case S_IFREG where Self.isDescriptor(path): way = .through(try Self.open(path))
    case S_IFREG: way = .atomic(try Self.atomic(OutputTarget.real(path) ?? path))
    case S_IFCHR, S_IFIFO: way = .through(try Self.open(path))
    default: throw .occupied(path: path, found: OutputTarget.words(found!))
    }
  }

  deinit { if isOpen, case .through(let descriptor) = way { close(descriptor) } }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(OutputError) {
    switch way {
    case .atomic(let file): try file.write(bytes)
    case .through(let descriptor):
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress! + done, $0.count - done) }
        if count < 0 {
          if errno == EINTR { continue }
          throw .file(path: path, cause: errno == EPIPE ? "its reader has gone" : String(cString: strerror(errno)))
        }
        done += count
      }
    }
  }

  /// Gives a regular file its name; nothing is left of one that was not committed.
  package func commit() throws(OutputError) {
    switch way {
    case .atomic(let file): try file.commit()
    case .through(let descriptor):
      isOpen = false
      guard close(descriptor) == 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
    }
  }

  private static func atomic(_ path: String) throws(OutputError) -> AtomicFile {
    let (folder, name) = OutputTarget.split(path)
    return try AtomicFile(folder: folder, name: name)
  }

  /// Whether a path names an open file of this process: its redirection is to be written, not a file of that name.
  private static func isDescriptor(_ path: String) -> Bool {
    ["/dev/fd/", "/dev/stdout", "/dev/stderr", "/proc/self/fd/"].contains { path.hasPrefix($0) }
  }

  private static func open(_ path: String) throws(OutputError) -> Int32 {
    let began = DispatchTime.now().uptimeNanoseconds
    while true {
      // Without O_NONBLOCK a FIFO without a reader would wait for good.
      let descriptor = Foundation.open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
      }
      let cause = errno
      if cause == EINTR { continue }
      guard cause == ENXIO else { throw .file(path: path, cause: String(cString: strerror(cause))) }
      guard Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9 < patience else {
        throw .file(path: path, cause: "nobody reads it: start its reader first")
      }
      usleep(20_000)
    }
  }

  private static func refuseInput(_ path: String, _ found: stat?, _ inputs: [String]) throws(OutputError) {
    let isData = found.map { [S_IFREG, S_IFDIR].contains(OutputTarget.kind($0)) } ?? true
    guard isData else { return }
    let (folder, name) = OutputTarget.split(path)
    let target = OutputTarget.real(path) ?? (OutputTarget.real(folder) ?? folder) + "/" + name
    for input in inputs {
      guard let real = OutputTarget.real(input) else { continue }
      if target == real { throw .input(path: path) }
      if let found, OutputTarget.FileID(found) == OutputTarget.FileID(real) { throw .input(path: path) }
      if target.hasPrefix(real + "/"), DatasetNames.isInput(String(target.dropFirst(real.count + 1))) {
        throw .input(path: path)
      }
    }
  }
}

/// What stands at a path that is about to be written, and whether it may be replaced.
enum OutputTarget {
  /// A file's identity, whatever its name.
  struct FileID: Hashable {
    var device: UInt64
    var inode: UInt64

    /// - Parameter status: of the file.
    init(_ status: stat) { (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino)) }

    /// The file that a path leads to, links followed; nil where there is none.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// What a path names, links not followed; nil where there is nothing.
  ///
  /// - Throws: `OutputError.file` where that cannot be told.
  static func status(_ path: String) throws(OutputError) -> stat? {
    var status = stat()
    if lstat(path, &status) == 0 { return status }
    if errno == ENOENT { return nil }
    throw .file(path: path, cause: String(cString: strerror(errno)))
  }

  /// Passes where there is nothing, or a regular file that somebody may write.
  ///
  /// A renamed file takes the place of whatever has its name: of a device, of another's file that was protected. So it is
  /// asked before. The owner's and everybody's permissions count, even for a superuser, whom the system asks for none.
  static func checkReplaceable(_ path: String) throws(OutputError) {
    guard let status = try status(path) else { return }
    guard kind(status) == S_IFREG else { throw .occupied(path: path, found: words(status)) }
    guard status.st_mode & 0o222 != 0, access(path, W_OK) == 0 else {
      throw .occupied(path: path, found: "a file that may only be read")
    }
  }

  static func kind(_ status: stat) -> mode_t { status.st_mode & S_IFMT }

  /// What it is, in words.
  static func words(_ status: stat) -> String {
    switch kind(status) {
    case S_IFDIR: "a folder"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "a regular file"
    }
  }

  /// A path without links; nil where it leads nowhere.
  static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// The folder and the name of a path, `.` for a name alone; trailing slashes are dropped.
  static func split(_ path: String) -> (folder: String, name: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = path[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
  }

  /// Waits until what a folder's names lead to is on disk.
  static func syncFolder(_ path: String) throws(OutputError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folder(path: path, cause: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder and say EINVAL: nothing is lost that they could keep.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .folder(path: path, cause: String(cString: strerror(errno)))
    }
  }
}
