extension Scenario {
  /// An event of the device or of a peer, written to the recording.
  package struct Event: Equatable, Sendable {
    /// Seconds from the start.
    package var time: Double
    /// Its name: suspend, resume, peerEnded, stationary, moving or any other.
    package var name: String
    /// The peer it concerns; nil: the device.
    package var peer: String?
    /// Whether frames and ranges continue after a `suspend`.
    package var keepsSensors = false

    /// An event from its parts.
    package init(time: Double, name: String, peer: String? = nil) {
      self.time = time
      self.name = name
      self.peer = peer
    }
  }

  /// Whether the app is suspended at `time` and therefore receives neither frames nor ranges.
  func isSuspended(at time: Double) -> Bool {
    let last = events.last { ["suspend", "resume"].contains($0.name) && $0.time <= time }
    return last.map { $0.name == "suspend" && !$0.keepsSensors } ?? false
  }

  /// Whether the session with a peer has ended at `time`, after which there are no ranges to it.
  func hasEnded(_ peer: String, at time: Double) -> Bool {
    events.contains { $0.name == "peerEnded" && $0.peer == peer && $0.time <= time }
  }
}

extension Scenario.Event {
  init(_ f: inout Fields) throws(ScenarioError) {
    let (time, name, peer) = (try f.number("at_s", 0...3600), try f.text("event"), try f.text("peer"))
    let keepsSensors = try f.flag("keeps_sensors")
    guard let time else { throw f.missing("at_s") }
    guard let name else { throw f.missing("event") }
    guard Fields.isName(name) else {
      throw f.refuse("event", "a comma, a quotation mark or a line break cannot stand in a column")
    }
    if name == "peerEnded", peer == nil { throw f.missing("peer") }
    if keepsSensors != nil, name != "suspend" { throw f.refuse("keeps_sensors", "goes with suspend only") }
    self.init(time: time, name: name, peer: peer)
    keepsSensors.map { self.keepsSensors = $0 }
  }
}
