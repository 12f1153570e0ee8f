import PrecisionFinding
import Premises
import SensorData

/// The run as text: a line for each change of a peer that has persisted.
///
/// A pure state machine from updates to lines; times are event time.
package struct Story {
  /// A change is reported once it has persisted this long, seconds.
  static let persistence = 0.5

  private let start: Timestamp
  private var peers: [String: StoryFacts] = [:]
  private var session = StoryFacts(isSession: true)
  private var hasHeader = false

  /// A story whose times count from `start`.
  package init(start: Timestamp) { self.start = start }

  /// Processes a peer's update and returns the lines to print now.
  package mutating func process(_ update: NearbyUpdate) -> [String] {
    let object = update.object
    var facts = peers[object.peer] ?? StoryFacts(isSession: false)
    let change = facts.observe(
      at: update.timestamp,
      [
        .distance: object.distance == nil ? "" : "known",
        .angle: object.horizontalAngle == nil ? "" : "known",
        .level: object.verticalDirectionEstimate.name,
        .quality: object.quality.rawValue,
        .status: update.convergence.status.rawValue,
        .guidance: update.guidance ?? "",
      ])
    peers[object.peer] = facts
    guard let change else { return [] }
    return lines(
      change.time, peer: object.peer, distance: Self.distance(object), angle: Self.angle(object),
      level: Self.level(object.verticalDirectionEstimate), change.text)
  }

  /// Processes a change of the session and returns the lines to print now.
  package mutating func process(_ update: SessionUpdate) -> [String] {
    let change = session.observe(
      at: update.timestamp,
      [.status: update.convergence.status.rawValue, .guidance: update.guidance ?? ""])
    guard let change else { return [] }
    return lines(change.time, peer: "session", distance: "", angle: "", level: "", change.text)
  }

  /// A refuted premise, or a handled error, and what to do.
  package mutating func process(_ diagnosis: Diagnosis, at time: Timestamp) -> [String] {
    let mark = diagnosis.isHandled ? "note" : "PREMISE"
    return lines(
      time, peer: diagnosis.peer ?? "session", distance: "", angle: "", level: "",
      "\(mark) \(diagnosis.code): \(diagnosis.sentence) (\(diagnosis.remedy))")
  }

  /// A distance with its sigma.
  static func distance(_ object: NearbyObject) -> String {
    guard let distance = object.distance else { return "-" }
    let sigma = object.distanceStandardDeviation.map { " ± \(Words.fixed($0, 2))" } ?? ""
    return "\(Words.fixed(distance, 2))\(sigma) m"
  }

  /// An angle with half the width of its 90 % interval.
  static func angle(_ object: NearbyObject) -> String {
    guard let angle = object.horizontalAngle else { return "-" }
    let half = (angle.high - angle.low) / 2 * (180 / .pi)
    return "\(Words.side(angle.value)) ± \(Words.fixed(half, half < 9.5 ? 1 : 0))°"
  }

  /// A level as a word.
  static func level(_ level: VerticalDirectionEstimate) -> String {
    switch level {
    case .unknown: "-"
    case .same: "level"
    case .above: "above"
    case .below: "below"
    case .aboveOrBelow: "above/below"
    }
  }

  private mutating func lines(
    _ time: Timestamp, peer: String, distance: String, angle: String, level: String, _ text: String
  ) -> [String] {
    let columns = [
      Words.right("\(Words.fixed(time.seconds(since: start), 1)) s", 9), Words.left(peer, 8), Words.right(distance, 15),
      Words.right(angle, 18), Words.left(level, 11), text,
    ]
    let line = columns.joined(separator: "  ")
    if hasHeader { return [line] }
    hasHeader = true
    let header = [
      Words.right("time", 9), Words.left("peer", 8), Words.right("distance", 15), Words.right("angle ± 90 %", 18),
      Words.left("height", 11), "what happens",
    ]
    return [header.joined(separator: "  "), line]
  }
}
