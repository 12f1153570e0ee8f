import ArgumentParser
import Datasets
import Foundation
import JSONText
import Wording

/// `fuse-lab faults`.
struct FaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "Recordings with one wrong thing about their set-up, and the page that says what a run makes of them.",
    discussion: """
      A fault keeps what is true (ground truth, the device's axes) and changes what the recording says.

      EXAMPLES
        tools/update-faults                           docs/faults.md
        tools/update-faults make datasets/demo out range-feet
        tools/update-faults measure --help            all options
      """,
    subcommands: [Measure.self, List.self, Make.self, Run.self, Page.self], defaultSubcommand: Measure.self)
}

extension FaultsCommand {
  /// All faults of some recordings, and the page.
  struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs every fault of some recordings and writes docs/faults.md; one to four minutes a recording.")

    @Argument(help: "Recordings (default: demo, search and arc-above of datasets, and the shared hh_walk).")
    var recordings: [String] = []

    @OptionGroup var fuse: FuseOption

    func run() throws {
      let checkout = try Checkout()
      let known = ["demo", "search", "arc-above", "hh_walk"].map(checkout.recording).filter(RegularFile.isFolder)
      let sources = recordings.isEmpty ? known : recordings
      let runs = try FaultRuns(fuse, checkout)
      let rows = try sources.flatMap { try runs.rows($0, names: []) }
      let given = recordings.isEmpty ? "" : " " + recordings.joined(separator: " ")
      let names = sources.map { URL(fileURLWithPath: $0).standardizedFileURL.lastPathComponent }
      let page = """
        # Recordings with one wrong thing about their set-up

        \(FaultsPage.conclusion(rows))

        **Command.** `tools/update-faults\(given)`. A fault keeps the truth and changes what the recording says
        (`tools/update-faults list`, and the shared `setup-faults`). Recordings: \(names.joined(separator: ", ")).
        What is tested and how: [diagnoses.md](diagnoses.md). All runs are then in `.build/pages/faults.md`. In brackets: 95 %
        interval (Wilson).

        \(FaultsPage.text(rows))
        """
      try checkout.write(page, "docs/faults.md")
      try checkout.write("# All runs of faults.md\n\n" + FaultsPage.details(rows), ".build/pages/faults.md")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The faults: name, family, what is wrong.")

    func run() {
      for fault in SetUpFault.all {
        let (name, family) = (Words.left(fault.name, 28), Words.left(fault.family.rawValue, 10))
        print("\(name) \(family) \(fault.text)")
      }
    }
  }

  struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copies of a recording with one fault each, under <out>/<name>; prints their folders.")

    @Argument var recording: String
    @Argument var out: String
    @Argument(help: "Names of faults (default: all that fit the recording).") var faults: [SetUpFault] = []

    func run() throws {
      for fault in faults.isEmpty ? SetUpFault.all : faults where fault.fits(recording) {
        print(try fault.make(recording, in: out))
      }
    }
  }

  struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Makes, runs and judges each: a line of JSON a fault.")

    @Argument var recording: String
    @Argument(help: "Names of faults (default: all that fit the recording).") var names: [String] = []
    @OptionGroup var fuse: FuseOption

    func run() throws {
      for row in try FaultRuns(fuse, Checkout()).rows(recording, names: names) { print(row.json.line) }
    }
  }

  struct Page: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The conclusion and the figures of some rows.")

    @Argument(help: "Lines of 'run'.") var rows: String
    @Flag(help: "The table of all runs instead.") var all = false

    func run() throws {
      let rows = try FaultRow.rows(in: rows)
      if all { return print(FaultsPage.details(rows), terminator: "") }
      print(FaultsPage.conclusion(rows) + "\n\n" + FaultsPage.text(rows), terminator: "")
    }
  }
}

extension SetUpFault: ExpressibleByArgument {
  package init?(argument name: String) {
    guard let fault = Self.all.first(where: { $0.name == name }) else { return nil }
    self = fault
  }
}
