import Datasets
import Evaluation
import Report
import RunResults
import Wording

/// The figures as text: plain tables, Markdown tables, or lines of JSON.
enum EvalText {
  private struct Column {
    var title: String
    var key: FigureKey
    var unit: Unit
  }

  private enum Unit {
    case metres, degrees, seconds, percent, ratio, plain

    func text(_ value: Double) -> String {
      switch self {
      case .metres: Words.fixed(value, 3)
      case .degrees, .seconds: Words.fixed(value, 1)
      case .percent: Words.fixed(100 * value, 1)
      case .ratio, .plain: Words.fixed(value, 2)
      }
    }
  }

  private struct Block {
    var title: String
    var columns: [Column]
  }

  private static let trajectory = Block(
    title: "Trajectory",
    columns: [
      Column(title: "path m", key: .pathLength, unit: .degrees),
      Column(title: "ATE yaw m", key: .ateYawAligned, unit: .metres),
      Column(title: "ATE SE3 m", key: .ateSE3, unit: .metres),
      Column(title: "RPE 1 s m", key: .rpe, unit: .metres),
      Column(title: "RPE 5 m m", key: .rpeAt(metres: 5), unit: .metres),
      Column(title: "attitude °", key: .attitudeDegrees, unit: .degrees),
      Column(title: "NEES pos", key: .neesPosition, unit: .plain),
      Column(title: "NEES att", key: .neesAttitude, unit: .plain),
      Column(title: "pos means in band %", key: .aneesPositionInBand, unit: .percent),
      Column(title: "att means in band %", key: .aneesAttitudeInBand, unit: .percent),
    ])

  private static let finding = Block(
    title: "Finding",
    columns: [
      Column(title: "angle ° median", key: .angleErrorDegrees, unit: .degrees),
      Column(title: "° 90 %", key: .angleErrorDegrees90, unit: .degrees),
      Column(title: "over 20° off %", key: .wrongAngles, unit: .percent),
      Column(title: "coverage %", key: .coverage90, unit: .percent),
      Column(title: "distance coverage %", key: .distanceCoverage90, unit: .percent),
      Column(title: "first angle s", key: .firstAngle, unit: .seconds),
      Column(title: "converged s", key: .timeToConverge, unit: .seconds),
      Column(title: "converged %", key: .convergedShare, unit: .percent),
      Column(title: "false %", key: .falseConverged, unit: .percent),
      Column(title: "level decided %", key: .verticalDecided, unit: .percent),
      Column(title: "level wrong %", key: .verticalWrong, unit: .percent),
      Column(title: "distance m", key: .distanceError, unit: .metres),
      Column(title: "position m", key: .positionError, unit: .metres),
      Column(title: "rejected %", key: .rejectedRanges, unit: .percent),
    ])

  /// The figures of a table that is too narrow for all, most important first.
  private static let chosen = Block(
    title: "",
    columns: [
      Column(title: "angle °", key: .angleErrorDegrees, unit: .degrees),
      Column(title: "coverage %", key: .coverage90, unit: .percent),
      Column(title: "of distance %", key: .distanceCoverage90, unit: .percent),
      Column(title: "false %", key: .falseConverged, unit: .percent),
      Column(title: "converged s", key: .timeToConverge, unit: .seconds),
      Column(title: "angle s", key: .firstAngle, unit: .seconds),
      Column(title: "ATE m", key: .ateYawAligned, unit: .metres),
      Column(title: "90 % °", key: .angleErrorDegrees90, unit: .degrees),
      Column(title: "position m", key: .positionError, unit: .metres),
    ])

  private static let moving = Block(
    title: "While the peer moves",
    columns: [
      Column(title: "detected after s", key: .motionDetectionDelay, unit: .seconds),
      Column(title: "90 % after s", key: .motionDetectionDelay90, unit: .seconds),
      Column(title: "within 2 s %", key: .motionDetectedIn2s, unit: .percent),
      Column(title: "angle published %", key: .movingAngleAvailability, unit: .percent),
      Column(title: "coverage %", key: .movingCoverage90, unit: .percent),
    ])

  private static let byTime = Block(
    title: "Angle by time since the motion began",
    columns: AngleCheckpoint.moments.flatMap {
      [
        Column(title: "° at \(Int($0)) s", key: .angleErrorDegreesAt(seconds: $0), unit: .degrees),
        Column(title: "known at \(Int($0)) s %", key: .angleShareAt(seconds: $0), unit: .percent),
      ]
    })

  private static let scores = Block(
    title: "What the answer costs, silence too (0: perfect; prior: CRPS 45°, interval score 342°)",
    columns: AngleCheckpoint.scored.flatMap {
      [
        Column(title: "coverage at \(Int($0)) s %", key: .coverage90At(seconds: $0), unit: .percent),
        Column(title: "CRPS ° at \(Int($0)) s", key: .angleCRPSDegreesAt(seconds: $0), unit: .degrees),
        Column(title: "interval score °", key: .angleIntervalScoreDegreesAt(seconds: $0), unit: .degrees),
      ]
    })

