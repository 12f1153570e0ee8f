import Evaluation
import Foundation
import PrecisionFinding
import Premises
import Report
import RunResults
import SensorData
import Wording

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

/// The last reported facts of one peer (or of the session), and changes that have not yet persisted.
struct StoryFacts {
  /// The facts that a line can report, in output order.
  enum Fact: CaseIterable {
    case distance, angle, level, quality, status, guidance
  }

  /// A change to report.
  struct Change: Equatable {
    /// When it began.
    var time: Timestamp
    /// Its description.
    var text: String
  }

  private let isSession: Bool
  /// Whether there has been a trajectory: only then can it be dropped.
  private var hasTracked = false
  private var reported: [Fact: String] = [:]
  private var pending: [Fact: (value: String, since: Timestamp)] = [:]

  /// Nothing reported yet.
  init(isSession: Bool) { self.isSession = isSession }

  /// Processes the facts at one time and returns changes that have persisted long enough.
  mutating func observe(at time: Timestamp, _ facts: [Fact: String]) -> Change? {
    // The first range of a peer cannot flicker: it is reported at once. So are the session's few changes.
    if reported.isEmpty || isSession {
      let before = reported
      reported = facts
      if reported == before { return nil }
      let firstWords = isSession ? nil : facts[.distance] == "known" ? "first distance" : "first range, no distance yet"
      let words = isSession ? statusWord(from: before[.status], to: facts[.status] ?? "") : firstWords
      if isSession, facts[.status] == "converged" { hasTracked = true }
      let text = sentence([words].compactMap { $0 }, guidance: facts[.guidance])
      return text.isEmpty ? nil : Change(time: time, text: text)
    }
    var due: Timestamp?
    var words: [String] = []
    for fact in Fact.allCases {
      guard let value = facts[fact], value != reported[fact] else {
        pending[fact] = nil
        continue
      }
      let since = pending[fact]?.value == value ? pending[fact]!.since : time
      pending[fact] = (value, since)
      guard time.seconds(since: since) >= Story.persistence else { continue }
      pending[fact] = nil
      let word = word(fact, from: reported[fact] ?? "", to: value)
      reported[fact] = value
      if let word { words.append(word) }
      // A change without a word, such as the end of a guidance, gets no line of its own.
      if word != nil || (fact == .guidance && !value.isEmpty) { due = min(due ?? since, since) }
    }
    guard let due else { return nil }
    return Change(
      time: due, text: sentence(words, guidance: reported[.status] == "converged" ? nil : reported[.guidance]))
  }

  private func sentence(_ words: [String], guidance: String?) -> String {
    ([words.joined(separator: ", ")] + [guidance ?? ""]).filter { !$0.isEmpty }.joined(separator: " · ")
  }

  private func word(_ fact: Fact, from old: String, to new: String) -> String? {
    switch fact {
    case .distance: new.isEmpty ? "distance lost" : "distance known"
    case .angle: new.isEmpty ? "angle lost" : "angle known"
    case .level: levelWord(new)
    case .quality: qualityWord(from: old, to: new)
    case .status: statusWord(from: old, to: new)
    case .guidance: nil
    }
  }

  private func levelWord(_ level: String) -> String {
    switch level {
    case "same": "on our level"
    case "above": "above us"
    case "below": "below us"
    case "aboveOrBelow": "above or below us"
    default: "level lost"
    }
  }

  private func qualityWord(from old: String, to new: String) -> String? {
    switch (old, new) {
    case (_, "drifting"): "no usable ranges"
    case ("drifting", "precise"): "ranges are used again"
    // A known trajectory concerns all peers: the session reports it once.
    case (_, "precise"): nil
    default: "trajectory lost"
    }
  }

  private func statusWord(from old: String?, to new: String) -> String? {
    if new == old { return nil }
    if new == "converged" { return isSession ? "tracking the device" : "converged" }
    if isSession, new == "unknown" {
      return hasTracked ? "trajectory dropped, waiting for a new one" : "no trajectory yet"
    }
    guard old == "converged" else { return nil }
    return isSession ? "tracking is at risk" : "no longer converged"
  }
}
