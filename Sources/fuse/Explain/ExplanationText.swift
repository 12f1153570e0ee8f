import Geometry
import PrecisionFinding
import SensorData

/// An explanation in words.
package struct ExplanationText {
  private let explanation: Explanation
  private let seconds: Double

  /// - Parameter start: seconds count from there.
  package init(_ explanation: Explanation, start: Timestamp) {
    self.explanation = explanation
    seconds = explanation.update.timestamp.seconds(since: start)
  }

  /// Lines for people.
  package var lines: [String] {
    let update = explanation.update
    let reasons = update.convergence.reasons.map(\.rawValue).joined(separator: ", ")
    var lines = [
      "\(update.object.peer) at \(Words.fixed(seconds, 3)) s: \(update.convergence.status.rawValue)"
        + (reasons.isEmpty ? "" : " (\(reasons))"),
      "said: \(said.joined(separator: ", "))",
    ]
    if !unsaid.isEmpty { lines.append("withheld: \(unsaid.joined(separator: ", "))") }
    lines += ["", standing] + places + [""] + gates
    let help = CandidateMotionText(explanation).lines
    return help.isEmpty ? lines : lines + [""] + help
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
    let blind = explanation.blindness.map { "The camera is of no use: \($0). " } ?? ""
    guard !explanation.places.isEmpty else {
      let ranges = Words.count(explanation.ranges, "range")
      guard !explanation.hasTrajectory else {
        return blind + "A trajectory, but only \(ranges) on it so far: too few to judge by."
      }
      let waiting = explanation.waitingFor.map { ", it waits for \($0)" } ?? ""
      return blind + "No trajectory\(waiting): \(ranges) so far tell a distance and no more."
    }
    let count = explanation.hypotheses
    let how =
      explanation.isTracked
      ? "a state of the filter" : Words.count(count, "hypothesis alive", plural: "hypotheses alive")
    let noise = explanation.noise.map { ", noise \(Words.fixed($0.total * 100, 0)) cm" } ?? ""
    let walks = explanation.movingProbability > 1e-3 ? ", walking \(Words.fixed(100 * explanation.movingProbability, 1)) %" : ""
    return blind + "Where it may be (\(how), sight free \(Words.fixed(100 * explanation.free, 0)) %\(noise)\(walks)):"
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
    guard explanation.more > 0 else { return table.lines() }
    let listed = Words.fixed(100 * explanation.listedShare, 1)
    return table.lines() + [
      "These hold \(listed) % of the posterior; \(Words.count(explanation.more, "more place")) not listed."
    ]
  }

  private var gates: [String] {
    guard !explanation.gates.isEmpty else { return [] }
    var table = Table([.left, .left, .right, .left, .left])
    table.add(["", "gate", "found", "asked", "withholds"])
    for gate in explanation.gates {
      let mark =
        switch gate.verdict {
        case .passed: "ok"
        case .failed: "NO"
        case .notAsked: "--"
        }
      table.add([
        mark, gate.name, gate.value.map { Self.quantity($0, gate.unit) } ?? "-",
        "\(gate.isUpperLimit ? "at most" : "at least") \(Self.quantity(gate.limit, gate.unit))",
        gate.note ?? (gate.verdict == .failed ? gate.withholds : ""),
      ])
    }
    return table.lines()
  }

  private static func degrees(_ radians: Double) -> String { "\(Words.fixed(Angle.inDegrees(radians), 1)) deg" }

  private static func quantity(_ value: Double, _ unit: String) -> String {
    Words.fixed(value, unit.isEmpty ? 0 : 2) + (unit.isEmpty ? "" : " \(unit)")
  }
}
