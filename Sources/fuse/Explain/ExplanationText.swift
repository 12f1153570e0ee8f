import Datasets
import Evaluation
import Geometry
import JSONText
import PrecisionFinding
import Report
import RunResults
import SensorData
import Wording

/// An explanation in words.
package struct ExplanationText {
  private let explanation: Explanation
  private let seconds: Double

  /// - Parameter start: origin of the printed seconds.
  package init(_ explanation: Explanation, start: Timestamp) {
    self.explanation = explanation
    seconds = explanation.update.timestamp.seconds(since: start)
  }

  /// Lines of text.
  package var lines: [String] {
    let update = explanation.update
    let reasons = update.convergence.reasons.map(\.rawValue).joined(separator: ", ")
    var lines = [
      "\(update.object.peer) at \(Words.fixed(seconds, 3)) s: \(update.convergence.status.rawValue)"
        + (reasons.isEmpty ? "" : " (\(reasons))"),
      "published: \(published.joined(separator: ", "))",
    ]
    if !withheld.isEmpty { lines.append("withheld: \(withheld.joined(separator: ", "))") }
    lines += ["", summary] + modes + [""] + gates
    let help = CandidateMotionText(explanation).lines
    return help.isEmpty ? lines : lines + [""] + help
  }

  private var published: [String] {
    let object = explanation.update.object
    var words: [String] = []
    if let distance = object.distance { words.append("distance \(Words.fixed(distance, 2)) m") }
    if let angle = object.horizontalAngle {
      words.append("angle \(Self.degrees(angle.value))")
    }
    if object.direction != nil { words.append("direction") }
    if object.verticalDirectionEstimate != .unknown { words.append("level: \(object.verticalDirectionEstimate.name)") }
    if object.worldPosition != nil { words.append("position") }
    return words.isEmpty ? ["nothing"] : words
  }

  private var withheld: [String] {
    let object = explanation.update.object
    return [
      (object.distance == nil, "distance"), (object.horizontalAngle == nil, "angle"),
      (object.direction == nil, "direction"), (object.verticalDirectionEstimate == .unknown, "level"),
      (object.worldPosition == nil, "position"),
    ].filter(\.0).map(\.1)
  }

  private var summary: String {
    let blind = explanation.blindness.map { "The camera is of no use: \($0). " } ?? ""
    guard !explanation.modes.isEmpty else {
      let ranges = Words.count(explanation.ranges, "range")
      guard !explanation.hasTrajectory else {
        return blind + "A trajectory, but only \(ranges) on it so far: too few for a posterior."
      }
      let waiting = explanation.waitingFor.map { ", it waits for \($0)" } ?? ""
      return blind + "No trajectory\(waiting): \(ranges) so far determine a distance only."
    }
    let count = explanation.hypotheses
    let how = Words.count(count, "hypothesis alive", plural: "hypotheses alive")
    let noise = explanation.noise.map { ", noise \(Words.fixed($0.total * 100, 0)) cm" } ?? ""
    let moving =
      explanation.movingProbability > 1e-3
      ? ", moving \(Words.fixed(100 * explanation.movingProbability, 1)) %" : ""
    return blind + "Posterior (\(how), LOS \(Words.fixed(100 * explanation.losProbability, 0)) %\(noise)\(moving)):"
  }

  private var modes: [String] {
    guard !explanation.modes.isEmpty else { return [] }
    var table = Table([.right, .right, .right, .right, .right, .right])
    table.add(["probability", "angle", "elevation", "distance", "± 90 % across", "upwards"])
    for mode in explanation.modes {
      table.add([
        "\(Words.fixed(100 * mode.probability, 2)) %", Self.degrees(mode.horizontalAngle), Self.degrees(mode.elevation),
        "\(Words.fixed(mode.distance, 2)) m", Self.degrees(NinetyPercent.halfWidth(mode.sideways)),
        Self.degrees(NinetyPercent.halfWidth(mode.upwards)),
      ])
    }
    guard explanation.more > 0 else { return table.lines() }
    let listed = Words.fixed(100 * explanation.listedProbability, 1)
    return table.lines() + [
      "These hold \(listed) % of the posterior; \(Words.count(explanation.more, "more mode")) not listed."
    ]
  }

  private var gates: [String] {
    guard !explanation.gates.isEmpty else { return [] }
    var table = Table([.left, .left, .right, .left, .left])
    table.add(["", "gate", "found", "asked", "withholds"])
    for gate in explanation.gates {
      let mark =
        switch gate.outcome {
        case .passed: "ok"
        case .failed: "NO"
        case .notAsked: "--"
        }
      table.add([
        mark, gate.name, gate.value.map { Self.quantity($0, gate.unit) } ?? "-",
        "\(gate.isUpperLimit ? "at most" : "at least") \(Self.quantity(gate.limit, gate.unit))",
        gate.note ?? (gate.outcome == .failed ? gate.withholds : ""),
      ])
    }
    return table.lines()
  }

  private static func degrees(_ radians: Double) -> String { "\(Words.fixed(Angle.inDegrees(radians), 1)) deg" }

  private static func quantity(_ value: Double, _ unit: String) -> String {
    Words.fixed(value, unit.isEmpty ? 0 : 2) + (unit.isEmpty ? "" : " \(unit)")
  }
}

