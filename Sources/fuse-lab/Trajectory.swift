import ArgumentParser
import Evaluation
import Foundation
import JSONText
import Wording

/// `fuse-lab trajectory`.
struct TrajectoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trajectory",
    abstract:
      "Trajectory errors beside a published filter, on recordings of ../shared/data: writes docs/trajectory.md.",
    discussion: "About 15 minutes of processor time for the default.")

  @Option(help: "Seeds with drawn initial errors.")
  var drawn = 50

  @Option(help: "Seeds of the other scenarios.")
  var seeds = 20

  @Option(help: "Runs of which the time is the shortest.")
  var repeats = 3

  @OptionGroup var options: EvaluationOptions

  func run() throws {
    let evaluations = try options.evaluations("trajectory")
    func judged(_ name: String, _ words: [String]) throws -> [JSONValue] {
      try evaluations.rows(name, words + ["--no-ideal"])
    }
    let logs = evaluations.recordings(PublishedFilter.errors.map { "sim/\($0.log)" })
    let phone = evaluations.recordings(["real/tango-handheld"])
    guard !logs.isEmpty else { throw LabError("\(evaluations.checkout.sharedData)/sim: found no recordings") }
    func phoneRow(_ name: String, _ words: [String]) throws -> JSONValue? {
      phone.isEmpty ? nil : try judged(name, phone + words).first
    }
    func scenarios(_ names: [String], _ seeds: Int) -> [String] {
      names.flatMap { ["--scenario", $0] } + ["--seeds", "\(seeds)"]
    }
    let changing = scenarios(["search", "long-walk"], seeds) + ["--each"]
    let page = TrajectoryPage(
      truth: try judged("truth", logs + ["--initialize", "groundtruth"]), own: try judged("own", logs),
      offline: try judged("offline", logs + ["--offline"]),
      phone: try [("own initialisation", "tango", []), ("`--offline`", "tango-offline", ["--offline"])].compactMap {
        title, name, words in try phoneRow(name, words).map { (title, $0) }
      },
      parts: try [6, 12, 18, 24, 30].flatMap { start in
        try [("", []), ("-offline", ["--offline"])].compactMap { name, words in
          try phoneRow("tango-\(start)\(name)", ["--from", "\(start)"] + words).map { ("\(start) s\(name)", $0) }
        }
      },
      drawn: try judged(
        "drawn", scenarios(["mc-walk-l", "mc-walk", "mc-arc-vertical", "mc-sway"], drawn) + ["--draw-start"]),
      ranges: try judged("ranges", changing), without: try judged("without", changing + ["--no-ranges"]),
      stand: try judged("stand", scenarios(["stand"], seeds)),
      costs: try logs.map { log in
        try evaluations.kept("cost-\(URL(fileURLWithPath: log).lastPathComponent)") {
          let output = try evaluations.fuse.succeeded(["benchmark", "measure", log, "--repeats", "\(repeats)"]).output
          return [try output.withUnsafeBufferPointer { try JSONValue($0) }]
        }[0]
      })
    try page.page(drawn: drawn, seeds: seeds).write(to: evaluations.checkout)
  }
}

/// OpenVINS on the same files, started at the truth, its gates relaxed and its calibration off. Source: the README of the
/// recordings.
private enum PublishedFilter {
  /// Yaw-aligned ATE, metres.
  static let errors: [(log: String, error: Double)] = [
    ("corridor1", 0.020), ("gore", 0.048), ("room1", 0.021), ("hh_walk", 0.032), ("hh_sweep", 0.014),
  ]
  /// Time of a frame over that of the frame kernel: 4.0 ms and 2.4 ms.
  static let kernels = 4.0 / 2.4
}

/// docs/trajectory.md, of rows by what was run.
private struct TrajectoryPage {
  var truth: [JSONValue], own: [JSONValue], offline: [JSONValue]
  var phone: [(name: String, row: JSONValue)]
  /// The same from later on, online and offline.
  var parts: [(name: String, row: JSONValue)]
  var drawn: [JSONValue], ranges: [JSONValue], without: [JSONValue], stand: [JSONValue], costs: [JSONValue]

