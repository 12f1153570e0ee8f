import Evaluation
import Foundation
import JSONText
import Wording

/// The page about radios, and the sections of its figures.
enum RadiosPage {
  /// docs/radios.md: all random radios of each motion, and all motions of each fixed radio.
  static func page(
    _ drawn: [(motion: String, trials: [(radio: RandomRadio, row: JSONValue)])],
    _ fixed: [(radio: FixedRadio, rows: [JSONValue])], details: String
  ) -> Page {
    let random = drawn.map { motion, trials in
      let name = "random radios, \(motion)"
      return (title: name, label: name, values: figures.map { $0.over(trials.map(\.row)) })
    }
    let same = fixed.map { radio, rows in
      (title: radio.title, label: radio.label, values: figures.map { rows.last?[$0.key] })
    }
    func words(_ value: Double?) -> String { Digits.fixed(value, 2) }
    let fewest = same.min { $0.values[0] ?? 1 < $1.values[0] ?? 1 }!
    return Page(
      name: "radios", title: "Radios of every kind",
      conclusion:
        "Over random radios \(span(random.map(\.values[3]), 2)) of the intervals contain the truth, at "
        + "\(span(random.map(\.values[2]), 2)) times the ideal observer's half-width. Over fixed radios it is "
        + "\(span(same.map(\.values[3]), 2)); the fewest angles (\(words(fewest.values[0]))) are published for \(fewest.label).",
      picture: BarChart(
        "Intervals that contain the truth",
        (random + same).map { ($0.label, $0.values[3...].map { $0.map { Digits.rounded($0, 2) } }) },
        series: ["fuse", "ideal observer"], maximum: 1, reference: (0.9, "0.9 wanted")),
      body: MarkdownTable.lines(
        ["radio (all motions)"] + figures.map(\.title), (random + same).map { [$0.title] + $0.values.map(words) },
        texts: 1)
        + ["", "Random radios differ in noise, rate, NLOS and losses; fixed ones have four motions each."],
      details: details)
  }

  /// A figure of random radios.
  private struct Column {
    var title: String
    var key: FigureKey
    /// Of one motion with random radios; the others: `key` of the row of all motions.
    var drawn: FigureKey?
    var isMedian = false

    func over(_ rows: [JSONValue]) -> Double? {
      let values = rows.map { $0[drawn ?? key] }
      return (isMedian ? Figure.median(values) : Figure.mean(values)).value
    }
  }

  private static let figures = [
    Column(title: "published", key: .angleAvailabilityPublishable, drawn: .angleAvailability),
    Column(title: "error ratio", key: .angleErrorRatio, isMedian: true),
    Column(title: "half-width ratio", key: .halfWidthRatio, isMedian: true),
    Column(title: "coverage", key: .coverage90), Column(title: "ideal's coverage", key: .idealCoverage90),
  ]

  /// A motion with random radios: all, by thirds of what was drawn, by NLOS.
  static func section(_ motion: String, _ trials: [(radio: RandomRadio, row: JSONValue)]) -> String {
    guard !trials.isEmpty else { return "" }
    var rows = [cells("all", trials.map(\.row))]
    let third = (trials.count + 2) / 3
    for (key, name) in [
      ("drift_time_s", "correlation time, s"), ("drift_std_m", "coloured, m"), ("range_noise_std_m", "white, m"),
    ] {
      let ordered = trials.sortedStably { $0.radio[key] }
      for begin in stride(from: 0, to: ordered.count, by: third) {
        let part = ordered[begin..<min(begin + third, ordered.count)]
        let ends = [part.first!, part.last!].map { Digits.significant($0.radio[key], 6) }
        rows.append(cells("\(name) \(ends[0]) to \(ends[1])", part.map(\.row)))
      }
    }
    for fraction in Set(trials.map { $0.radio["nlos_share"] }).sorted() {
      let part = trials.filter { $0.radio["nlos_share"] == fraction }
      rows.append(cells("NLOS fraction \(Digits.significant(fraction, 6))", part.map(\.row)))
    }
    let head = ["radios", "number"] + figures.map(\.title) + ["falsely converged trials"]
    return (["", "## \(motion)", ""] + MarkdownTable.lines(head, rows, texts: 1)).joined(separator: "\n") + "\n"
  }

  /// Several motions with one radio.
  static func section(_ title: String, motions: [JSONValue]) -> String {
    let columns = [
      ("published", "angleAvailabilityPublishable"), ("error ratio", "angleErrorRatio"),
      ("90 % error ratio", "angleErrorRatio90"), ("half-width ratio", "halfWidthRatio"),
      ("10° interval time ratio", "timeTo10DegreesRatio"), ("first angle ratio", "firstAngleRatio"),
      ("coverage", "coverage90"), ("ideal's coverage", "idealCoverage90"), ("over 20° off", "wrongAngles"),
      ("level decided, ratio", "verticalDecidedRatio"), ("level wrong", "verticalWrong"),
      ("falsely converged trials", "falselyConvergedTrials"),
    ]
    let rows = motions.map { trial in
      let name = URL(fileURLWithPath: trial["name"]?.text ?? "").deletingPathExtension().lastPathComponent
      return [name, "\(count(trial))"] + columns.map { Digits.fixed(trial[$0.1]?.double, 2) }
    }
    let lines = MarkdownTable.lines(["motion", "trials"] + columns.map(\.0), rows, texts: 1)
    return (["", "### \(title)", ""] + lines).joined(separator: "\n") + "\n"
  }

  private static func cells(_ name: String, _ trials: [JSONValue]) -> [String] {
    let falselyConverged = trials.sum { ($0["falselyConvergedTrials"]?.double ?? 0) * Double(count($0)) }
    return [name, "\(trials.count)"] + figures.map { Digits.fixed($0.over(trials), 2) }
      + [Digits.fixed(falselyConverged, 0)]
  }

  private static func count(_ trial: JSONValue) -> Int { Int(trial["trials"]?.double ?? 0) }
}
