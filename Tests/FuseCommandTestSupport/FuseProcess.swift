import Foundation
import TestSupport

/// The built command, run as a user runs it.
package enum FuseProcess {
  /// How a run ended.
  package struct Outcome {
    package var status: Int32
    package var stdout: String
    package var stderr: String
    /// The process was killed because it did not end.
    package var hung = false

    /// Lines on stderr.
    package var errorLines: [String] { stderr.split(separator: "\n").map(String.init) }
  }

  /// Beside the test bundle, where the build puts both.
  package static let binary: URL = {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
      "fuse")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return Repository.root.appendingPathComponent(".build/release/fuse")
  }()

  /// Runs `fuse` with these arguments, at most for `limit` seconds.
  package static func run(_ arguments: [String], in folder: URL? = nil, limit: Double = 120) throws -> Outcome {
    try run(binary, arguments, in: folder, limit: limit)
  }

  /// Runs a line of a shell, in which `$FUSE` is the command.
  package static func shell(_ line: String, in folder: URL? = nil, limit: Double = 120) throws -> Outcome {
    try run(
      URL(fileURLWithPath: "/bin/bash"), ["-c", "FUSE=\(binary.path)\n" + line], in: folder, limit: limit)
  }

  private static func run(
    _ executable: URL, _ arguments: [String], in folder: URL?, limit: Double
  ) throws -> Outcome {
    let scratch = try Scratch()
    let (out, err) = (scratch.url.appendingPathComponent("out"), scratch.url.appendingPathComponent("err"))
    for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = folder ?? scratch.url
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try process.run()
    let hung = ended.wait(timeout: .now() + limit) == .timedOut
    if hung {
      process.terminate()
      ended.wait()
    }
    return Outcome(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      stdout: String(decoding: try Data(contentsOf: out), as: UTF8.self),
      stderr: String(decoding: try Data(contentsOf: err), as: UTF8.self), hung: hung)
  }
}

/// A folder for one test, gone with it.
package final class Scratch: Sendable {
  /// Where it is.
  package let url: URL

  /// A new empty folder.
  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// A path inside it.
  package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The bytes of a file inside it.
  package func bytes(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }
}
