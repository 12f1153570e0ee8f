import ArgumentParser
import Datasets
import Foundation
import JSONText

/// `fuse-lab worlds`.
struct WorldsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worlds",
    abstract: "Random worlds: scenarios with drawn parameters, and the page with their figures.",
    discussion: """
      Drawn are: rates and noises of every sensor within the range of products, wrong stated range noise, NLOS, \
      outliers, intervals without ranges, darkness, up to 5 % outlier tracks, one to three peers, and a sequence of \
      gestures and walks, started stationary or moving. The same seed is the same world in every kind but for what the \
      kind adds.

      EXAMPLES
        tools/update-worlds                           docs/worlds.md
        tools/update-worlds --only poses --worlds 20 --first 5000 --rows now
        tools/update-worlds compare now/poses.jsonl then/poses.jsonl
        tools/update-worlds measure --help            all options
      """,
    subcommands: [Measure.self, Kinds.self, Print.self, Record.self, Page.self, Compare.self],
    defaultSubcommand: Measure.self)
}

extension WorldsCommand {
  /// All kinds, and the page; or some of them.
  struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs worlds of every kind, each with its own initialisation, and writes docs/worlds.md.")

    @Option(help: "Worlds of the first kind; others have a share of these. 300: some two hours of processor time.")
    var worlds = 300

    @Option(help: "First seed; earlier ones than 1600 were used during development.")
    var first: UInt64 = 1600

    @Option(
      help: "These kinds alone, by commas, each with all the worlds; prints their figures, writes no page.",
      transform: { try named($0, among: WorldKind.allCases, by: \.rawValue) })
    var only: [WorldKind] = []

    @Option(help: "Keeps the rows of every kind there, <kind>.jsonl, for 'compare'.")
    var rows: String?

    @Option(help: "Settings of 'fuse run', a file.")
    var config: String?

    @Flag(help: "The ideal observer beside, which knows the law (some minutes a world with errors of the pose).")
    var ideal = false

    @OptionGroup var fuse: FuseOption

    func validate() throws { if worlds < 1 { throw ValidationError("--worlds: expected 1 or more") } }

    func run() throws {
      let measurement = WorldsMeasurement(
        run: WorldRun(fuse: try fuse.command(), config: config, hasIdeal: ideal), count: worlds, first: first,
        folder: rows,
        jobs: fuse.jobs)
      if only.isEmpty { return try measurement.writePage() }
      for kind in only {
        print("\n## \(kind)\n\n" + WorldsPage.text(try measurement.rows(kind, count: worlds)), terminator: "")
      }
    }
  }

  struct Kinds: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The kinds, one a line: name, what it is.")

    func run() {
      for kind in WorldKind.allCases {
        print("\(kind)".padding(toLength: 12, withPad: " ", startingAt: 0) + kind.words)
      }
    }
  }

  struct Print: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "scenario", abstract: "The scenario file of a world, to the standard output.")

    @Argument var kind: WorldKind
    @Argument var seed: UInt64

    func run() throws {
      guard let world = try WorldScenario.inARoom(kind, seed: seed) else { throw ExitCode(3) }
      print(world.text, terminator: "")
    }
  }

  struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Simulates a world into a folder, which is replaced; exit code 3 where no room is large enough.")

    @Argument var kind: WorldKind
    @Argument var seed: UInt64
    @Argument var folder: String

    func run() throws { if try WorldRun.record(kind, seed: seed, into: folder) == nil { throw ExitCode(3) } }
  }

  struct Page: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The tables and lists about the worlds of some rows.")

    @Argument(help: "A file of --rows.") var rows: String

    func run() throws { print(WorldsPage.text(try WorldRow.rows(in: rows)), terminator: "") }
  }

  struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "The worlds of both files, paired by seed: differences with 95 % intervals.")

    @Argument(help: "A file of --rows.") var rows: String
    @Argument(help: "Another.") var others: String

    func run() throws {
      print(WorldsComparison(try WorldRow.rows(in: rows), try WorldRow.rows(in: others)).text, terminator: "")
    }
  }
}
