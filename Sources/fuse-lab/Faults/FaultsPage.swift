import Wording

/// What is said of runs with faults.
package enum FaultsPage {
  /// The page: figures by family, and the runs that are confidently wrong.
  static func text(_ rows: [FaultRow]) -> String {
    let (healthy, faulty) = split(rows)
    func line(_ name: String, _ some: [FaultRow]) -> [String] {
      [
        name, "\(some.count)", share(some.count(where: \.isConfidentlyWrong), some.count),
        share(some.count(where: \.isNamed), some.count),
      ]
    }
    var lines = MarkdownTable.lines(
      ["family", "runs", "confidently wrong", "named with the right family"],
      SetUpFault.Family.allCases.map { family in line("\(family)", faulty.filter { $0.family == "\(family)" }) } + [
        line("all", faulty), line("all that can be told", faulty.filter { !$0.cannotBeTold }),
      ])
    lines += [
      "",
      "Confidently wrong: a false convergence, or more than 1 % of the published angles over 20 degrees off. Oracle: the",
      "log likelihood ratio of an observer that knows the path and the fault, on whether the ranges have it, where a fault",
      "of radio or odometry is wrong or not named. Below \(Digits.fixed(FaultOracle.telling, 0)) no observer can tell.",
      "",
    ]
    if !healthy.isEmpty {
      let shares = healthy.map { "\($0.recording) \(Digits.fixed(100 * ($0["wrong"] ?? 0), 1)) %" }
      lines += ["Without a fault, angles over 20 degrees off: \(shares.joined(separator: ", ")).", ""]
    }
    let wrong = faulty.filter(\.isConfidentlyWrong)
    if !wrong.isEmpty {
      let head = ["recording", "fault", "diagnoses"] + figures
      lines += MarkdownTable.lines(head, wrong.map { [$0.recording, $0.fault] + cells($0) })
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Two sentences.
  static func conclusion(_ rows: [FaultRow]) -> String {
    let faulty = split(rows).faulty
    let wrong = faulty.filter(\.isConfidentlyWrong)
    let first =
      "Of \(faulty.count) runs \(wrong.count) are confidently wrong, \(wrong.count(where: \.cannotBeTold)) of these from "
      + "ranges that cannot tell the fault, and \(faulty.count(where: \.isNamed)) are named with the right family."
    guard !wrong.isEmpty else { return first }
    let families = SetUpFault.Family.allCases.map { family in (family, wrong.count { $0.family == "\(family)" }) }
    let ordered = families.filter { $0.1 > 0 }.sortedStably { -Double($0.1) }
    return first + " The wrong ones: " + ordered.map { "\($0.1) of \($0.0)" }.joined(separator: ", ") + "."
  }

  /// The table of all runs.
  static func details(_ rows: [FaultRow]) -> String {
    let head = ["recording", "fault", "family", "diagnoses, or refusal"] + figures
    let table = rows.map { [$0.recording, "\($0.fault): \($0.words)", $0.family] + cells($0) }
    return MarkdownTable.lines(head, table).joined(separator: "\n") + "\n"
  }

  private static let figures = ["angles", "median error, degrees", "over 20 degrees", "false converged", "oracle"]

  private static func cells(_ row: FaultRow) -> [String] {
    func percent(_ key: String) -> String { row[key].map { "\(Digits.fixed(100 * $0, 1)) %" } ?? "-" }
    let codes = row.named.map(\.code).joined(separator: ", ")
    return [
      !codes.isEmpty ? codes : row.isRefused ? row.message : "-", Digits.fixed(row["angles"], 0),
      Digits.fixed(row["error"], 1), percent("wrong"), percent("falseConverged"), Digits.fixed(row["oracle"], 1),
    ]
  }

  private static func split(_ rows: [FaultRow]) -> (healthy: [FaultRow], faulty: [FaultRow]) {
    (rows.filter { $0.family == "healthy" }, rows.filter { $0.family != "healthy" })
  }

  /// A share of runs with its 95 % interval: Wilson, JASA 22, 1927, doi:10.1080/01621459.1927.10502953.
  package static func share(_ count: Int, _ all: Int) -> String {
    guard all > 0 else { return "-" }
    let (z, n) = (1.96, Double(all))
    let p = Double(count) / n
    let centre = (p + z * z / 2 / n) / (1 + z * z / n)
    let half = z * (p * (1 - p) / n + z * z / 4 / n / n).squareRoot() / (1 + z * z / n)
    let ends = [max(centre - half, 0), centre + half].map { Digits.fixed(100 * $0, 0) }
    return "\(count) of \(all) (\(Digits.fixed(100 * p, 0)) % [\(ends[0]), \(ends[1])])"
  }
}
