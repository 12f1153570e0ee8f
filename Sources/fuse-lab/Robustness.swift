import ArgumentParser
import Datasets
import Evaluation
import JSONText
import Wording

/// `fuse-lab robustness`.
struct RobustnessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "robustness",
    abstract: """
      Effects of NLOS, moving peers, inconsistent AoA, odometry drift, minutes on one floor and guidance: writes \
      docs/robustness.md.
      """)

  @Argument(help: "Seeds of each row on the true path; 400: five minutes of processor time.")
  var seeds = 400

  @Argument(help: "Seeds of each row with the estimated trajectory.")
  var few = 40

  @Argument(help: "Walks of six minutes.")
  var minutes = 40

  @OptionGroup var options: EvaluationOptions

  func run() throws {
    let evaluations = try options.evaluations("robustness")
    let scratch = try TemporaryFolder("robustness")
    let scenarios = "\(evaluations.checkout.root)/Sources/Simulation/Scenarios"
    func row(_ trials: RobustnessTrials) throws -> (name: String, row: JSONValue) {
      func file(_ text: String) throws -> String {
        try TextFile.write(text, to: "\(scratch.path)/given.yaml")
        return "\(scratch.path)/given.yaml"
      }
      let count = trials.isKnown ? seeds : trials.scenario == "long-walk" ? minutes : few
      var words = trials.words + ["--seeds", "\(count)", "--no-ideal"] + (trials.isKnown ? ["--odometry"] : [])
      if let settings = trials.settings { words += ["--config", try file(settings)] }
      let drifting = try trials.drift.map { drift in
        try file(RegularFile.text("\(scenarios)/\(trials.scenario).yaml") + "odometry: \(drift)\n")
      }
      guard let row = try evaluations.rows(trials.name, ["--scenario", drifting ?? trials.scenario] + words).first
      else { throw LabError("\(trials.name): found no row, expected one") }
      return (trials.name, row)
    }
    let sections = try RobustnessTrials.sections.map { (text: $0.text, rows: try $0.rows.map(row)) }
    let page = RobustnessPage(rows: .init(sections.flatMap(\.rows).map { ($0.name, $0.row) }) { $1 })
    let figures = sections.map { $0.text + "\n\n" + [FigureColumn].allFigures($0.rows) }.joined(separator: "\n")
    try page.page(
      details: """
        # \(RobustnessPage.title): all figures

        Written by `tools/update-robustness`: \(seeds) seeds a row on the true path, \(few) with the estimated trajectory, \(minutes) of six minutes. In brackets: 95 %
        confidence. Definitions of the figures: `docs/metrics.md`.

        \(figures)
        """
    ).write(to: evaluations.checkout)
  }
}

/// Trials of a scenario with a difficulty.
private struct RobustnessTrials {
  var name: String
  var scenario: String
  /// Of the finder.
  var settings: String?
  /// The scenario's external odometry.
  var drift: String?
  /// Whether the path is the true one.
  var isKnown = true
  /// More of `fuse eval`.
  var words: [String] = []

  /// With a model and without it.
  private static func pair(
    _ scenario: String, _ name: String, without: String, settings: String
  ) -> [RobustnessTrials] {
    [
      .init(name: name, scenario: scenario),
      .init(name: "\(name), \(without)", scenario: scenario, settings: settings),
    ]
  }

  private static func moving(_ scenario: String, _ name: String) -> [RobustnessTrials] {
    pair(scenario, name, without: "no alternative", settings: "movingLogOdds: 1000000\nmovingPrior: 0\n")
  }

  /// What was done, and the trials.
  static let sections: [(text: String, rows: [RobustnessTrials])] = [
    (
      """
      ## NLOS

      The same motion, targets, radios and noise, seed by seed: clean (`mc-arc-vertical`), NLOS for a tenth of the time in intervals
      of 0.5 s with an exponential bias of 0.5 m (`mc-nlos`), and one NLOS interval of 2.5 s that ends 2 s before the last evaluation
      (`mc-nlos-burst`).
      """, ["mc-arc-vertical", "mc-nlos", "mc-nlos-burst"].map { .init(name: $0, scenario: $0) }
    ),
    (
      """
      ## Moving peers

      The tag of `mc-moving` is found, then moves for 3 to 7 s at 0.6 to 1.4 m/s in any direction, with a turn, and does not report
      it. Without the moving alternative: `movingLogOdds: 1000000` and `movingPrior: 0`.
      """,
      moving("mc-moving", "true path") + [.init(name: "estimated trajectory", scenario: "mc-moving", isKnown: false)]
    ),
    (
      """
      The tag moves before it is found, from up to 2.5 s after the first motion on, for 3 to 7 s: a sweeping arm (`mc-moving-unfound`), a walk round a
      corner (`mc-moving-unfound-walk`). Some direction explains the change of the distance, and it is a wrong one.
      """,
      ["mc-moving-unfound", "mc-moving-unfound-walk"].flatMap { moving($0, "\($0), true path") } + [
        .init(
          name: "mc-moving-unfound-walk, estimated trajectory", scenario: "mc-moving-unfound-walk", isKnown: false)
      ]
    ),
    (
      """
      ## Inconsistent angles of arrival

      The arm sweeps sideways only; the radio has AoA of a planar array: as calibrated (`mc-aoa`), with inverted sign (`mc-aoa-mirrored`), of an
      array rotated by 30 degrees (`mc-aoa-turned`), with a bias drawn with sigma 3 degrees (`mc-aoa-offset`). On the true path. Without validity
      test: `aoaInvalidPrior: 0` and `ranging.aoaBiasDegrees: 0`.
      """,
      ["mc-aoa", "mc-aoa-offset", "mc-aoa-mirrored", "mc-aoa-turned"].flatMap {
        pair($0, $0, without: "no validity test", settings: "aoaInvalidPrior: 0\nranging:\n  aoaBiasDegrees: 0\n")
      }
    ),
    (
      """
      ## Odometry drift

      The path comes from external odometry (`odometry0`) with the stated drift: position per root of a metre, heading per root of a second. On a straight walk
      only its own lateral drift distinguishes left from right.
      """,
      ["mc-walk", "mc-walk-l", "mc-arc"].flatMap { scenario in
        [.init(name: "\(scenario), true path", scenario: scenario)]
          + [("0.03", "0.01"), ("0.08", "0.03")].map { metres, heading in
            .init(
              name: "\(scenario), \(metres) m, \(heading) rad", scenario: scenario,
              drift:
                "{rate_hz: 50, position_random_walk_m_sqrt_m: \(metres), yaw_random_walk_rad_sqrt_s: \(heading)}")
          }
      }
    ),
    (
      """
      ## Minutes on one floor

      Six minutes round a tag a metre up, in a hand that bobs by centimetres (`long-walk`): the magnitude of the vertical offset is observable, its sign hardly.
      Estimated trajectory. NEES of the position: 3 is consistent, more over-confident.
      """, [.init(name: "long-walk", scenario: "long-walk", isKnown: false)]
    ),
    (
      """
      ## Guidance

      In `mc-user` only the simulated user moves, in gestures of two seconds: one follows the guidance, the other makes random gestures of the
      same set. 25 s each; trials that have not converged by then have no time.
      """, ["obeys", "random"].map { .init(name: $0, scenario: "mc-user", words: ["--user", $0]) }
    ),
  ]
}

