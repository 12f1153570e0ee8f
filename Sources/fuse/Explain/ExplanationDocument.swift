import Datasets
import PrecisionFinding

/// An explanation for programs: SI units and radians but for the gates, which name theirs.
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
      "lineOfSight": .number(explanation.free), "walking": .number(explanation.movingProbability),
      "rate": .number(explanation.rate), "ranges": .integer(explanation.ranges),
      "trajectory": .bool(explanation.hasTrajectory), "waitingFor": .string(explanation.waitingFor),
      "noise": explanation.noise.map { ["white": .number($0.white), "coloured": .number($0.coloured)] } ?? .null,
      "camera": .string(explanation.blindness),
      "places": .array(explanation.places.map(Self.place)), "morePlaces": .integer(explanation.more),
      "listedShare": .number(explanation.listedShare),
      "gates": .array(explanation.gates.map(Self.gate)),
      "goal": .string(explanation.goal == .angle ? "angle" : "convergence"),
      "manoeuvre": explanation.manoeuvre.map(Self.manoeuvre) ?? .null,
      "better": explanation.better.map(Self.manoeuvre) ?? .null,
    ]
  }

  private static func place(_ place: Place) -> JSONValue {
    [
      "share": .number(place.share), "horizontalAngle": .number(place.horizontalAngle),
      "elevation": .number(place.elevation), "distance": .number(place.distance),
      "sideways": .number(place.sideways), "upwards": .number(place.upwards),
    ]
  }

  private static func gate(_ gate: Explanation.Gate) -> JSONValue {
    [
      "name": .string(gate.name), "value": .number(gate.value), "limit": .number(gate.limit),
      "unit": .string(gate.unit), "atMost": .bool(gate.isUpperLimit),
      "passed": gate.verdict == .notAsked ? .null : .bool(gate.verdict == .passed), "note": .string(gate.note),
      "withholds": .string(gate.withholds),
    ]
  }

  private static func manoeuvre(_ manoeuvre: CandidateMotion) -> JSONValue {
    let seconds: Double?
    let word: String
    switch manoeuvre.prospect {
    case .seconds(let expected): (seconds, word) = (expected, "reached")
    case .tooLong: (seconds, word) = (nil, "tooLong")
    case .notReached: (seconds, word) = (nil, "notReached")
    case .unknown: (seconds, word) = (nil, "unknown")
    }
    return [
      "kind": .string(manoeuvre.kind.rawValue), "separation": .number(manoeuvre.separation),
      "prospect": .string(word), "seconds": .number(seconds),
    ]
  }
}
