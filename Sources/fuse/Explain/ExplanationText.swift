import Datasets
import Geometry
import PrecisionFinding
import SensorData

/// An explanation in words and as JSON.
struct ExplanationText {
  private let explanation: Explanation
  private let seconds: Double

  /// - Parameter start: seconds count from there.
  init(_ explanation: Explanation, start: Timestamp) {
    self.explanation = explanation
    seconds = explanation.update.timestamp.seconds(since: start)
  }

  // MARK: - In words

  /// Lines for people.
  var lines: [String] {
    let update = explanation.update
    let reasons = update.convergence.reasons.map(\.rawValue).joined(separator: ", ")
    var lines = [
      "\(update.object.peer) at \(Words.fixed(seconds, 3)) s: \(update.convergence.status.rawValue)"
        + (reasons.isEmpty ? "" : " (\(reasons))"),
      "said: \(said.joined(separator: ", "))",
    ]
    if !unsaid.isEmpty { lines.append("withheld: \(unsaid.joined(separator: ", "))") }
    lines += ["", standing] + places + [""] + gates
    if let help { lines += ["", help] }
    return lines
  }

  private var said: [String] {
    let object = explanation.update.object
    var words: [String] = []
    if let distance = object.distance { words.append("distance \(Words.fixed(distance, 2)) m") }
    if let angle = object.horizontalAngle {
      words.append("angle \(Self.degrees(angle.value))")
    }
    if object.direction != nil { words.append("direction") }
    if object.verticalDirectionEstimate != .unknown { words.append("height: \(object.verticalDirectionEstimate.name)") }
    if object.worldPosition != nil { words.append("position") }
    return words.isEmpty ? ["nothing"] : words
  }

  private var unsaid: [String] {
    let object = explanation.update.object
    return [
      (object.distance == nil, "distance"), (object.horizontalAngle == nil, "angle"),
      (object.direction == nil, "direction"), (object.verticalDirectionEstimate == .unknown, "height class"),
      (object.worldPosition == nil, "position"),
    ].filter(\.0).map(\.1)
  }

  private var standing: String {
    if let blindness = explanation.blindness { return "The camera is of no use: \(blindness)." }
    guard !explanation.places.isEmpty else { return "No trajectory, or no three ranges yet: nothing to judge by." }
    let how = explanation.isTracked ? "a state of the filter" : "\(explanation.hypotheses) hypotheses alive"
    let noise = explanation.noise.map { ", noise \(Words.fixed($0.total * 100, 0)) cm" } ?? ""
    return "Where it may be (\(how), sight free \(Words.fixed(100 * explanation.free, 0)) %\(noise)):"
  }

  private var places: [String] {
    guard !explanation.places.isEmpty else { return [] }
    var table = Table([.right, .right, .right, .right, .right, .right])
    table.add(["share", "angle", "elevation", "distance", "1-sigma across", "upwards"])
    for place in explanation.places {
      table.add([
        "\(Words.fixed(100 * place.share, 2)) %", Self.degrees(place.horizontalAngle), Self.degrees(place.elevation),
        "\(Words.fixed(place.distance, 2)) m", Self.degrees(place.sideways), Self.degrees(place.upwards),
      ])
    }
    return table.lines()
  }

  private var gates: [String] {
    guard !explanation.gates.isEmpty else { return [] }
    var table = Table([.left, .left, .right, .left, .left])
    table.add(["", "gate", "found", "asked", "withholds"])
    for gate in explanation.gates {
      table.add([
        gate.isPassed ? "ok" : "NO", gate.name, Self.quantity(gate.value, gate.unit),
        "\(gate.isUpperLimit ? "at most" : "at least") \(Self.quantity(gate.limit, gate.unit))",
        gate.isPassed ? "" : gate.withholds,
      ])
    }
    return table.lines()
  }

  private var help: String? {
    guard let manoeuvre = explanation.manoeuvre else { return nil }
    let how = Self.words(manoeuvre.kind)
    let what =
      manoeuvre.separation.map { "tells the two likeliest places apart by \(Words.fixed($0, 2)) m of range a metre" }
      ?? "narrows what is left"
    let time = manoeuvre.seconds.map { "; about \(Words.fixed(max($0, 0.1), 1)) s of sweeping half a metre" } ?? ""
    return "What would help: \(how) \(what)\(time)."
  }

  private static func words(_ kind: Manoeuvre.Kind) -> String {
    switch kind {
    case .sideways: "moving from side to side"
    case .upAndDown: "moving up and down"
    case .forwardsAndBack: "moving forwards and back"
    }
  }

  private static func degrees(_ radians: Double) -> String { "\(Words.fixed(Angle.inDegrees(radians), 1)) deg" }

  private static func quantity(_ value: Double, _ unit: String) -> String {
    Words.fixed(value, 2) + (unit.isEmpty ? "" : " \(unit)")
  }

  // MARK: - As JSON

  /// The same for programs: SI units and radians but for the gates, which name theirs.
  var json: JSONValue {
    [
      "timestamp": .integer(Int(explanation.update.timestamp.nanoseconds)),
      "peer": .string(explanation.update.object.peer),
      "status": .string(explanation.update.convergence.status.rawValue),
      "reasons": .array(explanation.update.convergence.reasons.map { .string($0.rawValue) }),
      "hypotheses": .integer(explanation.hypotheses), "tracked": .bool(explanation.isTracked),
      "lineOfSight": .number(explanation.free), "rate": .number(explanation.rate),
      "noise": explanation.noise.map { ["white": .number($0.white), "coloured": .number($0.coloured)] } ?? .null,
      "camera": .string(explanation.blindness),
      "places": .array(
        explanation.places.map {
          [
            "share": .number($0.share), "horizontalAngle": .number($0.horizontalAngle),
            "elevation": .number($0.elevation), "distance": .number($0.distance),
            "sideways": .number($0.sideways), "upwards": .number($0.upwards),
          ]
        }),
      "gates": .array(
        explanation.gates.map {
          [
            "name": .string($0.name), "value": .number($0.value), "limit": .number($0.limit), "unit": .string($0.unit),
            "atMost": .bool($0.isUpperLimit), "passed": .bool($0.isPassed), "withholds": .string($0.withholds),
          ]
        }),
      "manoeuvre": explanation.manoeuvre.map {
        [
          "kind": .string($0.kind.rawValue), "axis": .array([$0.axis.x, $0.axis.y, $0.axis.z].map { .number($0) }),
          "separation": .number($0.separation), "seconds": .number($0.seconds),
        ]
      } ?? .null,
    ]
  }
}
