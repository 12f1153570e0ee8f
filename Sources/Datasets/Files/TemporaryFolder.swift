import Foundation

/// A folder that goes with its object, and with the process where a signal ends that (`Leftovers`).
///
/// What a killed process left is removed by the next one that makes a folder for the same purpose.
package final class TemporaryFolder {
  /// Where it is.
  package let path: String

  /// - Parameter purpose: a word of its name.
  /// - Throws: `OutputError`.
  package init(_ purpose: String) throws(OutputError) {
    let parent = FileManager.default.temporaryDirectory.path
    let prefix = "fuse-\(purpose)-"
    Self.removeLeftovers(in: parent, prefix: prefix)
    let path = "\(parent)/\(prefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
    try Leftovers.undisturbed { () throws(OutputError) in
      do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) } catch {
        throw .folder(path: path, cause: error.localizedDescription)
      }
      Leftovers.add(path)
    }
    self.path = path
  }

  deinit {
    Leftovers.remove(path)
  }

  /// Removes folders of processes that have ended.
  private static func removeLeftovers(in parent: String, prefix: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0 else { continue }
      if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: "\(parent)/\(name)") }
    }
  }
}
