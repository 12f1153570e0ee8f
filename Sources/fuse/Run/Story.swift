import PrecisionFinding
import SensorData

/// The run as people like to hear it: a line when something changes for a peer, and not before it has lasted.
///
/// A pure state machine: updates go in, lines come out; times are event time.
package struct Story {
  /// A change is told once it has lasted this long, seconds: flicker is not news.
  static let patience = 0.5

  private let start: Timestamp
  private var peers: [String: StoryFacts] = [:]
  private var session = StoryFacts(isSession: true)
  private var hasHeader = false

  /// A story whose times count from `start`.
  package init(start: Timestamp) { self.start = start }

  /// Takes a peer's update and returns the lines to tell now.
  package mutating func tell(_ update: NearbyUpdate) -> [String] {
    let object = update.object
    var facts = peers[object.peer] ?? StoryFacts(isSession: false)
    let news = facts.observe(
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
    guard let news else { return [] }
    return lines(
      news.time, peer: object.peer, distance: Self.distance(object), angle: Self.angle(object),
      level: Self.level(object.verticalDirectionEstimate), news.text)
  }

  /// Takes a change of the session and returns the lines to tell now.
  package mutating func tell(_ update: SessionUpdate) -> [String] {
    let news = session.observe(
      at: update.timestamp,
      [.status: update.convergence.status.rawValue, .guidance: update.guidance ?? ""])
    guard let news else { return [] }
    return lines(news.time, peer: "session", distance: "", angle: "", level: "", news.text)
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

  /// A level in a word.
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
