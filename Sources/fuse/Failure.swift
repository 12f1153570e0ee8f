import ArgumentParser
import Foundation

/// How a command ends when data or run-time trouble stops it: one line on stderr, exit code 2.
enum Failure {
  /// The exit code for trouble with the data or during the run.
  static let exitCode = ExitCode(2)

  /// Runs `body`; an error of its own becomes the one line, an exit code of its own is passed on.
  static func reporting(_ body: () throws -> Void) throws {
    do { try body() } catch let exit as ExitCode { throw exit } catch let usage as ValidationError { throw usage } catch
    {
      let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      FileHandle.standardError.write(Data("\(text.hasPrefix("error: ") ? "" : "error: ")\(text)\n".utf8))
      throw exitCode
    }
  }
}

/// Trouble that the command itself finds, in words.
struct CommandError: Error, CustomStringConvertible {
  /// The words.
  var description: String

  /// Trouble in words.
  init(_ description: String) { self.description = description }
}
