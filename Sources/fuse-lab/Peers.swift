import ArgumentParser
import Datasets
import Evaluation
import Foundation
import JSONText
import Wording

/// `fuse-lab peers`.
struct PeersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract:
      "The finder beside batch least squares, on the same path and ranges, by the same judge: writes docs/peers.md.",
    discussion: "Random worlds, and recordings of real sensors of ../shared/data, those that are there.")

  @Argument(help: "Worlds; 120: about ten minutes of processor time.")
  var worlds = 120

  @Argument(help: "The first seed.")
  var first: UInt64 = 5000

  @OptionGroup var options: EvaluationOptions

  private static let words = ["--baseline", "--no-ideal"]

  func run() throws {
    let evaluations = try options.evaluations("peers")
    let fuse = evaluations.fuse, first = first
    let simulated = try evaluations.kept("worlds") {
      try TaskQueue.outcomes(worlds, jobs: evaluations.jobs) { try Self.world(fuse, seed: first + UInt64($0)) }
        .flatMap(\.self)
    }
    let real = try evaluations.kept("real") {
      let names = try? FileManager.default.contentsOfDirectory(atPath: "\(evaluations.checkout.sharedData)/real")
      return (names ?? []).sorted().flatMap { name -> [JSONValue] in
        // One without a peer's truth, or shorter than a window, has no row.
        do {
          let words = ["--windows", "34", "--every", "8", "--each"] + Self.words
          return try evaluations.rows("real-\(name)", evaluations.recordings(["real/\(name)"]) + words)
        } catch {
          StandardError.line("\(name) is left out: \(error)")
          return []
        }
      }
    }
    try PeersPage(simulated: .init(simulated), real: .init(real)).page.write(to: evaluations.checkout)
  }

  /// The rows of a world, named by its seed; none where no room is large enough.
  private static func world(_ fuse: ChildCommand, seed: UInt64) throws -> [JSONValue] {
    guard let world = try WorldScenario.inARoom(.searches, seed: seed) else { return [] }
    let folder = try TemporaryFolder("peers")
    let path = "\(folder.path)/\(seed).yaml"
    try TextFile.write(world.text, to: path)
    let seeds = ["--seeds", "1", "--first-seed", "\(seed)", "--quiet", "--format", "jsonl"]
    return try fuse.rows(["eval", "--scenario", path] + seeds + words).map { row in
      var row = row
      row["name"] = .string(row["name"]?.text?.replacing(path, with: "\(seed)"))
      return row
    }
  }
}

/// Trials with the finder's row and the other solver's.
package struct SolverPairs {
  /// A value with its 95 % interval, the bootstrap over the trials, and their number.
  package typealias Estimate = (value: Double, ends: ClosedRange<Double>?, count: Int)

  /// Rows by trial, the finder's first.
  let rows: [[JSONValue]]

  package init(_ rows: [JSONValue]) {
    let named = Dictionary(rows.map { ($0["name"]?.text ?? "", $0) }) { $1 }
    self.rows = rows.compactMap { row in named["\(row["name"]?.text ?? ""), least squares"].map { [row, $0] } }
  }

  /// A statistic over both solvers' figures at a time; the draws of all are the same. Nil without a value.
  package func estimate(
    _ key: (Double) -> FigureKey, at seconds: Double, _ statistic: ([[Double?]]) -> Double?
  ) -> Estimate? {
    let pairs = rows.filter { $0[0][.angleShareAt(seconds: seconds)] != nil }.map { $0.map { $0[key(seconds)] } }
    guard !pairs.isEmpty, let value = statistic(pairs) else { return nil }
    let draws = PythonRandom(1).samples(of: pairs, draws: pairs.count < 10 ? 0 : 1000)
    return (value, draws.dropFirst().map(statistic).middle95, pairs.count)
  }
}

/// docs/peers.md.
private struct PeersPage {
  let simulated: SolverPairs, real: SolverPairs

  private static let seconds = [6.0, 10, 20, 28]
  private static let solvers = ["finder", "least squares"]

  private struct Column: Sendable {
    var title: String
    var key: @Sendable (Double) -> FigureKey
    var decimals: Int
    var factor = 1.0
    var isMedian = false

    static let all = [
      Column(title: "error °", key: FigureKey.angleErrorDegreesAt, decimals: 1, isMedian: true),
      Column(title: "published %", key: FigureKey.angleShareAt, decimals: 0, factor: 100),
      Column(title: "coverage %", key: FigureKey.coverage90At, decimals: 0, factor: 100), crps, score,
    ]
    static let crps = Column(title: "CRPS °", key: FigureKey.angleCRPSDegreesAt, decimals: 1)
    static let score = Column(title: "interval score °", key: FigureKey.angleIntervalScoreDegreesAt, decimals: 0)

    func estimate(_ pairs: SolverPairs, _ side: Int, _ seconds: Double, both: Bool = false) -> SolverPairs.Estimate? {
      pairs.estimate(key, at: seconds) { trials in
        let values = (both ? trials.filter { !$0.contains(nil) } : trials).map { $0[side] }
        return (isMedian ? Figure.median(values) : Figure.mean(values)).value
      }
    }

