import Foundation

/// The mark of a folder whose files are being moved into it one by one: with it the folder is read neither as a recording
/// nor as a result, so that what a killed process or a full disk left behind is not taken for one.
package struct UnfinishedMark {
  /// Its name in the folder.
  package static let name = ".unfinished"
  /// Its names, the second one before version 0.9.
  package static let names = [name, "mav0/.unfinished"]

  private let path: String

  /// Marks a folder.
  init(folder: String) throws(OutputError) {
    path = folder + "/" + Self.name
    let descriptor = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(path: path, cause: String(cString: strerror(errno))) }
    close(descriptor)
  }

  /// The folder is whole.
  func remove() throws(OutputError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .file(path: path, cause: String(cString: strerror(errno)))
    }
    try OutputTarget.syncFolder(OutputTarget.split(path).folder)
  }

  /// Whether a folder is marked.
  package static func exists(in root: String) -> Bool {
    names.contains { RegularFile.exists(root + "/" + $0) }
  }
}
