import ArgumentParser
import Datasets
import Foundation
import Wording

/// The root command: instruments of the makers, part of every build and of no package for users.
struct FuseLab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse-lab",
    abstract: "Measures what fuse makes of random worlds, radios, motions, images and faults: for its makers.",
    subcommands: [
      WorldsCommand.self, AblationCommand.self, RadiosCommand.self, MotionsCommand.self, ConvergenceCommand.self,
      RobustnessCommand.self, ResultsCommand.self, TrajectoryCommand.self, PeersCommand.self, TrackingCommand.self,
      FaultsCommand.self, FaultMatrixCommand.self, BenchmarkCommand.self,
    ])
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

/// The command that is measured.
struct FuseOption: ParsableArguments {
  @Option(help: "The command that is measured (default: of the same build).")
  var fuse: String?

  @Option(help: "Runs at a time.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  func validate() throws { if jobs < 1 { throw ValidationError("--jobs: found \(jobs), expected 1 or more") } }

  /// - Throws: `LabError` where it is not there.
  func command() throws -> ChildCommand { try ChildCommand(fuse ?? Checkout.fuse) }
}

/// What the words between commas of an option name.
///
/// - Throws: `ValidationError` for a word that names nothing.
func named<Element>(_ text: String, among all: [Element], by name: (Element) -> String) throws -> [Element] {
  try text.split(separator: ",").map { word in
    guard let found = all.first(where: { name($0) == word }) else {
      throw ValidationError("found '\(word)', expected one of \(all.map(name).joined(separator: ", "))")
    }
    return found
  }
}

/// An error that an instrument itself finds, in words.
struct LabError: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

/// A file of text.
enum TextFile {
  /// Replaces it; its folder is made.
  static func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    let file = try OutputFile(path: path, inputs: [])
    try file.write(Array(text.utf8))
    try file.commit()
  }
}

/// The checkout that this executable was built in.
struct Checkout {
  /// The folder of the package.
  let root: String

  /// - Throws: `LabError` where the executable has been taken away from it.
  init() throws {
    var folder = Self.executable.deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
      guard folder.path != "/" else {
        throw LabError("\(Self.executable.path): found no Package.swift above it, expected the build of a checkout")
      }
      folder.deleteLastPathComponent()
    }
    root = folder.path
  }

  /// Writes one of its files.
  func write(_ text: String, _ name: String) throws { try TextFile.write(text, to: "\(root)/\(name)") }

  /// The recordings that are not part of it.
  var sharedData: String { ProcessInfo.processInfo.environment["FUSE_SHARED_DATA"] ?? "\(root)/../shared/data" }

  /// The folder of a recording: of the checkout, or hh_walk of the shared data, which may not be there.
  func recording(_ name: String) -> String {
    name == "hh_walk" ? "\(sharedData)/sim/\(name)" : "\(root)/datasets/\(name)"
  }

  /// The command of the same build.
  static var fuse: String { executable.deletingLastPathComponent().appendingPathComponent("fuse").path }

  private static var executable: URL {
    (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
  }
}