/// The requested motion and a faster one, in words.
private struct CandidateMotionText {
  private let explanation: Explanation

  init(_ explanation: Explanation) { self.explanation = explanation }

  /// Lines of text; none without guidance.
  var lines: [String] {
    guard let guidance = explanation.update.guidance else { return [] }
    var lines = ["What the run asked for: \(guidance)"]
    if let asked = explanation.requestedMotion { lines.append("  That \(outcome(of: asked)).") }
    if let better = explanation.better {
      lines.append("  Better: \(Self.words(better.kind)). That \(outcome(of: better)).")
    }
    return lines
  }

  private func outcome(of motion: CandidateMotion) -> String {
    let separation = motion.separation.map {
      "separates the two likeliest modes by \(Words.fixed($0, 2)) m of range per metre, and "
    }
    return (separation ?? "") + words(motion.timeToGoal)
  }

  private func words(_ forecast: Forecast) -> String {
    let end = explanation.goal == .angle ? "an angle" : "convergence"
    let last = Words.fixed(Forecast.steps.last!, 0)
    return switch forecast {
    case .seconds(let seconds):
      "takes about \(Words.fixed(seconds, 0)) s of sweeping half a metre until there is \(end)"
    case .tooLong:
      "takes more than \(last) s until there is \(end): ranges of this noise and rate carry little information"
    case .notReached(let obstacle): "alone does not bring \(end): \(Self.words(obstacle))"
    case .unknown: "takes an unknown time: the ranges' noise or rate is not known"
    }
  }

  private static func words(_ obstacle: Forecast.Obstacle) -> String {
    func known(_ side: String, _ sigma: Double, _ limit: Double) -> String {
      let (found, asked) = (Words.fixed(Angle.inDegrees(sigma), 1), Words.fixed(Angle.inDegrees(limit), 1))
      return "\(side) it stays known to \(found) deg, \(asked) deg is needed"
    }
    return switch obstacle {
    case .competingMode: "another mode stays as likely"
    case .sideways(let sigma, let limit): known("sideways", sigma, limit)
    case .upwards(let sigma, let limit): known("upwards", sigma, limit)
    case .distance: "distance and path are not known well enough for a position"
    case .contradiction: "the ranges contradict the posterior, so there is no forecast"
    }
  }

  private static func words(_ kind: CandidateMotion.Kind) -> String {
    switch kind {
    case .sideways: "move from side to side"
    case .upAndDown: "move up and down"
    case .forwardsAndBack: "move forwards and back"
    case .sidewaysAndUp: "move both from side to side and up and down"
    case .around: "move around, sideways and forwards"
    }
  }
}

/// The peer at which the device points at a time, from the updates of a run until then.
package struct Pointing {
  /// A peer and its last direction.
  package struct Entry: Equatable, Sendable {
    package var peer: String
    /// Angle from the axis of the back camera, radians: of the direction, else of the horizontal angle alone; nil
    /// without either.
    package var angle: Double?
    /// Metres.
    package var distance: Double?
  }

  /// Every peer with updates, nearest to the axis first; those without an angle last, by name.
  package var entries: [Entry] {
    seen.values.sorted { ($0.angle ?? .infinity, $0.peer) < ($1.angle ?? .infinity, $1.peer) }
  }
  /// The selected peer, by `PointingQuery` with its hysteresis; nil for none.
  package var selected: String? { query.selected }

  private let end: Timestamp
  private var query = PointingQuery()
  private var seen: [String: Entry] = [:]
  private var start: Timestamp?
  private var candidates: [String: (candidate: PointingQuery.Candidate, since: Timestamp)] = [:]

  /// Nothing yet; updates after `time` are left out.
  package init(until time: Timestamp) { end = time }

  /// Processes updates in the order of the file, up to `time`.
  package init(at updates: [UpdateRecord], until time: Timestamp) {
    self.init(until: time)
    for update in updates { add(update) }
  }

  /// Processes the next update.
  package mutating func add(_ update: UpdateRecord) {
    let start = start ?? update.timestamp
    self.start = start
    guard update.timestamp <= end, let peer = update.peer else { return }
    let candidate = PointingQuery.Candidate(
      peer: peer, direction: update.direction, horizontalAngle: update.horizontalAngle?.value,
      distance: update.distance)
    candidates[peer] = candidate.map { ($0, update.timestamp) }
    // A peer without updates for longer than the query's patience has ended.
    candidates = candidates.filter { update.timestamp.seconds(since: $0.value.since) <= query.patience }
    seen[peer] = Entry(peer: peer, angle: candidate.map { abs($0.angle) }, distance: update.distance)
    _ = query.update(
      candidates.keys.sorted().map { candidates[$0]!.candidate }, at: update.timestamp.seconds(since: start))
  }

  /// As JSON.
  var json: JSONValue {
    [
      "pointedAt": .string(selected),
      "peers": .array(
        entries.map { ["peer": .string($0.peer), "offAxis": .number($0.angle), "distance": .number($0.distance)] }),
    ]
  }
}

