import SensorData

/// What was last told of one peer (or of the session), and what has changed since without having lasted yet.
struct StoryFacts {
  /// The things a line can be about, in the order in which a line names them.
  enum Fact: CaseIterable {
    case distance, angle, level, quality, status, guidance
  }

  /// Something to tell.
  struct News: Equatable {
    /// When it began.
    var time: Timestamp
    /// What, in words.
    var text: String
  }

  private let isSession: Bool
  /// Whether there has been a trajectory: only then can it be given up.
  private var hasTracked = false
  private var told: [Fact: String] = [:]
  private var pending: [Fact: (value: String, since: Timestamp)] = [:]

  /// Nothing told yet.
  init(isSession: Bool) { self.isSession = isSession }

  /// Takes the facts of one moment and returns what has lasted long enough to be told.
  mutating func observe(at time: Timestamp, _ facts: [Fact: String]) -> News? {
    // The first word is told at once: that a peer was heard at all cannot flicker. So are the session's few changes.
    if told.isEmpty || isSession {
      let before = told
      told = facts
      if told == before { return nil }
      let greeting = isSession ? nil : facts[.distance] == "known" ? "first distance" : "heard, no distance yet"
      let words = isSession ? statusWord(from: before[.status], to: facts[.status] ?? "") : greeting
      if isSession, facts[.status] == "converged" { hasTracked = true }
      let text = sentence([words].compactMap { $0 }, guidance: facts[.guidance])
      return text.isEmpty ? nil : News(time: time, text: text)
    }
    var due: Timestamp?
    var words: [String] = []
    for fact in Fact.allCases {
      guard let value = facts[fact], value != told[fact] else {
        pending[fact] = nil
        continue
      }
      let since = pending[fact]?.value == value ? pending[fact]!.since : time
      pending[fact] = (value, since)
      guard time.seconds(since: since) >= Story.patience else { continue }
      pending[fact] = nil
      let word = word(fact, from: told[fact] ?? "", to: value)
      told[fact] = value
      if let word { words.append(word) }
      // A change without a word, such as a guidance that is no longer needed, is not worth a line of its own.
      if word != nil || (fact == .guidance && !value.isEmpty) { due = min(due ?? since, since) }
    }
    guard let due else { return nil }
    return News(time: due, text: sentence(words, guidance: told[.status] == "converged" ? nil : told[.guidance]))
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
    default: "height lost"
    }
  }

  private func qualityWord(from old: String, to new: String) -> String? {
    switch (old, new) {
    case (_, "drifting"): "no fresh ranges"
    case ("drifting", "precise"): "ranges are back"
    // That the trajectory is known concerns all peers: the session says it, once.
    case (_, "precise"): nil
    default: "trajectory lost"
    }
  }

  private func statusWord(from old: String?, to new: String) -> String? {
    if new == old { return nil }
    if new == "converged" { return isSession ? "tracking the device" : "converged" }
    if isSession, new == "unknown" {
      return hasTracked ? "trajectory given up, waiting for a new one" : "no trajectory yet"
    }
    guard old == "converged" else { return nil }
    return isSession ? "tracking is at risk" : "no longer converged"
  }
}
