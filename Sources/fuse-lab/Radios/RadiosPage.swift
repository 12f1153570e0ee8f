import Evaluation
import Foundation
import JSONText
import Wording

/// Sections of the page about radios.
enum RadiosPage {
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
    let head = [
      "radios", "number", "published", "error ratio", "half-width ratio", "coverage", "ideal's coverage",
      "falsely converged trials",
    ]
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
    func over(_ key: String, _ figure: ([Double?]) -> Figure) -> String {
      Digits.fixed(figure(trials.map { $0[key]?.double }).value, 2)
    }
    let falselyConverged = trials.sum { ($0["falselyConvergedTrials"]?.double ?? 0) * Double(count($0)) }
    return [
      name, "\(trials.count)", over("angleAvailability", Figure.mean), over("angleErrorRatio", Figure.median),
      over("halfWidthRatio", Figure.median), over("coverage90", Figure.mean), over("idealCoverage90", Figure.mean),
      Digits.fixed(falselyConverged, 0),
    ]
  }

  private static func count(_ trial: JSONValue) -> Int { Int(trial["trials"]?.double ?? 0) }
}