  private static let ate = FigureColumn("ATE yaw m", .ateYawAligned, 3)
  private static func nees(_ decimals: Int) -> [FigureColumn] {
    [.init("NEES pos", .neesPosition, decimals), .init("NEES att", .neesAttitude, decimals)]
  }

  func page(drawn seeds: Int, seeds others: Int) -> Page {
    let logs = PublishedFilter.errors.map { log, error in
      (log: log, error: error, rows: [truth, own, offline].map { rows in rows.first { $0.name == log } ?? .null })
    }
    let means = (0..<3).map { side in
      Self.geometricMean(logs.map { log in log.rows[side][.ateYawAligned].map { $0 / log.error } })
    }
    let simulated = MarkdownTable.lines(
      [
        "log", "peer", "true initial state", "ratio", "NEES pos", "NEES att", "own initialisation", "ratio", "offline",
        "ratio",
      ],
      logs.map { log in
        let sides = log.rows.map { row in
          [Self.ate.text(row), Digits.fixed(row[.ateYawAligned].map { $0 / log.error }, 2)]
        }
        return [log.log, Digits.fixed(log.error, 3)] + sides[0] + Self.nees(1).map { $0.text(log.rows[0]) } + sides[1]
          + sides[2]
      } + [["geometric mean", "", "", means[0], "", "", "", means[1], "", means[2]]], texts: 1)
    let phoneColumns = [Self.ate, .init("ATE SE3 m", .ateSE3, 3), .init("attitude °", .attitudeDegrees)] + Self.nees(1)
    let drawnColumns =
      [Self.ate] + Self.nees(2) + [
        .init(percent: "pos means in band %", .aneesPositionInBand),
        .init(percent: "att means in band %", .aneesAttitudeInBand),
      ]
    let published = "OpenVINS with relaxed gates and calibration off"
    var conclusion =
      "On another simulator's logs the error is \(means[0]) times that of a published filter, offline \(means[2]) times "
      + "(geometric means)."
    if phone.count == 2 {
      let rows = phone.map(\.row), nees = rows.map { Self.nees(1)[0].text($0) }
      conclusion +=
        " A real phone's walk is off by \(Self.ate.text(rows[0])) m, offline by \(Self.ate.text(rows[1])) m, with a NEES of "
        + "\(nees[0]) and \(nees[1]) (3 is consistent)."
    }
    return Page(
      name: "trajectory", title: "The trajectory", conclusion: conclusion,
      picture: BarChart(
        "Yaw-aligned ATE, m",
        logs.map { ($0.log, [Self.ate.value($0.rows[0]), Self.ate.value($0.rows[2]), $0.error]) },
        series: ["fuse", "fuse --offline", "published filter"]),
      body: [
        """
        ## Another simulator's logs, the same tracks as a published filter

        ATE in metres. The published filter (`peer`) is \(published).

        \(simulated.joined(separator: "\n"))

        ## A phone in a hand (real)

        \(phoneColumns.table("", phone, hasIntervals: false).joined(separator: "\n"))

        ## Consistency, \(seeds) seeds with drawn initial errors

        \(drawnColumns.table("scenario", drawn.map { ($0.name, $0) }, hasIntervals: false).joined(separator: "\n"))
        """
      ],
      details: """
        # The trajectory, all figures

        Written by `tools/update-trajectory`. Definitions of the figures: `docs/metrics.md`.

        ## All logs, by what was run

        \(all([("true initial state", truth), ("own initialisation", own), ("offline", offline)]))
        ## The phone; also started in the middle, during a walk: without the sweeps at the recording's beginning

        \([FigureColumn].allFigures(phone + parts))
        ## Scenarios: with drawn initial errors, and stationary for a minute

        \(all([("drawn", drawn), ("", stand)]))
        ## Effect of ranges: trajectory error with ranges over without, \(others) seeds

        \(effect)

        ## Processor time of a frame

        Processor time of all work on one frame, beside the frame kernel of docs/benchmark.md on the same machine in the same process. The published filter
        took \(Digits.fixed(PublishedFilter.kernels, 2)) of that kernel.

        \(cost)

        """)
  }

