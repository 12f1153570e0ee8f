import Foundation
import JSONText

/// An executable that is run as a child, such as `fuse` of this or another build.
struct ChildCommand: Sendable {
  /// Its path.
  let path: String

  /// How a run ended.
  struct Outcome {
    /// The exit code; of a signal its number, negated.
    var status: Int32
    var output: [UInt8]
    var errors: String
    /// Processor time, seconds.
    var seconds: Double

    /// The last line of its errors.
    var lastError: String { errors.split(separator: "\n").last.map(String.init) ?? "" }

    /// The lines of JSON of its output; nil where one is none.
    var rows: [JSONValue]? {
      let lines = output.split(separator: UInt8(ascii: "\n"))
      let rows = lines.compactMap { line in line.withUnsafeBufferPointer { try? JSONValue($0) } }
      return rows.count == lines.count ? rows : nil
    }
  }

  /// - Throws: `LabError` where there is none.
  init(_ path: String) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw LabError("\(path): found no command, expected a build: tools/test")
    }
    self.path = path
  }

  /// Runs it to its end.
  ///
  /// - Parameter limit: most seconds of processor time; then it is killed.
  func outcome(_ words: [String], processorSeconds limit: Int? = nil) throws -> Outcome {
    let command = limit.map { ["/bin/sh", "-c", "ulimit -t \($0); exec \"$0\" \"$@\"", path] } ?? [path]
    var arguments: [UnsafeMutablePointer<CChar>?] = (command + words).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let (output, errors) = (try ScratchFile(), try ScratchFile())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO)
    var process = pid_t()
    let cause = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
    guard cause == 0 else { throw LabError("\(path): \(String(cString: strerror(cause)))") }
    var (status, usage) = (Int32(0), rusage())
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) * 1e-6 }
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : -signal, output: output.bytes,
      errors: String(decoding: errors.bytes, as: UTF8.self), seconds: times[0] + times[1])
  }

  /// Runs it to its end.
  ///
  /// - Throws: `LabError` with its last line on standard error where it fails.
  @discardableResult func succeeded(_ words: [String]) throws -> Outcome {
    let ended = try outcome(words)
    guard ended.status == 0 else {
      let name = URL(fileURLWithPath: path).lastPathComponent
      throw LabError("'\(name) \(words.joined(separator: " "))' ended with \(ended.status): \(ended.lastError)")
    }
    return ended
  }

  /// The lines of JSON that it writes to standard output.
  ///
  /// - Throws: `LabError`, also for a line that is no object.
  func rows(_ words: [String]) throws -> [JSONValue] {
    guard let rows = try succeeded(words).rows, rows.allSatisfy({ $0.members != nil }) else {
      throw LabError("'\(words.joined(separator: " "))' printed a line that is no row of JSON, expected rows alone")
    }
    return rows
  }

  /// The first of them.
  ///
  /// - Throws: `LabError`, also where there is none.
  func row(_ words: [String]) throws -> JSONValue {
    guard let row = try rows(words).first else {
      throw LabError("'\(words.joined(separator: " "))' printed no row, expected one")
    }
    return row
  }
}

/// A file without a name, for what a child writes.
private final class ScratchFile {
  let descriptor: Int32

  init() throws {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/fuse-lab-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw LabError("no temporary file: \(String(cString: strerror(errno)))") }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(descriptor) }

  /// What has been written.
  var bytes: [UInt8] {
    let size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let read = pread(descriptor, buffer.baseAddress! + count, size - count, off_t(count))
        if read <= 0 { break }
        count += read
      }
    }
  }
}
