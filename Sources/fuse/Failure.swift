import ArgumentParser
import Datasets
import Foundation
import RunResults

/// Ends a command on an error in the data or during the run: one line on stderr, exit code 2.
enum Failure {
  /// The exit code for errors in the data or during the run.
  static let exitCode = ExitCode(2)

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
