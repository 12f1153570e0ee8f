import ArgumentParser
import Foundation
import RunResults

/// The executable behind `fuse serve` and `fuse meet`, apart from `fuse`, which builds without SwiftNIO.
@main
struct FuseServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse-serve", abstract: "Sensors stream in over HTTP, updates stream out.",
    version: FuseVersion.current, subcommands: subcommands, defaultSubcommand: ServeCommand.self)

  private static var subcommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      [ServeCommand.self]
    #else
      [ServeCommand.self, MeetCommand.self]
    #endif
  }
}

/// Ends a command on an error: one line on stderr, exit code 2, as `fuse` does.
enum Failure {
  /// Runs `body`; its error becomes the one line.
  static func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let exit as ExitCode { throw exit } catch let usage as ValidationError {
      throw usage
    } catch {
      let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      StandardError.line("\(text.hasPrefix("error: ") ? "" : "error: ")\(text)")
      throw ExitCode(2)
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
