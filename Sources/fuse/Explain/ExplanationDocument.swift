import Datasets
import JSONText
import PrecisionFinding

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
      "hypotheses": .integer(explanation.hypotheses), "tracked": .bool(explanation.isTracked),
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
