import Datasets
import Evaluation
import Geometry
import JSONText

/// Everything that the page draws, computed and rounded: the script only draws it.
package enum ReportModel {
  /// Largest number of drawn updates of all peers together: it keeps a page under a megabyte.
  static let updateBudget = 4800

  /// The verdict on every peer with updates, by name.
  package static func verdicts(_ input: ReportInput) -> [PeerVerdict] {
    let updates = Dictionary(grouping: input.run.updates.filter { $0.peer != nil }, by: { $0.peer! })
    return updates.sorted { $0.key < $1.key }.map { verdict(on: $0.key, $0.value, input) }
  }

  private static func verdict(on peer: String, _ updates: [UpdateRecord], _ input: ReportInput) -> PeerVerdict {
    PeerVerdict(
      on: peer, status: updates[updates.count - 1].status,
      hasConverged: updates.contains { $0.status == "converged" }, errors: input.errors.peers[peer],
      run: input.verdict)
  }

  /// The model of a run.
  ///
  /// - Parameter runs: how many share the page, and its budget of drawn updates.
  package static func json(_ input: ReportInput, runs: Int = 1) -> JSONValue {
    let time = TimeAxis(input.run)
    let map = MapFrame(first: input.run.poses.first?.worldFromBody, bodyFromDevice: input.bodyFromDevice)
    let path = PathSeries(input, map: map, time: time)
    let updates = Dictionary(grouping: input.run.updates.filter { $0.peer != nil }, by: { $0.peer! })
    let limit = max(20, updateBudget / max(1, updates.count * runs))
    return [
      "name": .string(input.name), "title": .string(input.run.result?["title"]?.text),
      "version": .string(input.version),
      "span": Columns.numbers([time.span.lowerBound, time.span.upperBound], 3),
      "notes": .array(notes(input, updates, limit).map { .string($0) }),
      "headingIsKnown": .bool(input.bodyFromDevice != nil),
      "neesBand": Columns.significant([NormalizedErrors.band.lowerBound, NormalizedErrors.band.upperBound]),
      "path": path.json, "nees": path.normalizedErrors, "camera": CameraSeries.json(input, time: time),
      "verdict": input.verdict?.json ?? .null, "line": .string(input.verdict?.line),
      "peers": .array(
        worstFirst(updates, input).map { peer, updates, verdict in
          let series = PeerSeries(peer, updates, input, map: map, time: time, limit: limit)
          let errors = input.errors.peers[peer]
          let converged = updates.first { $0.status == "converged" }
          return [
            "id": .string(peer), "finding": .string(verdict.finding.rawValue),
            "honesty": .string(verdict.honesty.answer.rawValue), "setUp": .string(verdict.state.rawValue),
            "words": .string(verdict.words), "causes": .array(verdict.causes.map { .string($0) }),
            "headline": .string(
              Headline.of(
                last: updates[updates.count - 1], convergedAt: converged.map { time.seconds($0.timestamp) },
                errors: errors, setUp: verdict.setUp)),
            "facts": Facts.json(input.errors.trajectory, errors, last: updates[updates.count - 1]),
            "series": series.json,
          ]
        }),
      "configuration": FoldOut.rows(input.run.result?["configuration"]),
      "inputs": FoldOut.rows(merged(input.run.result?["inputs"], input.run.result?["groundTruth"])),
      "counts": FoldOut.rows(input.run.result?["counts"]),
    ]
  }

  /// The peers with their updates, in the order of the page: the one that needs attention most opens first.
  private static func worstFirst(
    _ updates: [String: [UpdateRecord]], _ input: ReportInput
  ) -> [(peer: String, updates: [UpdateRecord], verdict: PeerVerdict)] {
    updates.map { ($0, $1, verdict(on: $0, $1, input)) }.sorted { a, b in
      a.2.rank == b.2.rank ? a.0 < b.0 : a.2.rank < b.2.rank
    }
  }

  /// Notes for the reader of the page.
  private static func notes(_ input: ReportInput, _ updates: [String: [UpdateRecord]], _ limit: Int) -> [String] {
    var notes: [String] = []
    if updates.isEmpty { notes.append("No ranges were received.") }
    if input.verdict == nil {
      notes.append("The run gave no verdict (an older version of fuse): whether its set-up holds is not known.")
    }
    if input.run.poses.isEmpty { notes.append("There is no trajectory: nothing can be drawn on the plan.") }
    if input.bodyFromDevice == nil {
      notes.append("The recording is not available: headings and ground truth are not known.")
    } else if input.truth.isEmpty {
      notes.append("The recording has no ground truth: there is nothing to compare with.")
    }
    if input.run.isThinned {
      notes.append("A very long recording: of every few updates one is drawn; figures are of all.")
    } else if updates.values.contains(where: { $0.count > limit }) {
      notes.append("A long recording: not every update is drawn, but every extreme is.")
    }
    return notes
  }

  private static func merged(_ a: JSONValue?, _ b: JSONValue?) -> JSONValue? {
    guard case .object(let first)? = a else { return b }
    guard case .object(let second)? = b else { return a }
    return .object(first + second)
  }
}
