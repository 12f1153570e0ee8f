import ArgumentParser
import Evaluation
import JSONText
import Wording

/// `fuse-lab results`.
struct ResultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results",
    abstract: "The reference recordings, those that are there, and own scenarios: writes docs/results.md.")

  @Option(help: "Seeds of the own scenarios.")
  var seeds = 3

  @OptionGroup var options: EvaluationOptions

  func run() throws {
    let evaluations = try options.evaluations("results")
    let real = evaluations.recordings(
      ["tango-handheld", "starloc-loop-2d_s5", "starloc-loop-2d-fast_s1", "ntu-niv20170812_3"].map { "real/\($0)" })
    let simulated = evaluations.recordings(["corridor1", "gore", "room1", "hh_walk", "hh_sweep"].map { "sim/\($0)" })
    func rows(_ name: String, _ words: [String], _ subjects: [String]) throws -> [JSONValue] {
      subjects.isEmpty ? [] : try evaluations.rows(name, subjects + words + ["--no-ideal"])
    }
    let scenarios = ["still", "tremor", "straight", "arc", "arc-above", "walk-l", "dark", "nlos", "search"]
    let page = ResultsPage(
      real: try rows("real", [], real),
      windows: try rows("windows", ["--windows", "12", "--every", "4"], real),
      radio: try rows("radio", ["--windows", "12", "--radio", "mc-arc", "--seeds", "4"], real),
      simulated: try rows("simulated", ["--initialize", "groundtruth"], simulated),
      scenarios: try rows(
        "scenarios", ["--seeds", "\(seeds)", "--each"], scenarios.flatMap { ["--scenario", $0] }))
    try page.page.write(to: evaluations.checkout)
  }
}

/// docs/results.md, of rows by what was run.
private struct ResultsPage {
  var real: [JSONValue], windows: [JSONValue], radio: [JSONValue], simulated: [JSONValue], scenarios: [JSONValue]

  /// What is judged of the links of a whole recording.
  private struct Links {
    let count: Int, converged: Int
    /// Converged updates, and those that are false.
    let updates: Int, falseUpdates: Int
    /// Percent of the intervals of each that hold the truth.
    let coverages: [Double]

    init(_ row: JSONValue) {
      let peers = row["errors"]?["peers"]?.members?.map(\.value) ?? []
      let updates = peers.map { $0["converged"]?.double ?? 0 }
      (count, converged) = (peers.count, updates.count { $0 > 0 })
      self.updates = Int(updates.sum { $0 })
      falseUpdates = zip(peers, updates).map { Int(($1 * ($0["falseConverged"]?.double ?? 0)).rounded()) }.reduce(0, +)
      coverages = peers.compactMap { $0["coverage90"]?.double.map { 100 * $0 } }
    }
  }

  var page: Page {
    let columns = [FigureColumn].finding, coverage = columns[3]
    let named = windows.map { ($0.name, $0) }
    let links = real.map(Links.init)
    func sum(_ count: (Links) -> Int) -> Int { links.reduce(0) { $0 + count($1) } }
    let whole = (real + simulated).map { row in
      let links = Links(row)
      return [
        row.name, "\(links.count)", "\(links.converged)", "\(links.falseUpdates) of \(links.updates)",
        span(links.coverages, 0), FigureColumn("", .ateYawAligned, 3).text(row),
      ]
    }
    return Page(
      name: "results", title: "Results on recordings",
      conclusion:
        "\(sum(\.converged)) of \(sum(\.count)) links of real sensors converged at some time; \(sum(\.falseUpdates)) of "
        + "\(sum(\.updates)) converged updates were false. In windows of 12 s, \(span(windows.map(coverage.value), 1)) % of the "
        + "90 % intervals contain the truth, by recording.",
      picture: BarChart(
        "Windows of 12 s: intervals that contain the truth, %", named.map { ($0, [coverage.value($1)]) }, maximum: 100,
        reference: (90, "90 % wanted")),
      body: ["## Windows of 12 s, real sensors", ""] + columns.table("Finding", named) + [
        "", "## Whole recordings, real sensors and another simulator", "",
      ]
        + MarkdownTable.lines(
          [
            "recording", "links", "ever converged", "false of converged updates", "coverage % by link",
            "trajectory ATE yaw m",
          ], whole, texts: 1),
      details: details)
  }

  private var details: String {
    func table(_ rows: [JSONValue]) -> String { [FigureColumn].allFigures(rows.map { ($0.name, $0) }) }
    return """
      # Results, all figures

      Written by `tools/update-results`. Ground truth is read only after the run. What is judged of each link: the lines of JSON beside, `errors`.
      Definitions of the figures: `docs/metrics.md`.

      ## Recordings of real sensors

      \(table(real))
      ## Windows of 12 s in recordings of real sensors

      Each recording is split into windows that begin every 4 s; each window is a separate search for each peer (`fuse eval <recording> --windows 12 --every 4
      --no-ideal`). The windows overlap, so the confidence intervals are too narrow.

      \(table(windows))
      ## The same paths with another radio

      A recording is one draw of its radio. Here ranges of a simulated radio (that of `mc-arc`) are drawn along the true paths of the same recordings, to other peers
      (`fuse eval <recording> --windows 12 --radio mc-arc --seeds 4 --no-ideal`): sensors, motions and external odometry are real. The quadrotor shows the effect
      of odometry with much more drift than its recording states: from 92.5 to 96.5 s it moved by 1.3 m, by its odometry 0.2 m. With one antenna the
      direction is observable from the path only; with its own four antennas, above, also from their baselines.

      \(table(radio))
      ## Simulated sensors of another simulator, initialised from the ground truth

      \(table(simulated))
      ## Own scenarios and seeds, own initialisation

      \(table(scenarios))
      """
  }
}