    /// Finder less least squares, paired by trial.
    func difference(_ pairs: SolverPairs, _ seconds: Double) -> SolverPairs.Estimate? {
      pairs.estimate(key, at: seconds) { trials in
        Figure.mean(trials.map { trial in trial[0].flatMap { finder in trial[1].map { finder - $0 } } }).value
      }
    }

    func cell(_ estimate: SolverPairs.Estimate?, sign: String = "") -> String {
      func number(_ value: Double) -> String { String(format: "%\(sign).\(decimals)f", factor * value) }
      guard let estimate else { return "-" }
      let ends = estimate.ends.map { " [\(number($0.lowerBound)), \(number($0.upperBound))]" }
      return number(estimate.value) + (ends ?? "")
    }
  }

  private func table(_ pairs: SolverPairs) -> String {
    let columns = Column.all
    let rows = Self.seconds.flatMap { seconds -> [[String]] in
      let sides = Self.solvers.enumerated().compactMap { side, name -> [String]? in
        guard let shared = columns[1].estimate(pairs, side, seconds) else { return nil }
        let cells = columns.map { $0.cell($0.estimate(pairs, side, seconds)) }
        let both = columns[0].cell(columns[0].estimate(pairs, side, seconds, both: true))
        return ["\(Int(seconds)) s, \(name)", "\(shared.count)", cells[0], both] + cells[1...]
      }
      guard let apart = Column.crps.difference(pairs, seconds) else { return sides }
      let cells = [Column.crps, .score].map { $0.cell($0.difference(pairs, seconds), sign: "+") }
      return sides + [["\(Int(seconds)) s, difference", "\(apart.count)", "", "", "", ""] + cells]
    }
    let head = ["", "trials", columns[0].title, "where both answer"] + columns.dropFirst().map(\.title)
    return MarkdownTable.lines(head, rows, texts: 1).joined(separator: "\n")
  }

  var page: Page {
    let groups = [(simulated, "random worlds"), (real, "real sensors")].flatMap { pairs, name in
      Self.seconds.compactMap { seconds -> BarChart.Group? in
        let found = [0, 1].compactMap { Column.crps.estimate(pairs, $0, seconds)?.value }
        return found.count < 2 ? nil : ("\(name), \(Int(seconds)) s", found.map { Digits.rounded($0, 1) })
      }
    }
    let picture = "What an answer about the angle costs: CRPS, degrees"
    func at10(_ column: Column, _ side: Int) -> String {
      Digits.fixed(column.estimate(simulated, side, 10).map { column.factor * $0.value }, column.decimals)
    }
    let columns = Column.all
    let conclusion =
      "10 s after the motion began, the finder has an angle in \(at10(columns[1], 0)) % of random worlds and "
      + "\(at10(columns[2], 0)) % of its 90 % intervals hold the truth; least squares answers in \(at10(columns[1], 1)) %, and "
      + "\(at10(columns[2], 1)) % of its intervals do. Priced with its silence the finder's answer costs a CRPS of "
      + "\(at10(.crps, 0)) degrees and an interval score of \(at10(.score, 0)), that of least squares \(at10(.crps, 1)) and "
      + "\(at10(.score, 1))."
    let method =
      "What one would write first: all ranges so far, the position and a bias of the peer by Levenberg-Marquardt with "
      + "Huber's loss from 24 starts, the mode of least cost with its covariance, every second (`fuse eval --baseline`). It "
      + "gets the finder's own path and the same ranges, and is judged by the same judge at the same moments. Scores are "
      + "proper, less is better: neither silence (45, 342) nor a wrong width pays. Differences: finder less least squares, "
      + "paired by trial. Brackets: 95 % intervals, the bootstrap over trials. Another solver: "
      + "`fuse eval <recording> --solution FILE.csv`."
    let seeds = simulated.rows.compactMap { $0[0]["name"]?.text.flatMap { UInt64($0) } }
    var body =
      WrappedText.lines(method, width: 140) + [
        "", "## Random worlds", "",
        "Kind `searches` of `tools/update-worlds`, seeds \(seeds.min() ?? 0) to \(seeds.max() ?? 0): 36 s, range errors of real size that are bound to the pose.",
        "", table(simulated),
      ]
    if !real.rows.isEmpty {
      let judged = real.rows.filter { $0[0][.angleShareAt(seconds: 6)] != nil }
      let names = Set(judged.map { $0[0].name.split(separator: " ")[0] }).sorted().joined(separator: ", ")
      body += [
        "", "## Real sensors", "",
        "Windows of 34 s, each a separate search, a new one every 8 s, so that they overlap: \(names).", "",
        table(real),
      ]
    }
    return Page(
      name: "peers", title: "The finder beside batch least squares", pictureTitle: picture, conclusion: conclusion,
      picture: BarChart(
        picture, groups, series: Self.solvers, maximum: 45, reference: (45, "who says nothing")), body: body)
  }
}
