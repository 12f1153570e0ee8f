import ArgumentParser
import Datasets
import Evaluation
import Foundation
import JSONText
import Wording

/// Groups of motions, each with figures of its own: a hand's, and walks.
private let motions = ["mc-sway", "mc-arc", "mc-arc-vertical", "mc-walk", "mc-walk-l"]

/// Words of `fuse eval` for some scenarios.
private func scenarios(_ names: [String], seeds: Int, first: Int = 1) -> [String] {
  names.flatMap { ["--scenario", $0] } + ["--seeds", "\(seeds)", "--first-seed", "\(first)"]
}

/// `fuse-lab motions`.
struct MotionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "motions",
    abstract: "The product and the ideal observer on each motion, a new target in every seed: writes docs/motions.md.")

  @Argument(help: "Seeds of each motion; 100: about 40 minutes of processor time.")
  var seeds = 100

  @OptionGroup var options: EvaluationOptions

  private static let columns =
    [FigureColumn].finding + [
      .init(percent: "published where ideal does %", .angleAvailabilityPublishable),
      .init("error ratio", .angleErrorRatio, 2), .init("half-width ratio", .halfWidthRatio, 2),
    ]

  func run() throws {
    let evaluations = try options.evaluations("motions")
    let rows = try evaluations.rows("motions", scenarios(motions, seeds: seeds) + ["--pool"]).map { ($0.name, $0) }
    let all = rows.last!.1, columns = Self.columns, published = columns[columns.count - 3]
    let conclusion =
      "Over all motions the median angle error is \(columns[0].text(all))°, and \(columns[3].text(all)) % of the 90 % "
      + "intervals contain the truth. An angle is published in \(published.text(all)) % of the moments at which the ideal "
      + "observer publishes one, with \(columns.last!.text(all)) times its half-width."
    let page = Page(
      name: "motions", title: "Figures by motion", conclusion: conclusion,
      picture: BarChart(
        "Angle published where the ideal observer publishes one, %", rows.map { ($0, [published.value($1)]) },
        maximum: 100),
      body: columns.table("motion", rows) + [
        "",
        "`mc-sway` has too little motion for an angle. The ideal observer knows path and noise model: [ideal-observer.md](ideal-observer.md).",
      ],
      details: """
        # Figures by motion, all figures

        Written by `tools/update-motions`: each motion and all together, from simulated sensors. Every seed has another target (3 to 7 m away, in any
        direction, level within about 23 degrees), another radio and other noise. Figures of the ideal observer, which knows the true path and the noise
        model, are on the same ranges: a bound for any estimator. Definitions of the figures: `docs/metrics.md` and `docs/ideal-observer.md`.

        \([FigureColumn].allFigures(rows))
        """)
    try page.write(to: evaluations.checkout)
  }
}

