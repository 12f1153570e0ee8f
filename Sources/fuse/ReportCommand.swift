import ArgumentParser
import Datasets
import Evaluation
import Foundation
import Geometry
import Report
import RunResults

/// `fuse report <run or recording>`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Draws a run as one HTML file with a timeline.",
    discussion: """
      Takes the output folder of 'fuse run', or a recording, which is run first. Ground truth and headings come \
      from the run's recording, where it is available.

      EXAMPLES
        fuse report datasets/demo
        fuse report phone-fuse -o phone.html
        fuse report phone-fuse --truth recordings/phone
      """)

  @Argument(help: "The output folder of a run, or a recording.")
  var folder: String

  @Option(name: .shortAndLong, help: "The file to write. (default: ./<name>-report.html)")
  var output: String?

  @Option(help: ArgumentHelp("The recording that the run was made from.", valueName: "recording"))
  var truth: String?

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  /// Updates in memory: twenty times what a page draws.
  private static let mostUpdates = 100_000

  func validate() throws {
    if folder.isEmpty || output?.isEmpty == true || truth?.isEmpty == true {
      throw ValidationError("A file or folder needs a name.")
    }
  }

  func run() throws {
    try Failure.reporting {
      let page = RunFolder.isRun(folder) ? try page(of: RunFolder.named(folder, isUnverified: unverified, keeping: .thinned(Self.mostUpdates))) : try pageOfRecording()
      let path = output ?? "./\(name)-report.html"
      let url = URL(fileURLWithPath: path)
      let file = try AtomicFile(folder: url.deletingLastPathComponent().path, name: url.lastPathComponent)
      try file.write(page)
      try file.commit()
      var standardOutput = StandardOutput()
      try standardOutput.line("written to \(path): \(Words.fixed(Double(page.count) / 1000, 0)) kB")
    }
  }

  /// Runs the recording into a temporary folder.
  private func pageOfRecording() throws -> [UInt8] {
    let scratch = try TemporaryFolder("report")
    try RunExecution(folder: folder, output: scratch.path, options: RunOptions(), format: .text, isQuiet: true).run()
    return try withExtendedLifetime(scratch) { try page(of: RunFolder(path: scratch.path, keeping: .thinned(Self.mostUpdates)), madeFrom: folder) }
  }

  private func page(of run: RunFolder, madeFrom recording: String? = nil) throws -> [UInt8] {
    let origin = try RunOrigin(of: run, named: truth ?? recording)
    let bodyFromDevice = origin?.recording.rig.bodyFromDevice
    let (truth, peers) = (TruthTrajectory(origin?.truth.states ?? []), TruthPeers(origin?.truth.peers ?? []))
    var judge = Judge(
      truth: truth, peers: peers, bodyFromDevice: bodyFromDevice ?? .identity, sharesWorld: run.sharesWorldWithTruth)
    try judge.record(run)
    return ReportPage.html(
      ReportInput(
        run: run, name: name, version: Fuse.configuration.version, bodyFromDevice: bodyFromDevice, truth: truth,
        truePeers: peers, errors: judge.errors()))
  }

  /// The folder's own name, without the ending that `fuse run` gives it.
  private var name: String {
    let name = RawArguments.name(of: folder)
    return name == "/" ? "root" : name.hasSuffix("-fuse") && name.count > 5 ? String(name.dropLast(5)) : name
  }
}