/// The peer pointed at, in words.
package struct PointingText {
  private let pointing: Pointing
  private let seconds: Double
  private let peers: [String]

  /// - Parameters:
  ///   - seconds: the time, from the recording's first event.
  ///   - peers: all peers of the run, sorted.
  package init(_ pointing: Pointing, at seconds: Double, peers: [String]) {
    self.pointing = pointing
    self.seconds = seconds
    self.peers = peers
  }

  /// Lines of text.
  package var lines: [String] {
    var table = Table([.left, .right, .right])
    table.add(["peer", "off the axis", "distance"])
    for entry in pointing.entries {
      table.add([
        entry.peer, entry.angle.map { "\(Words.fixed(Angle.inDegrees($0), 1)) deg" } ?? "not known",
        entry.distance.map { "\(Words.fixed($0, 2)) m" } ?? "not known",
      ])
    }
    let selected = pointing.selected.map { "the device points at \($0)" } ?? "the device points at no peer"
    let rows = pointing.entries.isEmpty ? ["no updates until then"] : table.lines()
    return ["At \(Words.fixed(seconds, 3)) s \(selected):"] + rows
      + ["", "For the explanation of a peer's update: --peer with one of: \(peers.joined(separator: " "))"]
  }
}

/// An explanation as JSON: SI units and radians, except gates, which name their unit.
struct ExplanationDocument {
  let explanation: Explanation

  /// The document.
  var json: JSONValue {
    let update = explanation.update
    return [
      "timestamp": .integer(Int(update.timestamp.nanoseconds)),
      "peer": .string(update.object.peer),
      "status": .string(update.convergence.status.rawValue),
      "reasons": .array(update.convergence.reasons.map { .string($0.rawValue) }),
      "guidance": .string(update.guidance),
      "hypotheses": .integer(explanation.hypotheses),
      "lineOfSight": .number(explanation.losProbability), "walking": .number(explanation.movingProbability),
      "rate": .number(explanation.rate), "ranges": .integer(explanation.ranges),
      "trajectory": .bool(explanation.hasTrajectory), "waitingFor": .string(explanation.waitingFor),
      "noise": explanation.noise.map { ["white": .number($0.white), "coloured": .number($0.coloured)] } ?? .null,
      "camera": .string(explanation.blindness),
      "places": .array(explanation.modes.map(Self.mode)), "morePlaces": .integer(explanation.more),
      "listedShare": .number(explanation.listedProbability),
      "gates": .array(explanation.gates.map(Self.gate)),
      "goal": .string(explanation.goal == .angle ? "angle" : "convergence"),
      "manoeuvre": explanation.requestedMotion.map(Self.motion) ?? .null,
      "better": explanation.better.map(Self.motion) ?? .null,
    ]
  }

  private static func mode(_ mode: PosteriorMode) -> JSONValue {
    [
      "share": .number(mode.probability), "horizontalAngle": .number(mode.horizontalAngle),
      "elevation": .number(mode.elevation), "distance": .number(mode.distance),
      "sideways": .number(mode.sideways), "upwards": .number(mode.upwards),
    ]
  }

  private static func gate(_ gate: PublicationGate) -> JSONValue {
    [
      "name": .string(gate.name), "value": .number(gate.value), "limit": .number(gate.limit),
      "unit": .string(gate.unit), "atMost": .bool(gate.isUpperLimit),
      "passed": gate.outcome == .notAsked ? .null : .bool(gate.outcome == .passed), "note": .string(gate.note),
      "withholds": .string(gate.withholds),
    ]
  }

  private static func motion(_ motion: CandidateMotion) -> JSONValue {
    let seconds: Double?
    let word: String
    switch motion.timeToGoal {
    case .seconds(let expected): (seconds, word) = (expected, "reached")
    case .tooLong: (seconds, word) = (nil, "tooLong")
    case .notReached: (seconds, word) = (nil, "notReached")
    case .unknown: (seconds, word) = (nil, "unknown")
    }
    return [
      "kind": .string(motion.kind.rawValue), "separation": .number(motion.separation),
      "prospect": .string(word), "seconds": .number(seconds),
    ]
  }
}
