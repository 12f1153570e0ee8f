import Dispatch
import Foundation

/// A folder that goes with its object, and with the process where SIGINT or SIGTERM ends that.
///
/// What a killed process left is removed by the next one that makes a folder for the same purpose.
final class TemporaryFolder {
  /// Where it is.
  let path: String
  private let signals: [any DispatchSourceSignal]
  /// Locked for good once a signal is dealt with.
  private static let ending = NSLock()

  /// Does not return where a signal is ending the process: errors by then come from the folder that is going.
  static func waitIfEnding() {
    ending.lock()
    ending.unlock()
  }

  /// - Parameter purpose: a word of its name.
  init(_ purpose: String) throws {
    let parent = FileManager.default.temporaryDirectory.path
    let prefix = "fuse-\(purpose)-"
    Self.removeLeftovers(in: parent, prefix: prefix)
    let process = ProcessInfo.processInfo.processIdentifier
    let path = "\(parent)/\(prefix)\(process)-\(UUID().uuidString)"
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) } catch {
      throw CommandError("\(path): cannot be created: \(error.localizedDescription)")
    }
    self.path = path
    signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Self.ending.lock()
        try? FileManager.default.removeItem(atPath: path)
        // As if it had not been caught; a caller may have blocked the signal, then with the code that shells give it.
        signal(number, SIG_DFL)
        kill(process, number)
        usleep(100_000)
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  deinit {
    // A signal on the way removes the rest.
    try? FileManager.default.removeItem(atPath: path)
    for source in signals { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }

  /// Removes folders of processes that have ended.
  private static func removeLeftovers(in parent: String, prefix: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count).prefix { $0 != "-" }), process > 0 else { continue }
      if kill(process, 0) != 0, errno == ESRCH { try? FileManager.default.removeItem(atPath: "\(parent)/\(name)") }
    }
  }
}