  private static func geometricMean(_ values: [Double?]) -> String {
    let known = values.compactMap(\.self)
    return Digits.fixed(
      known.count < values.count ? nil : exp(known.sum { log($0) } / Double(known.count)), 2)
  }

  private func all(_ groups: [(name: String, rows: [JSONValue])]) -> String {
    [FigureColumn].allFigures(
      groups.flatMap { group in group.rows.map { ("\($0.name)\(group.name.isEmpty ? "" : ", ")\(group.name)", $0) } })
  }

  private var effect: String {
    let alone = Dictionary(without.map { ($0.name, $0[.ateYawAligned]) }) { $1 }
    let ratios = ranges.compactMap { row in
      alone[row.name].flatMap(\.self).flatMap { without in row[.ateYawAligned].map { (row.name, $0 / without) } }
    }
    let rows = ["search", "long-walk"].map { scenario in
      let values = ratios.filter { $0.0.hasPrefix(scenario + " ") }.map(\.1)
      let means = PythonRandom(1).samples(of: values, draws: 2000).map { Figure.mean($0).value }
      let ends = means.dropFirst().middle95.map { span([$0.lowerBound, $0.upperBound], 3) } ?? "-"
      return [scenario, Digits.fixed(means[0], 3), ends, Digits.fixed(values.max(), 3)]
    }
    return MarkdownTable.lines(["scenario", "mean ratio", "95 %", "largest"], rows, texts: 1).joined(separator: "\n")
  }

  private var cost: String {
    let rows = costs.map { cost in
      let frame = cost["stages"]?["frame"]?["microseconds"]
      let (mean, p99) = (frame?["mean"]?.double ?? .nan, frame?["p99"]?.double ?? .nan)
      let kernel = cost["kernel"]?["frame"]?.double ?? .nan, memory = (cost["peakMemoryBytes"]?.double ?? .nan) / 1e6
      let figures = [
        (mean, 0), (p99, 0), (p99 / mean, 2), (kernel, 0), (mean / kernel, 2),
        (mean / kernel / PublishedFilter.kernels, 2), (memory, 0),
      ]
      return [cost["recording"]?.text ?? ""] + figures.map { Digits.fixed($0, $1) }
    }
    let head = [
      "log", "mean us", "p99 us", "p99 / mean", "kernel us", "mean / kernel", "mean / published filter", "memory MB",
    ]
    return MarkdownTable.lines(head, rows, texts: 1).joined(separator: "\n")
  }
}

/// `fuse-lab benchmark`.
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark",
    abstract:
      "Draws docs/pictures/benchmark.svg, of figures of 'tools/benchmark --output'; its page is written by hand.")

  @Argument(help: "The figures.") var figures: String
  @Argument(help: "One of their recordings.") var recording = "hh_walk"

  /// Those that do not hold each other.
  private static let stages = [
    "update", "screening", "gates", "linearisation", "visualUpdate", "compression", "start", "propagation",
    "marginalisation", "readout", "hypotheses", "reading", "writing",
  ]

  func run() throws {
    let measured = try JSONValue(contentsOf: figures).elements ?? []
    guard let found = measured.first(where: { $0["recording"]?.text == recording }),
      let whole = found["cpuSeconds"]?.double
    else { throw LabError("\(figures): found no '\(recording)', expected figures of 'tools/benchmark --output'") }
    let shares = Self.stages.map { name in
      let stage = found["stages"]?[name]
      let seconds = 1e-6 * (stage?["microseconds"]?["mean"]?.double ?? 0) * (stage?["count"]?.double ?? 0)
      return (name, Digits.rounded(100 * seconds / whole, 1))
    }
    let chart = BarChart(
      "Share of the processor time by stage, % (\(recording))",
      shares.sortedStably { -$0.1 }.map { ($0.0, [$0.1]) })
    try Checkout().write(chart.svg, "docs/pictures/benchmark.svg")
  }
}
