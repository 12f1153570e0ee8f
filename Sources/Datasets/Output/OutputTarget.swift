import Foundation

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
