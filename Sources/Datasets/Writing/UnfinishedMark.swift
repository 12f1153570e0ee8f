import Foundation

/// The mark of a recording that is being written: a folder that has it is not read, so that what a killed process or a
/// full disk left behind is not taken for a recording.
struct UnfinishedMark {
  /// Its name in the folder.
  static let name = "mav0/.unfinished"

  private let path: String

  /// Marks a folder; it has `mav0` already.
  init(folder: String) throws(OutputError) {
    path = folder + "/" + Self.name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
    close(descriptor)
  }

  /// The recording is whole.
  func remove() throws(OutputError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
  }

  /// Whether a folder is marked.
  static func exists(in root: String) -> Bool { RegularFile.exists(root + "/" + name) }
}