/// docs/robustness.md.
private struct RobustnessPage {
  /// A figure with the model, or the difficulty, and without.
  private struct Case {
    var name: String
    var column: FigureColumn
    /// Names of rows.
    var with: String, without: String
    /// Of the picture; nil: not in it.
    var label: String?
  }

  /// By name.
  let rows: [String: JSONValue]

  static let title = "NLOS, moving peers, inconsistent AoA, odometry drift, and guidance"

  private static let falselyConverged = FigureColumn(percent: "falsely converged trials %", .falselyConvergedTrials)

  private static let cases: [Case] = {
    let angle = FigureColumn("median angle error °", .angleErrorDegrees)
    let wrong = FigureColumn(percent: "wrong angles %", .wrongAngles)
    func searched(_ name: String, _ scenario: String) -> Case {
      .init(
        name: "a peer moves during the search, \(name): moving alternative", column: wrong,
        with: "\(scenario), true path", without: "\(scenario), true path, no alternative",
        label: "moves in search, \(name)")
    }
    func aoa(_ words: String, _ scenario: String, _ column: FigureColumn = falselyConverged, isDrawn: Bool = true)
      -> Case
    {
      .init(
        name: "AoA, \(words)", column: column, with: scenario, without: "\(scenario), no validity test",
        label: isDrawn ? "AoA, " + words.prefix { $0 != ":" } : nil)
    }
    let nlos = [
      Case(
        name: "NLOS for a tenth of the time (with; clean)", column: angle, with: "mc-nlos", without: "mc-arc-vertical"),
      Case(
        name: "one NLOS interval of 2.5 s (with; clean)", column: angle, with: "mc-nlos-burst",
        without: "mc-arc-vertical"),
    ]
    let found = Case(
      name: "a found peer moves: moving alternative", column: falselyConverged, with: "true path",
      without: "true path, no alternative", label: "a found peer moves")
    let drift = ["mc-walk", "mc-walk-l", "mc-arc"].map { scenario in
      Case(
        name: "odometry drift of 8 cm/√m, \(scenario) (with; true path)", column: wrong,
        with: "\(scenario), 0.08 m, 0.03 rad", without: "\(scenario), true path")
    }
    let guidance = Case(
      name: "guidance (obeyed; random)", column: .init(percent: "converged %", .convergedShare), with: "obeys",
      without: "random")
    return nlos + [found, searched("arm", "mc-moving-unfound"), searched("walk", "mc-moving-unfound-walk")]
      + [
        aoa("inverted sign: validity test", "mc-aoa-mirrored"),
        aoa("array rotated by 30°: validity test", "mc-aoa-turned"),
        aoa("bias of 3°: bias model", "mc-aoa-offset", .init(percent: "coverage %", .coverage90), isDrawn: false),
      ] + drift + [guidance]
  }()

  private func pair(_ some: Case) -> [JSONValue] { [some.with, some.without].map { rows[$0] ?? .null } }

  func page(details: String) -> Page {
    func percent(_ name: String) -> String { Self.falselyConverged.text(rows[name] ?? .null) }
    return Page(
      name: "robustness", title: Self.title,
      conclusion:
        "Where a found peer moves, \(percent("true path")) % of the trials converge falsely, without the moving alternative "
        + "\(percent("true path, no alternative")) %. With inverted angles of arrival it is \(percent("mc-aoa-mirrored")) %, "
        + "without the validity test \(percent("mc-aoa-mirrored, no validity test")) %.",
      picture: BarChart(
        "Wrong or falsely converged, %",
        Self.cases.compactMap { some in some.label.map { ($0, pair(some).map(some.column.value)) } },
        series: ["with the model", "without it"], maximum: 100),
      body: MarkdownTable.lines(
        ["case", "figure", "with", "without"],
        Self.cases.map { [$0.name, $0.column.title] + pair($0).map($0.column.cell) }, texts: 1),
      details: details)
  }
}
