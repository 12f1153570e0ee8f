import SensorData

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
