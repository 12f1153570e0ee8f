import ArgumentParser
import Datasets
import Foundation
import Wording

/// The root command: instruments of the makers, part of every build and of no package for users.
struct FuseLab: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse-lab",
    abstract: "Measures what fuse makes of random worlds, radios and faults: for its makers.",
    subcommands: [WorldsCommand.self, RadiosCommand.self, FaultsCommand.self, FaultMatrixCommand.self])
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

  /// - Throws: `LabError` where it is not there.
  func command() throws -> ChildCommand { try ChildCommand(fuse ?? Checkout.fuse) }
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
    try ChildCommand("\(root)/tools/summary_page.py").succeeded([name])
  }

  /// The command of the same build.
  static var fuse: String { executable.deletingLastPathComponent().appendingPathComponent("fuse").path }

  private static var executable: URL {
    (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
  }
}
