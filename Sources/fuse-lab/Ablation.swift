import ArgumentParser
import Datasets
import Wording

/// `fuse-lab ablation`.
struct AblationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ablation",
    abstract: "What each part of the model is worth: the same random worlds with the part and without it.",
    discussion: """
      Writes docs/ablation.md; some 25 minutes for the default. Figures are paired by world, with 95 % intervals of \
      the bootstrap ('fuse-lab worlds compare'). A part that is for worlds of its own is measured there, too.
      """)

  @Option(help: "Worlds of each kind.")
  var worlds = 60

  @Option(help: "First seed.")
  var first: UInt64 = 6000

  @Option(
    help: "Kinds for every part, by commas.", transform: { try named($0, among: WorldKind.allCases, by: \.rawValue) })
  var kinds: [WorldKind] = [.plain, .poses]

  @Option(
    help: "These parts alone, by commas; prints the page.",
    transform: { try named($0, among: AblatedPart.all, by: \.name) })
  var only: [AblatedPart] = []

  @Option(
    help: """
      Keeps the worlds' rows there, a folder for each number of worlds and first seed. What is there already is not run \
      again, so a build has a folder of its own.
      """)
  var rows: String?

  @OptionGroup var fuse: FuseOption

  func validate() throws { if worlds < 1 { throw ValidationError("--worlds: expected 1 or more") } }

  func run() throws {
    let (checkout, scratch) = (try Checkout(), try TemporaryFolder("ablation"))
    let folder = "\(rows ?? scratch.path)/\(worlds)-from-\(first)"
    let parts = only.isEmpty ? AblatedPart.all : only
    var table: [[String]] = [], worthless: [String] = []
    for (number, part) in parts.enumerated() {
      StandardError.line("\(number + 1) of \(parts.count): \(part.name)")
      let name = part.name.replacing(" ", with: "-").replacing(",", with: "")
      let found = try (kinds + part.kinds.filter { !kinds.contains($0) }).flatMap { kind in
        let with = try measured(kind, nil, in: "\(folder)/with", scratch)
        let without = try measured(kind, part.settings, in: "\(folder)/without-\(name)", scratch)
        return Self.changes("\(kind)", WorldsComparison(with, without))
      }
      func cell(_ isWorse: Bool) -> String {
        let words = found.filter { $0.isWorse == isWorse }.map(\.words)
        return words.isEmpty ? "-" : words.joined(separator: "<br>")
      }
      let homes = part.kinds.map(\.rawValue).joined(separator: ", ")
      table.append([part.name, homes.isEmpty ? "-" : homes, "`\(part.settings)`", cell(true), cell(false)])
      if !found.contains(where: \.isWorse) { worthless.append(part.name) }
    }
    let page = page(table, worthless)
    if only.isEmpty { try checkout.write(page, "docs/ablation.md") } else { print(page, terminator: "") }
  }

  /// The rows of a kind under these settings, kept in a folder.
  private func measured(
    _ kind: WorldKind, _ settings: String?, in folder: String, _ scratch: TemporaryFolder
  ) throws -> [WorldRow] {
    let path = "\(folder)/\(kind).jsonl"
    if RegularFile.exists(path) { return try WorldRow.rows(in: path) }
    let config = try settings.map { settings in
      let path = "\(scratch.path)/settings.yaml"
      try TextFile.write(settings + "\n", to: path)
      return path
    }
    return try WorldsMeasurement(
      run: WorldRun(fuse: try fuse.command(), config: config), count: worlds, first: first, folder: folder,
      jobs: fuse.jobs
    ).rows(kind, count: worlds)
  }

  /// What differs beyond its interval.
  private static func changes(_ kind: String, _ found: WorldsComparison) -> [(isWorse: Bool, words: String)] {
    figures.compactMap { figure in
      guard let row = found.rows.first(where: { $0.figure == figure.name }), let with = row.first,
        let difference = row.difference, let ends = row.differences, !(ends ~= 0)
      else { return nil }
      let sign = difference < 0 ? "" : "+"
      let numbers = [with, with + difference, difference, ends.lowerBound, ends.upperBound].map { Digits.fixed($0, 1) }
      return (
        (difference < 0) == figure.isBetter,
        "\(kind): \(figure.short) \(numbers[0]) -> \(numbers[1]) (\(sign)\(numbers[2]) [\(numbers[3]), \(numbers[4])])"
      )
    }
  }

  /// Figures of the comparison, their names on the page, and whether more of them is better.
  private static let figures: [(name: String, short: String, isBetter: Bool)] = [
    ("coverage of angles %", "coverage", true), ("links whose coverage is under 70 %, %", "links under 70 %", false),
    ("updates with an angle %", "angles", true), ("links with over 1 % of these, %", "links with wrong angles", false),
    ("coverage of distances %", "coverage of distances", true), ("converged updates %", "converged", true),
    ("links ever falsely converged %", "links falsely converged", false),
    ("worlds with a diagnosis %", "diagnoses", false),
  ]

  private func page(_ table: [[String]], _ worthless: [String]) -> String {
    let head = ["part", "also on", "off by", "worse without it", "better without it"]
    return """
      # Ablation: what each part of the model is worth

      `tools/update-ablation --worlds \(worlds) --first \(first) --kinds \(kinds.map(\.rawValue).joined(separator: ","))` wrote this page: \(worlds) random worlds of each kind
      ([worlds.md](worlds.md), `tools/update-worlds kinds`), the same with each part and without it, and of the kinds in the second column, which the part is for. Listed is what changes
      without it beyond its 95 % interval (bootstrap over worlds): in the fourth column what gets worse, in the fifth what gets better. With some \(Self.figures.count) figures a kind, one in
      forty of each column is chance.

      \(MarkdownTable.lines(head, table).joined(separator: "\n"))

      Nothing gets worse on these worlds without: \(worthless.isEmpty ? "none" : worthless.joined(separator: ", ")). A part that is for something that these worlds do not have (restarts after wrong set-ups, premises, long walks of many
      minutes) is judged where that is: [faults.md](faults.md), [radios.md](radios.md), [results.md](results.md), [experiments](experiments/README.md). Parts without a setting, and what was taken out: [ablations.md](experiments/ablations.md).

      """
  }
}