  private static let moments = Block(
    title: "Where the angle is observable (ideal observer)",
    columns: [
      Column(title: "angle published %", key: .angleAvailability, unit: .percent),
      Column(title: "ideal publishes %", key: .idealAngleAvailability, unit: .percent),
      Column(title: "published where ideal does %", key: .angleAvailabilityPublishable, unit: .percent),
      Column(title: "error ratio", key: .angleErrorRatio, unit: .ratio),
      Column(title: "90 % error ratio", key: .angleErrorRatio90, unit: .ratio),
      Column(title: "half-width ratio", key: .halfWidthRatio, unit: .ratio),
      Column(title: "10° interval time ratio", key: .timeTo10DegreesRatio, unit: .ratio),
    ])

  private static let ideal = Block(
    title: "Against the ideal observer on the same ranges",
    columns: AngleCheckpoint.seconds.flatMap {
      [
        Column(title: "° ideal at \(Int($0)) s", key: .idealAngleErrorDegreesAt(seconds: $0), unit: .degrees),
        Column(title: "ratio at \(Int($0)) s", key: .angleRatioAt(seconds: $0), unit: .ratio),
        Column(title: "known at \(Int($0)) s %", key: .idealAngleShareAt(seconds: $0), unit: .percent),
      ]
    } + [
      Column(title: "first angle s", key: .idealFirstAngle, unit: .seconds),
      Column(title: "ratio", key: .firstAngleRatio, unit: .ratio),
      Column(title: "converged s", key: .idealTimeToConverge, unit: .seconds),
      Column(title: "ratio", key: .timeToConvergeRatio, unit: .ratio),
      Column(title: "converged %", key: .idealConvergedShare, unit: .percent),
      Column(title: "coverage %", key: .idealCoverage90, unit: .percent),
      Column(title: "false %", key: .idealFalseConverged, unit: .percent),
      Column(title: "level decided %", key: .idealVerticalDecided, unit: .percent),
      Column(title: "level wrong %", key: .idealVerticalWrong, unit: .percent),
      Column(title: "level decided, ratio", key: .verticalDecidedRatio, unit: .ratio),
    ])

  /// The lines. A plain table is at most `width` characters wide.
  static func lines(_ outcomes: [EvalOutcome], format: EvalCommand.Format, width: Int) -> [String] {
    if format == .jsonl { return outcomes.map(line) }
    let blocks = [trajectory, finding, moving, byTime, scores, moments, ideal].map { known($0, outcomes) }.filter {
      !$0.columns.isEmpty
    }
    let setUp = outcomes.map(\.setUp)
    var lines: [String] = []
    if format == .markdown {
      if tellsSetUp(outcomes) {
        lines += MarkdownTable.lines(["Set-up", "verdict"], zip(outcomes, setUp).map { [$0.name, $1] }, texts: 1)
      }
      for block in blocks {
        if !lines.isEmpty { lines.append("") }
        let cells = outcomes.map { outcome in [outcome.name] + block.columns.map { cell(outcome.figures, $0) } }
        lines += MarkdownTable.lines([block.title] + block.columns.map(\.title), cells, texts: 1)
      }
    } else {
      // The narrow form leaves out intervals: more figures fit.
      func rows(_ block: Block, _ hasIntervals: Bool = true) -> [EvalTable.Row] {
        block.columns.map { column in (column.title, outcomes.map { cell($0.figures, column, hasIntervals) }) }
      }
      let verdicts: [EvalTable.Row] = tellsSetUp(outcomes) ? [("set-up", setUp)] : []
      lines = EvalTable.lines(
        names: outcomes.map(\.name),
        blocks: (verdicts.isEmpty ? [] : [("Set-up", [("verdict", setUp)])]) + blocks.map { ($0.title, rows($0)) },
        chosen: verdicts + rows(known(chosen, outcomes), false),
        width: width)
    }
    for text in outcomes.flatMap(causes) {
      lines += format == .markdown ? ["", text] : WrappedText.lines(text, width: width)
    }
    let counts = Set(outcomes.map(\.judged.count))
    if counts != [1] {
      let runs = "Runs: " + outcomes.map { "\($0.name) \($0.judged.count)" }.joined(separator: ", ") + note
      lines += [""] + (format == .markdown ? [runs] : WrappedText.lines(runs, width: width))
    }
    return lines
  }

  /// Of scenarios the set-up is known: it is printed only where one was called broken.
  private static func tellsSetUp(_ outcomes: [EvalOutcome]) -> Bool {
    outcomes.contains { $0.trials.contains { $0.isRecorded || $0.verdict.state == .broken } }
  }

