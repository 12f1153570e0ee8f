import Datasets
import Foundation
import Yams

extension Scenario {
  /// The scenario in a YAML text.
  ///
  /// - Parameter file: the name of the text in errors.
  /// - Throws: `ScenarioError` with file and line for broken YAML, unknown or missing keys and values out of range.
  package init(yaml: String, file: String) throws(ScenarioError) {
    let node: Node?
    do { node = try YAMLText.compose(yaml) } catch {
      throw ScenarioError(file: file, line: error.line, problem: "found \(error.found), expected \(error.expected)")
    }
    guard let node else {
      throw ScenarioError(file: file, line: nil, problem: "the file is empty, expected a scenario")
    }
    self = try Fields.read(node, in: file) { fields throws(ScenarioError) in try Scenario(&fields) }
  }

  /// The scenario in a YAML file.
  ///
  /// - Throws: `ScenarioError` also for anything but a regular, small text file.
  package init(contentsOf url: URL) throws(ScenarioError) {
    let text: String
    do {
      text = try RegularFile.text(url.path)
    } catch {
      throw ScenarioError(file: url.path, line: error.line, problem: "found \(error.found), expected \(error.expected)")
    }
    try self.init(yaml: text, file: url.path)
  }

  private init(_ fields: inout Fields) throws(ScenarioError) {
    guard let name = try fields.text("name") else { throw fields.missing("name") }
    guard let summary = try fields.text("description") else { throw fields.missing("description") }
    let peers = try fields.list("peers") { f throws(ScenarioError) in try Peer(&f) } ?? []
    guard Set(peers.map(\.id)).count == peers.count else { throw fields.refuse("peers", "two peers have one id") }
    for case let alias? in peers.map(\.alias) {
      guard peers.contains(where: { $0.id == alias && $0.alias == nil }) else {
        throw fields.refuse("peers", "reports_as names '\(alias)', expected another peer that reports as itself")
      }
    }
    guard let motion = try fields.list("motion", { f throws(ScenarioError) in try Step(&f) }), !motion.isEmpty else {
      throw fields.missing("motion")
    }
    for case .approach(let peer, _, _) in motion where !peers.contains(where: { $0.id == peer }) {
      throw fields.refuse("motion", "approach names the peer '\(peer)', which is not among the peers")
    }
    if let down = motion.firstIndex(where: \.leavesThePhone), !motion[down...].dropFirst().allSatisfy(\.isHold) {
      throw fields.refuse("motion", "the phone lies on the table; give put_down a pick_up_s, or only hold after it")
    }
    self.init(name: name, summary: summary, peers: peers, motion: motion)
    try fields.section("hand") { [hand] f throws(ScenarioError) in try hand.read(&f) }.map { hand = $0 }
    try fields.section("room") { [room] f throws(ScenarioError) in try room.read(&f) }.map { room = $0 }
    walls = try fields.list("walls") { [room] f throws(ScenarioError) in try Wall(&f, in: room) } ?? []
    movers = try fields.list("movers") { f throws(ScenarioError) in try Mover(&f) } ?? []
    body = try fields.section("body") { f throws(ScenarioError) in try Body().read(&f) }
    try fields.section("imu") { [imu] f throws(ScenarioError) in try imu.read(&f) }.map { imu = $0 }
    if fields.isNone("camera") {
      camera = nil
    } else {
      try fields.section("camera") { f throws(ScenarioError) in try Camera().read(&f) }.map { camera = $0 }
    }
    try fields.section("uwb") { [radio] f throws(ScenarioError) in try radio.read(&f) }.map { radio = $0 }
    odometry = try fields.section("odometry") { f throws(ScenarioError) in try Odometry().read(&f) }
    events = try fields.list("events") { f throws(ScenarioError) in try Event(&f) } ?? []
    for case let peer? in events.map(\.peer) where !peers.contains(where: { $0.id == peer }) {
      throw fields.refuse("events", "the peer '\(peer)' is not among the peers")
    }
    guard zip(events, events.dropFirst()).allSatisfy({ $0.time <= $1.time }) else {
      throw fields.refuse("events", "an event comes before the one above it")
    }
    try fields.section("truth") { f throws(ScenarioError) in try f.number("rate_hz", 1...2000) }?.map { truthRate = $0 }
    guard try plan().duration <= 3600 else { throw fields.refuse("motion", "lasts longer than an hour") }
  }
}
