import ArgumentParser
import Datasets
import Foundation
import JSONText
import Wording

/// The root command: instruments of the makers, part of every build and of no package for users.
package struct FuseLab: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "fuse-lab",
    abstract: "Measures what fuse makes of random worlds, radios and faults: for its makers.",
    subcommands: [WorldsCommand.self, RadiosCommand.self, FaultsCommand.self])

  package init() {}
}

@main
enum EntryPoint {
  /// Wrong usage ends with 64, an error of the data or of a run with one line and 2, as those of `fuse`.
  static func main() {
    do {
      var command = try FuseLab.parseAsRoot()
      try command.run()
    } catch let error where FuseLab.exitCode(for: error) == .failure {
      let text = "\(error)"
      StandardError.line((text.hasPrefix("error: ") ? "" : "error: ") + text)
      exit(2)
    } catch { FuseLab.exit(withError: error) }
  }
}

/// An error that an instrument itself finds, in words.
struct LabError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// The checkout that this executable was built in.
enum Checkout {
  /// The folder of the package.
  ///
  /// - Throws: `LabError` where the executable has been taken away from it.
  static func root() throws -> String {
    let own = executable
    var folder = own.deletingLastPathComponent()
    while folder.path != "/" {
      if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
        return folder.path
      }
      folder.deleteLastPathComponent()
    }
    throw LabError("\(own.path): found no Package.swift above it, expected the build of a checkout")
  }

  /// Writes a file of the checkout.
  static func write(_ text: String, _ name: String, in root: String) throws {
    let path = "\(root)/\(name)"
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    let file = try OutputFile(path: path, inputs: [])
    try file.write(Array(text.utf8))
    try file.commit()
  }

  /// Writes all figures of a page into `.build/pages`, and from these the page of the documents, by
  /// `tools/summary_page.py`.
  static func writePage(_ name: String, _ figures: String, in root: String) throws {
    try write(figures, ".build/pages/\(name).md", in: root)
    try ChildCommand("\(root)/tools/summary_page.py").output([name])
  }

  /// The command of the same build.
  static var fuse: String { executable.deletingLastPathComponent().appendingPathComponent("fuse").path }

  private static var executable: URL {
    (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
  }
}

/// An executable that is run as a child, such as `fuse` of this or another build.
struct ChildCommand: Sendable {
  /// Its path.
  let path: String

  /// How a run ended.
  struct Outcome {
    var status: Int32
    var output: [UInt8]
    var errors: String

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
  func outcome(_ words: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    // Both at once: a full pipe stops the child.
    nonisolated(unsafe) var complaint = Data()
    let reading = DispatchWorkItem { complaint = errors.fileHandleForReading.readDataToEndOfFile() }
    DispatchQueue.global().async(execute: reading)
    let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
    reading.wait()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Outcome(
      status: isSignal ? -process.terminationStatus : process.terminationStatus, output: bytes,
      errors: String(decoding: complaint, as: UTF8.self))
  }

  /// What it writes to standard output.
  ///
  /// - Throws: `LabError` with its last line on standard error where it fails.
  @discardableResult func output(_ words: [String]) throws -> [UInt8] {
    let ended = try outcome(words)
    guard ended.status == 0 else {
      let name = URL(fileURLWithPath: path).lastPathComponent
      throw LabError("'\(name) \(words.joined(separator: " "))' ended with \(ended.status): \(ended.lastError)")
    }
    return ended.output
  }

  /// The lines of JSON that it writes to standard output.
  ///
  /// - Throws: `LabError`, also for a line that is no object.
  func rows(_ words: [String]) throws -> [JSONValue] {
    try output(words).split(separator: UInt8(ascii: "\n")).map { line in
      guard let json = line.withUnsafeBufferPointer({ try? JSONValue($0) }), json.members != nil else {
        throw LabError("'\(words.joined(separator: " "))' printed a line that is no row of JSON, expected rows alone")
      }
      return json
    }
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

extension JSONValue {
  /// The members of an object; nil for anything else.
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }
}

/// Independent tasks, some at a time, each on a thread that waits for its children.
final class Tasks<Result: Sendable>: @unchecked Sendable {
  // Mutable state is guarded by `lock`.
  private let lock = NSLock()
  private var next = 0
  private var results: [Result?]
  private var failure: (any Error)?
  private let task: @Sendable (Int) throws -> Result

  private init(_ count: Int, _ task: @escaping @Sendable (Int) throws -> Result) {
    results = Array(repeating: nil, count: count)
    self.task = task
  }

  /// The results of the tasks 0 to `count - 1`, in this order.
  ///
  /// - Throws: the first error; tasks that have begun are finished, the others left out.
  static func results(_ count: Int, jobs: Int, _ task: @escaping @Sendable (Int) throws -> Result) throws -> [Result] {
    let tasks = Tasks(count, task)
    let group = DispatchGroup()
    for _ in 0..<max(1, min(jobs, count)) {
      let thread = Thread {
        while let index = tasks.take() { tasks.work(index) }
        group.leave()
      }
      // Simulating runs on this stack; the default of a second thread is small.
      thread.stackSize = 8 << 20
      group.enter()
      thread.start()
    }
    group.wait()
    if let failure = tasks.failure { throw failure }
    return tasks.results.map { $0! }
  }

  private func take() -> Int? {
    lock.withLock {
      guard next < results.count, failure == nil else { return nil }
      next += 1
      return next - 1
    }
  }

  private func work(_ index: Int) {
    do {
      let result = try task(index)
      lock.withLock { results[index] = result }
    } catch { lock.withLock { failure = failure ?? error } }
  }
}
