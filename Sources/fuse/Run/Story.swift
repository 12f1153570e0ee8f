import Evaluation
import Foundation
import PrecisionFinding
import Premises
import Report
import RunResults
import SensorData

/// The run as text of 80 columns: a line for each change of a peer that has persisted.
///
/// A pure state machine from updates to lines; times are event time. Every ± is half of a 90 % interval.
package struct Story {
  /// A change is reported once it has persisted this long, seconds.
  static let persistence = 0.5
  /// Largest number of characters in a line.
  package static let width = 80
  /// What every ± means, said once, before the first line.
  package static let legend = "Each ± is 90 %: nine such intervals in ten should hold the true value."

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
      change.time, peer: object.peer, distance: Self.distance(object), angle: Self.angle(object), change.text)
  }

  /// Processes a change of the session and returns the lines to print now.
  package mutating func process(_ update: SessionUpdate) -> [String] {
    let change = session.observe(
      at: update.timestamp,
      [.status: update.convergence.status.rawValue, .guidance: update.guidance ?? ""])
    guard let change else { return [] }
    return lines(change.time, peer: "session", distance: "", angle: "", change.text)
  }

  /// A refuted premise, or a handled error, and what to do.
  package mutating func process(_ diagnosis: Diagnosis, at time: Timestamp) -> [String] {
    let mark = diagnosis.isHandled ? "note" : "PREMISE"
    return lines(
      time, peer: diagnosis.peer ?? "session", distance: "", angle: "",
      "\(mark) \(diagnosis.code): \(diagnosis.sentence) (\(diagnosis.remedy))")
  }

  /// A distance with half the width of its 90 % interval.
  static func distance(_ object: NearbyObject) -> String {
    guard let distance = object.distance else { return "-" }
    let half = object.distanceStandardDeviation.map { " ± \(Words.fixed(NinetyPercent.halfWidth($0), 2))" } ?? ""
    return "\(Words.fixed(distance, 2))\(half) m"
  }

  /// An angle with half the width of its 90 % interval.
  static func angle(_ object: NearbyObject) -> String {
    guard let angle = object.horizontalAngle else { return "-" }
    let half = (angle.high - angle.low) / 2 * (180 / .pi)
    return "\(Words.side(angle.value)) ± \(Words.fixed(half, half < 9.5 ? 1 : 0))°"
  }

  /// The columns and the words behind them; what does not fit goes on in lines below.
  private mutating func lines(
    _ time: Timestamp, peer: String, distance: String, angle: String, _ text: String
  ) -> [String] {
    let columns = Self.columns(Words.fixed(time.seconds(since: start), 1), peer, distance, angle)
    // A break between what happened and what to do is better than one within a sentence.
    let room = Self.width - columns.count
    let parts = text.count <= room ? [text] : text.components(separatedBy: " · ")
    let words = parts.flatMap { WrappedText.lines($0, width: room) }
    let indent = String(repeating: " ", count: columns.count)
    let body = words.enumerated().map { ($0.offset == 0 ? columns : indent) + $0.element }
    if hasHeader { return body }
    hasHeader = true
    return [Self.legend, Self.columns("time s", "peer", "distance", "angle") + "what happens"] + body
  }

  /// Time, peer, distance and angle, aligned, with the gap behind them.
  private static func columns(_ time: String, _ peer: String, _ distance: String, _ angle: String) -> String {
    let name = peer.count > 8 ? peer.prefix(7) + "…" : peer
    return [Words.right(time, 6), Words.left(name, 8), Words.right(distance, 14), Words.right(angle, 17)]
      .joined(separator: " ") + "  "
  }
}
