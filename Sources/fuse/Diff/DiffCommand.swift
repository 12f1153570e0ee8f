import ArgumentParser
import Datasets
import Foundation
import Geometry
import JSONText
import Report
import RunResults
import SensorData
import Wording

/// `fuse diff <run A> <run B>`.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "What changed between two runs of one recording.",
    discussion: """
      Compares updates by timestamp and peer, poses by timestamp. Exit code 0 when nothing changed, 1 when something \
      did, for golden recordings in CI. As HTML: the report of both runs, the worse first, with what changed.

      EXAMPLES
        fuse diff golden new
        fuse run phone -o new --quiet && fuse diff golden new --angle 0.5 --distance 0.02
        fuse diff golden new --format json | jq .changes
        fuse diff golden new --format html > changes.html
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, html }

  @Argument(help: "The output folder of the run before.")
  var before: String

  @Argument(help: "The output folder of the run after.")
  var after: String

  @Option(help: ArgumentHelp("Changes of angles up to this many degrees count as none.", valueName: "degrees"))
  var angle = 0.0

  @Option(help: ArgumentHelp("Changes of distances and positions up to this count as none.", valueName: "m"))
  var distance = 0.0

  @Option(help: "Output format: text, json or html.")
  var format = Format.text

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  func validate() throws {
    for (name, value) in [("--angle", angle), ("--distance", distance)] where !(value >= 0 && value.isFinite) {
      throw ValidationError("\(name) must not be negative.")
    }
  }

  func run() throws {
    try Failure.reporting {
      let difference = try RunDifference(
        before: RunFolder.named(before, isUnverified: unverified, keeping: .poses),
        after: RunFolder.named(after, isUnverified: unverified, keeping: .poses),
        tolerance: .init(distance: distance, angle: Angle.degrees(angle)))
      var standardOutput = StandardOutput()
      switch format {
      case .text: for line in DiffText.lines(difference) { try standardOutput.line(line) }
      case .json:
        try standardOutput.line(String(decoding: DiffText.json(difference).prettyBytes, as: UTF8.self))
      case .html:
        try standardOutput.write(try page(difference))
        try standardOutput.flush()
      }
      if !difference.isEmpty { throw ExitCode(1) }
    }
  }

  /// The report of both runs, the worse first, with what changed.
  private func page(_ difference: RunDifference) throws -> [UInt8] {
    let names = zip(["before", "after"], ReportReading.names(of: [before, after])).map { "\($0): \($1)" }
    let inputs = try ReportReading(isUnverified: unverified, ignoresOtherRecordings: true)
      .inputs([before, after], names: names)
    return ReportPage.html(ReportPage.ordered(inputs), changes: DiffText.lines(difference))
  }
}

/// A difference of two runs as text and JSON.
private enum DiffText {
  /// Largest number of listed spans of differing status; the rest is counted.
  private static let longestList = 12

  /// Lines of text; the first one is the summary.
  static func lines(_ difference: RunDifference) -> [String] {
    guard !difference.isEmpty else {
      return ["the same: \(difference.counts.both) updates, \(difference.poses.compared) poses"]
    }
    var lines = headline(difference)
    if let first = difference.first {
      lines.append("first at \(time(first.timestamp, difference)), \(first.peer ?? "session"):")
      lines += first.values.map { "  \($0.name): \($0.before) -> \($0.after)" }
    }
    var table = Table([.left, .left, .right, .right, .right, .right])
    table.add(["peer", "value", "updates", "largest", "at", "on one side"])
    for (peer, changes) in difference.changes.sorted(by: { $0.key < $1.key }) {
      for value in ComparedValue.all {
        guard let change = changes[value.name] else { continue }
        table.add([
          peer.isEmpty ? "session" : peer, value.name, "\(change.count)",
          change.largest.map { amount($0, value.kind) } ?? "-",
          change.largestAt.map { time($0, difference) } ?? time(change.first, difference), "\(change.onOneSide)",
        ])
      }
    }
    if !difference.changes.isEmpty { lines += ["changed values:"] + table.lines() }
    if !difference.spans.isEmpty { lines.append("changed statuses:") }
    for span in difference.spans.prefix(longestList) {
      lines.append(
        "  \(time(span.from, difference)) to \(time(span.to, difference)), \(span.peer ?? "session"): "
          + "\(span.before) -> \(span.after)")
    }
    if difference.spans.count > longestList { lines.append("  and \(difference.spans.count - longestList) more") }
    if difference.poses.differing > 0 || difference.unmatchedPoses > 0 {
      lines.append(
        "poses: \(difference.poses.differing) of \(difference.poses.compared) differ, at most "
          + "\(Words.fixed(difference.poses.distance, 4)) m, \(Words.fixed(Angle.inDegrees(difference.poses.angle), 3))°; "
          + "\(difference.unmatchedPoses) in one run only")
    }
    return lines
  }

  /// What changed for a person: the verdict, then the peer of which most did; the others, and the counts, below.
  private static func headline(_ difference: RunDifference) -> [String] {
    var changes: [String] = []
    if difference.hasOtherVerdict, let before = difference.verdicts.before, let after = difference.verdicts.after {
      changes.append("\(before.brief) -> \(after.brief)")
    }
    let peers = difference.outcomes.sorted {
      ($1.value.before.change(to: $1.value.after), $0.key) < ($0.value.before.change(to: $0.value.after), $1.key)
    }
    changes += peers.compactMap { peer, outcome in
      let words = outcome.before.words(to: outcome.after, since: difference.start)
      return words.isEmpty ? nil : "\(peer) \(words.joined(separator: ", "))"
    }
    let most = difference.hasOtherVerdict ? 2 : 1
    let first = changes.isEmpty ? ["nothing that a person sees"] : Array(changes.prefix(most))
    return ["different: " + first.joined(separator: "; ")] + changes.dropFirst(most).map { "  " + $0 }
      + [summary(difference)]
  }

  private static func summary(_ difference: RunDifference) -> String {
    let counts = difference.counts
    var parts = ["\(counts.differing) of \(counts.both) common updates differ"]
    if counts.onlyBefore > 0 { parts.append("\(Words.count(counts.onlyBefore, "update")) only before") }
    if counts.onlyAfter > 0 { parts.append("\(Words.count(counts.onlyAfter, "update")) only after") }
    return parts.joined(separator: ", ")
  }

  private static func json(_ tally: PeerTally, since start: Timestamp) -> JSONValue {
    [
      "updates": .integer(tally.updates), "withAngle": .integer(tally.withAngle),
      "converged": .integer(tally.converged),
      "firstAngleAt": .number(tally.firstAngle.map { $0.seconds(since: start) }),
      "convergedAt": .number(tally.firstConverged.map { $0.seconds(since: start) }),
    ]
  }

  private static func time(_ timestamp: Timestamp, _ difference: RunDifference) -> String {
    "\(Words.fixed(timestamp.seconds(since: difference.start), 2)) s"
  }

  private static func amount(_ value: Double, _ kind: ComparedValue.Kind) -> String {
    kind == .metres ? "\(Words.fixed(value, 3)) m" : "\(Words.fixed(Angle.inDegrees(value), 2))°"
  }

  /// The same as JSON, SI units, times in nanoseconds.
  static func json(_ difference: RunDifference) -> JSONValue {
    [
      "same": .bool(difference.isEmpty),
      "verdicts": [
        "before": difference.verdicts.before?.json ?? .null, "after": difference.verdicts.after?.json ?? .null,
      ],
      "outcomes": .sorted(
        difference.outcomes.mapValues { outcome in
          [
            "before": json(outcome.before, since: difference.start),
            "after": json(outcome.after, since: difference.start),
          ]
        }),
      "updates": [
        "both": .integer(difference.counts.both), "differing": .integer(difference.counts.differing),
        "onlyBefore": .integer(difference.counts.onlyBefore),
        "onlyAfter": .integer(difference.counts.onlyAfter),
      ],
      "first": difference.first.map { first in
        [
          "timestamp": .integer(Int(first.timestamp.nanoseconds)), "peer": .string(first.peer),
          "values": .object(
            first.values.map { .init(key: $0.name, value: ["before": .string($0.before), "after": .string($0.after)]) }),
        ]
      } ?? .null,
      "changes": .sorted(
        difference.changes.mapValues { changes in
          .sorted(
            changes.mapValues { change in
              [
                "count": .integer(change.count), "first": .integer(Int(change.first.nanoseconds)),
                "largest": .number(change.largest),
                "largestAt": change.largestAt.map { .integer(Int($0.nanoseconds)) } ?? .null,
                "onOneSide": .integer(change.onOneSide),
              ]
            })
        }),
      "judgements": .array(
        difference.spans.map { span in
          [
            "peer": .string(span.peer), "from": .integer(Int(span.from.nanoseconds)),
            "to": .integer(Int(span.to.nanoseconds)), "before": .string(span.before), "after": .string(span.after),
          ]
        }),
      "poses": [
        "compared": .integer(difference.poses.compared), "differing": .integer(difference.poses.differing),
        "largestDistance": .number(difference.poses.distance), "largestAngle": .number(difference.poses.angle),
        "unmatched": .integer(difference.unmatchedPoses),
      ],
    ]
  }
}
