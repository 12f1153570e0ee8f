import Evaluation
import Geometry
import PrecisionFinding
import Report
import SensorData

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
    let how =
      explanation.isTracked
      ? "a state of the filter" : Words.count(count, "hypothesis alive", plural: "hypotheses alive")
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
