import ArgumentParser
import Datasets
import Evaluation
import Foundation
import Geometry
import Report
import RunResults

/// `fuse report <run or recording>...`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Draws runs as one HTML file with a timeline.",
    discussion: """
      Takes output folders of 'fuse run', or recordings, which are run first. Several are on one page, the worst first. \
      Ground truth, headings and the places where a peer may be come from the run's recording, which is replayed, where \
      it is available.

      EXAMPLES
        fuse report datasets/demo
        fuse report phone-fuse -o phone.html
        fuse report phone-fuse --truth recordings/phone
        fuse report before-fuse after-fuse -o both.html
      """)

  @Argument(help: "Output folders of runs, or recordings.")
  var folders: [String]

  @Option(
    name: .shortAndLong, help: "The file to write. (default: ./<name>-report.html, of several ./report.html)")
  var output: String?

  @Option(help: ArgumentHelp("The recording that the run was made from.", valueName: "recording"))
  var truth: String?

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  /// Updates in memory: twenty times what a page draws.
  private static let mostUpdates = 100_000

  func validate() throws {
    if folders.contains("") || output?.isEmpty == true || truth?.isEmpty == true {
      throw ValidationError("A file or folder needs a name.")
    }
    if truth != nil, folders.count > 1 { throw ValidationError("--truth belongs to one run.") }
  }

  func run() throws {
    try Failure.reporting {
      let most = max(1, Self.mostUpdates / folders.count)
      let inputs = try folders.map { folder in
        RunFolder.isRun(folder)
          ? try input(of: RunFolder.named(folder, isUnverified: unverified, keeping: .thinned(most)), folder)
          : try inputOfRecording(folder, most)
      }
      let page = ReportPage.html(ReportPage.ordered(inputs))
      let path = output ?? (folders.count == 1 ? "./\(Self.name(of: folders[0]))-report.html" : "./report.html")
      let url = URL(fileURLWithPath: path)
      let file = try AtomicFile(folder: url.deletingLastPathComponent().path, name: url.lastPathComponent)
      try file.write(page)
      try file.commit()
      var standardOutput = StandardOutput()
      try standardOutput.line("written to \(path): \(Words.fixed(Double(page.count) / 1000, 0)) kB")
    }
  }

  /// Runs the recording into a temporary folder.
  private func inputOfRecording(_ folder: String, _ most: Int) throws -> ReportInput {
    let scratch = try TemporaryFolder("report")
    try RunExecution(folder: folder, output: scratch.path, options: RunOptions(), format: .text, isQuiet: true).run()
    return try withExtendedLifetime(scratch) {
      try input(of: RunFolder(path: scratch.path, keeping: .thinned(most)), folder, madeFrom: folder)
    }
  }

  private func input(of run: RunFolder, _ folder: String, madeFrom recording: String? = nil) throws -> ReportInput {
    let origin = try RunOrigin(of: run, named: truth ?? recording)
    let bodyFromDevice = origin?.recording.rig.bodyFromDevice
    let (truth, peers) = (TruthTrajectory(origin?.truth.states ?? []), TruthPeers(origin?.truth.peers ?? []))
    var judge = Judge(
      truth: truth, peers: peers, bodyFromDevice: bodyFromDevice ?? .identity, sharesWorld: run.sharesWorldWithTruth)
    try judge.record(run)
    return ReportInput(
      run: run, name: Self.name(of: folder), version: Fuse.configuration.version, bodyFromDevice: bodyFromDevice,
      truth: truth, truePeers: peers, errors: judge.errors(), posterior: posterior(of: run, origin))
  }

  /// What the run knew before it was sure, from a replay; nothing where it cannot be replayed as it was.
  private func posterior(of run: RunFolder, _ origin: RunOrigin?) -> [String: [PosteriorMoment]] {
    guard let origin, let replay = try? RunReplay(of: run, named: origin.path) else { return [:] }
    return (try? replay.posterior()) ?? [:]
  }

  /// The folder's own name, without the ending that `fuse run` gives it.
  private static func name(of folder: String) -> String {
    let name = RawArguments.name(of: folder)
    return name == "/" ? "root" : name.hasSuffix("-fuse") && name.count > 5 ? String(name.dropLast(5)) : name
  }
}