/// `fuse-lab convergence`.
struct ConvergenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convergence",
    abstract: "The rate of false convergence over thousands of trials: writes docs/convergence.md.")

  @Argument(help: "Seeds of each motion on the true path; 2000: about 20 minutes of processor time.")
  var known = 2000

  @Argument(help: "Seeds of each motion with the estimated trajectory.")
  var estimated = 100

  @Argument(help: "Seeds of each motion and limit; 300: about 20 minutes.")
  var limited = 300

  @OptionGroup var options: EvaluationOptions

  private static let chosenFrom = 300_001, shownFrom = 100_001

  func run() throws {
    let evaluations = try options.evaluations("convergence")
    let onTruePath = ["--odometry", "--no-ideal"]
    let known = try evaluations.rows("known", scenarios(motions, seeds: known, first: Self.shownFrom) + onTruePath)
    let estimated = try evaluations.rows(
      "estimated", scenarios(motions, seeds: estimated, first: 200_001) + ["--no-ideal"])
    func limits(_ first: Int) throws -> [String] {
      let scratch = try TemporaryFolder("convergence")
      let rows = try [0.001, 0.002, 0.005, 0.01, 0.02].map { limit in
        let config = "\(scratch.path)/\(limit).yaml"
        try TextFile.write("maxProbabilityBeyond20Degrees: \(limit)\n", to: config)
        let words = scenarios(Array(motions.suffix(3)), seeds: limited, first: first) + ["--config", config]
        return Self.risk(limit, try evaluations.rows("limit-\(limit)-from-\(first)", words + onTruePath))
      }
      let head = [
        "limit %", "trials", "converged", "falsely, ever", "upper bound % of the converged (95 %)",
        "false % of the converged updates", "seconds to converge",
      ]
      return MarkdownTable.lines(head, rows, texts: 0)
    }
    func sums(_ rows: [JSONValue]) -> String {
      "\(rows.reduce(0) { $0 + $1.count(.falselyConvergedTrials) }) of \(Int(rows.sum { $0["trials"]?.double ?? 0 }))"
    }
    let worst = known.sortedStably { -Self.bound($0) }[0]
    let conclusion =
      "On the true path \(sums(known)) trials ever converged falsely, with the estimated trajectory \(sums(estimated)). "
      + "The largest upper bound on the true path is \(Digits.fixed(Self.bound(worst), 2)) % (\(worst.name))."
    let page = Page(
      name: "convergence", title: "Rate of false convergence", conclusion: conclusion,
      picture: BarChart(
        "Falsely converged trials, upper bound in % (95 %), on the true path",
        known.map { ($0.name, [Digits.rounded(Self.bound($0), 2)]) }),
      body: [
        """
        A trial is false when any of its updates is `converged` with an angle error over 20 degrees or a position error over max(1.5 m, 0.25 x distance). Target, radio and
        noise differ from seed to seed.

        ## On the true path

        \(Self.table(known))

        ## With the estimated trajectory

        \(Self.table(estimated))

        ## The limit of the probability over 20 degrees away

        `maxProbabilityBeyond20Degrees` is the largest whose measured risk keeps below what users are promised, false at most 1 % of the links that converge, by its upper bound on one set of trials
        (Learn then Test, arXiv 2110.01052); the other set shows it. Motions \(motions.suffix(3).joined(separator: ", ")) on the true path.

        Chosen on seeds from \(Self.chosenFrom):

        \(try limits(Self.chosenFrom).joined(separator: "\n"))

        Shown on seeds from \(Self.shownFrom):

        \(try limits(Self.shownFrom).joined(separator: "\n"))
        """
      ])
    try page.write(to: evaluations.checkout)
  }

  private static func table(_ rows: [JSONValue]) -> String {
    let head = [
      "motion", "trials", "converged", "falsely, ever", "upper bound % of the trials (95 %)", "coverage %",
    ]
    let cells = rows.map { row in
      [row.name, Digits.fixed(row["trials"]?.double, 0)]
        + [row.count(.convergedShare), row.count(.falselyConvergedTrials)].map(\.description)
        + [Digits.fixed(bound(row), 2), FigureColumn(percent: "", .coverage90).text(row)]
    }
    return MarkdownTable.lines(head, cells, texts: 1).joined(separator: "\n")
  }

  /// Percent, the upper end of the one-sided 95 % interval: Wilson, JASA 22, 1927, doi:10.1080/01621459.1927.10502953.
  private static func bound(_ row: JSONValue) -> Double {
    let (z, n, p) = (1.645, row["trials"]?.double ?? 0, row[.falselyConvergedTrials] ?? 0)
    return 100 * (p + z * z / (2 * n) + z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()) / (1 + z * z / n)
  }

  /// The row of a limit: links are independent, their updates are not.
  private static func risk(_ limit: Double, _ rows: [JSONValue]) -> [String] {
    let trials = Int(rows.sum { $0["trials"]?.double ?? 0 })
    let links = rows.reduce(0) { $0 + $1.count(.convergedShare) }
    let falseOnes = rows.reduce(0) { $0 + $1.count(.falselyConvergedTrials) }
    let updates = rows.sum { $0[.converged] ?? 0 }
    let wrong = rows.sum { ($0[.converged] ?? 0) * ($0[.falseConverged] ?? 0) }
    let converging = rows.filter { $0[.timeToConverge] != nil }
    func weight(_ row: JSONValue) -> Double { (row["trials"]?.double ?? 0) * (row[.convergedShare] ?? 0) }
    let seconds = converging.sum { ($0[.timeToConverge] ?? 0) * weight($0) } / max(converging.sum(weight), 1e-9)
    return [
      Digits.significant(100 * limit, 6), "\(trials)", "\(links)", "\(falseOnes)",
      Digits.fixed(100 * upperBound(falseOnes, of: links), 2), Digits.fixed(100 * wrong / max(updates, 1e-9), 3),
      Digits.fixed(seconds, 1),
    ]
  }
}

/// The largest probability of which at most so many of all is not rarer than one in twenty: exact, one-sided 95 %.
///
/// Source: Clopper and Pearson, Biometrika 26, 1934, doi:10.1093/biomet/26.4.404.
package func upperBound(_ count: Int, of all: Int) -> Double {
  guard count < all else { return 1 }
  func atMost(_ p: Double) -> Double {
    (0...count).sum { i in
      let ways: Double = lgamma(Double(all) + 1) - lgamma(Double(i) + 1) - lgamma(Double(all - i) + 1)
      return exp(ways + Double(i) * log(p) + Double(all - i) * log1p(-p))
    }
  }
  var (low, high) = (0.0, 1.0)
  for _ in 0..<60 {
    let middle = (low + high) / 2
    if atMost(middle) >= 0.05 { low = middle } else { high = middle }
  }
  return low
}
