import ArgumentParser
import Datasets
import Dispatch
import Foundation
import RunResults
import ServiceArguments
import Wording

struct Fuse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse",
    abstract: "Finds peers by UWB ranges, camera and IMU: precision finding on recordings.",
    discussion: """
      EXAMPLES
        fuse run datasets/demo               find the peers of the demo
        fuse run phone -o out --to 12        only its first 12 s, into ./out
        fuse run phone --format jsonl        the stream of updates on stdout
        fuse stream phone | fuse run -       a recording as event lines, and back
        fuse report datasets/demo            an HTML page with a timeline
        fuse report old-fuse new-fuse        several runs on one page, worst first
        fuse inspect phone                   what a recording contains and lacks
        fuse import phone-log -o phone       other kinds: 'fuse import --list'
        fuse export mcap demo-fuse -o x.mcap for Foxglove
        fuse template cam0                   a calibration to begin with
        fuse config --list                   every setting of --config
        fuse track phone                     tracks from its images
        fuse simulate --list                 the scenarios
        fuse simulate arc -o walk --seed 7   a recording with known truth
        fuse eval phone                      errors against ground truth
        fuse diff golden new                 what changed between two runs
        fuse explain demo-fuse --at 5        why it published what it did then
        fuse serve --replay datasets/demo    sessions over HTTP, and a page
        fuse meet phone --name a --peer b    one end of two processes
        fuse manual | man -l -               all of this as a manual page

      EXIT CODES
        0   done
        1   differences (diff, eval --expect)
        2   the data or the run failed: one "error: ..." line on stderr
        64  wrong usage
      """,
    version: FuseVersion.current,
    subcommands: [
      RunCommand.self, StreamCommand.self, ReportCommand.self, InspectCommand.self, ImportCommand.self,
      ExportCommand.self,
      TemplateCommand.self, ConfigCommand.self, TrackCommand.self, SimulateCommand.self,
      EvalCommand.self, DiffCommand.self, ExplainCommand.self, BenchmarkCommand.self, ServeCommand.self,
    ] + sessionCommands + [ManualCommand.self])

  /// Commands that need sessions: none on Apple's systems, which have their own Nearby Interaction.
  private static var sessionCommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      []
    #else
      [MeetCommand.self]
    #endif
  }
}

/// Runs the requested command: on the main thread, except asynchronous ones. An asynchronous entry point would run all
/// of them on a dispatcher's thread, which valgrind cannot follow and whose stack is small.
@main
enum EntryPoint {
  static func main() {
    StandardStreams.secure()
    EndingSignals.watch()
    do {
      let arguments = RawArguments.all()
      try UnknownCommand.check(arguments)
      var command = try Fuse.parseAsRoot(arguments)
      guard let waiting = command as? any AsyncParsableCommand else { return try command.run() }
      // Moved to the task: this thread only waits.
      nonisolated(unsafe) var asynchronous = waiting
      Task {
        do {
          try await asynchronous.run()
          Fuse.exit()
        } catch { end(with: error) }
      }
      dispatchMain()
    } catch { end(with: error) }
  }

  /// Help goes to stdout; a message about wrong arguments, which it quotes, to stderr.
  private static func end(with error: any Error) -> Never {
    let code = Fuse.exitCode(for: error)
    guard !code.isSuccess else { Fuse.exit(withError: error) }
    let message = Fuse.fullMessage(for: error)
    if !message.isEmpty { StandardError.line(message) }
    exit(code.rawValue)
  }
}

/// `fuse serve` and `fuse meet`: commands of the executable `fuse-serve` in the same folder, which has SwiftNIO.
private enum ServiceExecutable {
  /// Beside this executable.
  private static var path: String {
    let own = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return own.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("fuse-serve").path
  }

