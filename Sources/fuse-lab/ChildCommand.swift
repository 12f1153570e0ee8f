import Datasets
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
    let folder = try TemporaryFolder("child")
    let files = ["output", "errors"].map { "\(folder.path)/\($0)" }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (descriptor, path) in zip([STDOUT_FILENO, STDERR_FILENO], files) {
      posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT, 0o600)
    }
    var process = pid_t()
    let cause = posix_spawn(&process, command[0], &actions, nil, &arguments, environ)
    guard cause == 0 else { throw LabError("\(path): \(String(cString: strerror(cause)))") }
    var (status, usage) = (Int32(0), rusage())
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let times = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) * 1e-6 }
    let signal = status & 0x7F
    let written = try files.map { try RegularFile.bytes($0, limit: 1 << 30) }
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : -signal, output: written[0],
      errors: String(decoding: written[1], as: UTF8.self), seconds: times[0] + times[1])
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
    try JSONLines.objects(succeeded(words).output, of: "'\(words.joined(separator: " "))'")
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
