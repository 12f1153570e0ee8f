import Datasets
import Evaluation
import JSONText
import Wording

/// Worlds of several kinds, measured.
struct WorldsMeasurement {
  var run: WorldRun
  /// Worlds of the first kind, and the first seed.
  var count: Int, first: UInt64
  /// Where rows are kept; nil: nowhere.
  var folder: String?
  /// Worlds at a time.
  var jobs: Int

  /// Measures worlds of a kind.
  ///
  /// - Returns: their rows, read back from `<kind>.jsonl` where rows are kept.
  func rows(_ kind: WorldKind, count: Int) throws -> [WorldRow] {
    let (run, first) = (run, first)
    let rows = try TaskQueue.outcomes(count, jobs: jobs) {
      try run.row(kind, seed: first + UInt64($0))
    } finished: { ended in
      if ended % max(count / 10, 1) == 0 { StandardError.line("\(kind): \(ended) of \(count) worlds") }
    }
    let scratch = try TemporaryFolder("worlds")
    let path = "\(folder ?? scratch.path)/\(kind).jsonl"
    try TextFile.write(rows.compactMap { $0.map { $0.line + "\n" } }.joined(), to: path)
    return try WorldRow.rows(in: path)
  }

  /// Measures all kinds of the page, and writes it.
  func writePage() throws {
    let checkout = try Checkout()
    var page = """
      # Random worlds, all figures

      Written by `tools/update-worlds`: rooms, hands, IMUs, cameras, radios, peers and motions are drawn, each world once
      and with its own initialisation (`tools/update-worlds kinds`; `tools/update-worlds scenario <kind> <seed>` prints
      one). Seeds \(first) to \(Int(first) + count - 1); those before 1600 were used during development. Definitions of
      the figures: `docs/metrics.md`. Moving is faster than 5 cm/s in truth; called moving is `details.walking` over a half.

      """
    let (some, most, third) = (count * 2 / 5, count * 2 / 3, count / 3)
    let parts: [(kind: WorldKind, count: Int, heading: String)] = [
      (.plain, count, "Stationary peers"), (.antennas, some, "Several antennas"), (.strolls, some, "Moving peers"),
      (.phones, third, "Phones"), (.rests, most, "Rest first"), (.poses, most, "Errors of the pose"),
      (.times, most, "Errors in time"), (.bodies, third, "Bodies"), (.walkers, most, "Slow walkers"),
      (.stops, most, "Stop and go"),
    ]
    var kinds: [(heading: String, worlds: [WorldRow])] = []
    for part in parts {
      let worlds = try rows(part.kind, count: part.count)
      kinds.append((part.heading, worlds))
      page +=
        "\n## \(part.heading)\n\nThe first \(part.count) of these seeds, kind `\(part.kind)`: \(part.kind.words).\n\n"
      page += WorldsPage.text(worlds)
    }
    try WorldsPage.page(kinds, details: page).write(to: checkout)
  }
}