  /// What broke the set-up of a subject's trials and what to do, a line each; how many a pool leaves out.
  private static func causes(_ outcome: EvalOutcome) -> [String] {
    if outcome.isPool {
      let apart = outcome.apart.count
      return apart == 0
        ? [] : ["\(outcome.name): without \(apart) of \(outcome.trials.count) runs, whose set-up is broken"]
    }
    var counts: [String: (finding: RunVerdict.Finding, count: Int)] = [:]
    for trial in outcome.trials where trial.verdict.state == .broken {
      guard let cause = trial.verdict.cause else { continue }
      counts[cause.code, default: (cause, 0)].count += 1
    }
    let all = outcome.trials.count
    let peers = all == 1 ? outcome.trials[0].errors.peers : [:]
    return whose(outcome.name, peers)
      + counts.values.sorted { ($1.count, $0.finding.code) < ($0.count, $1.finding.code) }.map { found, count in
        "\(outcome.name): \(all > 1 ? "\(count) of \(all) " : "")set-up broken: \(found.words)"
      }
  }

  /// Whose the figures of one run with several peers are, and who of them is worst off.
  private static func whose(_ name: String, _ peers: [String: PeerErrors]) -> [String] {
    guard peers.count > 1 else { return [] }
    func coverage(_ errors: PeerErrors) -> Double { min(errors.coverage90 ?? 1, errors.distanceCoverage90 ?? 1) }
    let worst = peers.min { (coverage($0.value), $0.key) < (coverage($1.value), $1.key) }!
    let faults = Honesty(worst.value).faults
    return [
      "\(name): figures of \(peers.count) peers together; "
        + (faults.isEmpty ? "none is over-confident" : "the worst is \(worst.key): \(faults.joined(separator: "; "))")
    ]
  }

  private static let note = ". In brackets: 95 % confidence."

  /// One subject as a line of JSON.
  static func line(_ outcome: EvalOutcome) -> String {
    return EvalDocument.json(outcome).line
  }

  private static func cell(_ figures: Figures?, _ column: Column, _ hasInterval: Bool = true) -> String {
    guard let figure = figures?[column.key], let value = figure.value else { return "-" }
    guard hasInterval, let interval = figure.interval else { return column.unit.text(value) }
    return
      "\(column.unit.text(value)) [\(column.unit.text(interval.lowerBound)), \(column.unit.text(interval.upperBound))]"
  }

  /// A block's columns of which any subject has a value.
  private static func known(_ block: Block, _ outcomes: [EvalOutcome]) -> Block {
    var block = block
    block.columns.removeAll { column in !outcomes.contains { $0.figures?[column.key].value != nil } }
    return block
  }
}

/// Figures as a table of limited width: every figure in a row where all subjects fit side by side, otherwise a row a
/// subject with the columns that fit.
package enum EvalTable {
  /// A figure's title, and its text for each subject.
  package typealias Row = (title: String, cells: [String])

  /// What is left out is said at the end.
  package static let note = "More figures, and intervals: fewer subjects, --format markdown, --format jsonl."

  /// The lines.
  ///
  /// - Parameters:
  ///   - names: of the subjects.
  ///   - blocks: titles and figures, of all.
  ///   - chosen: the figures of the narrow form, most important first, with short titles.
  package static func lines(
    names: [String], blocks: [(title: String, rows: [Row])], chosen: [Row], width: Int
  ) -> [String] {
    let names = short(names)
    let whole = transposed(names, blocks)
    if whole.allSatisfy({ $0.count <= width }) || names.count == 1 { return whole }
    var columns = chosen
    while columns.count > 1 {
      let table = narrow(names, columns)
      if table.allSatisfy({ $0.count <= width }) { break }
      columns.removeLast()
    }
    return narrow(names, columns) + ["", note]
  }

  /// A column a subject, the blocks below each other.
  private static func transposed(_ names: [String], _ blocks: [(title: String, rows: [Row])]) -> [String] {
    var table = Table([.left] + names.map { _ in .right })
    for (index, block) in blocks.enumerated() {
      if index > 0 { table.add([]) }
      table.add([block.title] + (index == 0 ? names : []))
      for row in block.rows { table.add(["  " + row.title] + row.cells) }
    }
    return table.lines(indent: 0)
  }

  private static func narrow(_ names: [String], _ columns: [Row]) -> [String] {
    var table = Table([.left] + columns.map { _ in .right })
    table.add([""] + columns.map(\.title))
    for (index, name) in names.enumerated() { table.add([name] + columns.map { $0.cells[index] }) }
    return table.lines(indent: 0)
  }

  /// Names without their folders where these are distinct.
  private static func short(_ names: [String]) -> [String] {
    let last = names.map { name in name.split(separator: "/").last.map(String.init) ?? name }
    return Set(last).count == names.count ? last : names
  }
}