  /// Becomes `fuse-serve` with this process's own arguments, byte by byte; returns only by an error.
  static func run() throws {
    try Failure.reporting {
      var words: [UnsafeMutablePointer<CChar>?] = [strdup("fuse-serve")]
      words += (1..<max(1, Int(CommandLine.argc))).map { CommandLine.unsafeArgv[$0] }
      words.append(nil)
      EndingSignals.forget()
      execv(path, words)
      throw CommandError(
        "\(path): \(String(cString: strerror(errno))), expected the service beside fuse: "
          + "'swift build -c release --product fuse-serve' builds it")
    }
  }
}

/// `fuse serve`.
private struct ServeCommand: ParsableCommand {
  static let configuration = ServeArguments.configuration

  @OptionGroup var arguments: ServeArguments

  func run() throws { try ServiceExecutable.run() }
}

/// `fuse meet`.
private struct MeetCommand: ParsableCommand {
  static let configuration = MeetArguments.configuration

  @OptionGroup var arguments: MeetArguments

  func run() throws { try ServiceExecutable.run() }
}

/// A first word that is no command.
private enum UnknownCommand {
  /// - Throws: `ValidationError` with what may have been meant.
  static func check(_ arguments: [String]) throws {
    guard let word = arguments.first, !word.hasPrefix("-") else { return }
    let names = Fuse.configuration.subcommands.flatMap { command in
      [command.configuration.commandName ?? ""] + command.configuration.aliases
    }
    guard word != "help", !names.contains(word) else { return }
    throw ValidationError("'\(word)' is no command\(Spelling.suggestion(for: word, among: names + ["help"]))")
  }
}

/// Ends a command on an error in the data or during the run: one line on stderr, exit code 2.
enum Failure {
  /// The exit code for errors in the data or during the run.
  private static let exitCode = ExitCode(2)

  /// Runs `body`; its error becomes the one line, its exit code is passed on.
  static func reporting(_ body: () throws -> Void) throws {
    do { try body() } catch let exit as ExitCode { throw exit } catch let usage as ValidationError { throw usage } catch
    {
      Leftovers.waitIfEnding()
      let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      StandardError.line((text.hasPrefix("error: ") ? "" : "error: ") + text)
      throw exitCode
    }
  }
}

/// An error that the command itself finds, in words.
struct CommandError: Error, CustomStringConvertible {
  /// The message.
  var description: String

  /// An error with a message.
  init(_ description: String) { self.description = description }
}

/// Arguments that are no UTF-8, as names of files may be.
///
/// A `String` cannot hold such a name: where there is a file or folder of it, it is opened, and the path of its
/// descriptor takes its place.
enum RawArguments {
  private static let prefix = "/proc/self/fd/"

  /// The arguments behind the command's own name.
  static func all() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { argument in
        String(validatingCString: argument) ?? path(of: argument) ?? String(cString: argument)
      }
    }
  }

  private static func path(of raw: UnsafePointer<CChar>) -> String? {
    let descriptor = open(raw, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    return descriptor < 0 ? nil : "\(prefix)\(descriptor)"
  }

  /// The last part of a path for people, with signs of replacement where it is no UTF-8.
  static func name(of path: String) -> String {
    let standard = URL(fileURLWithPath: path).standardizedFileURL
    guard path.hasPrefix(prefix) else { return standard.lastPathComponent }
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      readlink(path, bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard count > 0 else { return standard.lastPathComponent }
    let last = buffer[..<count].split(separator: UInt8(ascii: "/")).last ?? []
    return String(decoding: last, as: UTF8.self)
  }
}

/// The three streams that every process begins with.
private enum StandardStreams {
  /// Makes them safe to write to. Where the caller closed one, the null device takes its place: otherwise the next
  /// file that is opened would get its number, and messages would end in a result. A reader that goes away is an error
  /// of the write and kills nothing.
  static func secure() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
      // The lowest free number is this one: those below are open.
      _ = open("/dev/null", O_RDWR)
    }
    signal(SIGPIPE, SIG_IGN)
  }
}