/// A part of the model.
struct AblatedPart {
  let name: String
  /// What turns it off.
  let settings: String
  /// The worlds that it is for, beside those of every part.
  var kinds: [WorldKind] = []

  init(_ name: String, _ settings: String, _ kinds: WorldKind...) {
    (self.name, self.settings, self.kinds) = (name, settings, kinds)
  }

  static let all: [AblatedPart] = [
    .init("errors bound to the pose", "ranging: {posePrior: 0}"),
    .init("errors of the place beside quiet radios", "ranging: {multipathPrior: 0}", .rests),
    .init("noise class of 4 cm", "ranging: {noiseCandidates: [[0.005, 2], [0.08, 2], [0.16, 2], [0.16, 0.5]]}", .times),
    .init("noise class of 8 cm", "ranging: {noiseCandidates: [[0.005, 2], [0.04, 2], [0.16, 2], [0.16, 0.5]]}", .times),
    .init(
      "noise class of 16 cm", "ranging: {noiseCandidates: [[0.005, 2], [0.04, 2], [0.08, 2], [0.16, 0.5]]}", .times),
    .init(
      "noise class of 16 cm, short", "ranging: {noiseCandidates: [[0.005, 2], [0.04, 2], [0.08, 2], [0.16, 2]]}", .times
    ),
    .init("learning of the white noise", "ranging: {statedNoisePseudoCount: 1e8}", .whites),
    .init("long NLOS biases", "ranging: {longNLOSProbability: 0}", .walls),
    .init("learning of the NLOS rate", "ranging: {nlosRatePseudoCount: 1000}", .walls, .bodies),
    .init("scale error of the link", "ranging: {scalePrior: 1e-9}", .odometries),
    .init("random walk of the peer", "ranging: {peerRandomWalk: 0}", .searches),
    .init("moving peers", "movingPrior: 0", .walkers, .strolls),
    .init(
      "slow speeds of moving peers", "ranging: {underWaySlowProbability: 0, beginningSlowProbability: 0}", .walkers,
      .strolls),
    .init("misfit of the noise", "ranging: {noiseMisfit: 0}"),
    .init("wide prior of the bias", "ranging: {biasMean: 0, biasPrior: 0.15}"),
    .init("other storeys", "ranging: {otherStoreyProbability: 0}", .storeys),
    .init("larger noise", "noiseIncreaseLogOdds: 1e6", .times, .walls),
    .init("restart of the search", "restartLogOdds: 1e6", .strolls, .stops),
    .init("premises", "watchesPremises: false", .mirrored, .smoothed),
  ]
}
