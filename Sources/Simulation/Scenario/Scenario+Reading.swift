import Datasets
import Foundation
import Geometry
import Yams

extension Scenario {
  /// The scenario in a YAML text.
  ///
  /// - Parameter file: how errors name the text.
  /// - Throws: `ScenarioError` with file and line for broken YAML, unknown or missing keys and values out of range.
  package init(yaml: String, file: String) throws(ScenarioError) {
    let node: Node?
    do {
      node = try Yams.compose(yaml: yaml)
    } catch {
      throw Self.syntaxError(error, in: file)
    }
    guard let node else {
      throw ScenarioError(file: file, line: nil, problem: "the file is empty, expected a scenario")
    }
    self = try Fields.read(node, in: file) { fields throws(ScenarioError) in try Scenario(&fields) }
  }

  /// The scenario in a YAML file.
  ///
  /// - Throws: `ScenarioError` also for what is no regular, small text file.
  package init(contentsOf url: URL) throws(ScenarioError) {
    let text: String
    do {
      text = try RegularFile.text(url.path)
    } catch {
      throw ScenarioError(file: url.path, line: nil, problem: "found \(error.found), expected \(error.expected)")
    }
    try self.init(yaml: text, file: url.path)
  }

  private static func syntaxError(_ error: any Error, in file: String) -> ScenarioError {
    switch error as? YamlError {
    case .scanner(_, let what, let mark, _)?, .parser(_, let what, let mark, _)?, .composer(_, let what, let mark, _)?:
      ScenarioError(file: file, line: mark.line, problem: "no YAML: \(what)")
    case .duplicatedKeysInMapping(let keys, let context)?:
      ScenarioError(
        file: file, line: context.mark.line, problem: "the same key twice: \(keys.sorted().joined(separator: ", "))")
    default: ScenarioError(file: file, line: nil, problem: "found no YAML, expected lines such as `name: arc`")
    }
  }

  private init(_ fields: inout Fields) throws(ScenarioError) {
    guard let name = try fields.text("name") else { throw fields.missing("name") }
    guard let summary = try fields.text("description") else { throw fields.missing("description") }
    let peers = try fields.list("peers") { f throws(ScenarioError) in try Peer(&f) } ?? []
    guard Set(peers.map(\.id)).count == peers.count else { throw fields.refuse("peers", "two peers have one id") }
    guard let motion = try fields.list("motion", { f throws(ScenarioError) in try Step(&f) }), !motion.isEmpty else {
      throw fields.missing("motion")
    }
    for case .approach(let peer, _, _) in motion where !peers.contains(where: { $0.id == peer }) {
      throw fields.refuse("motion", "approach names the peer '\(peer)', which is not among the peers")
    }
    self.init(name: name, summary: summary, peers: peers, motion: motion)
    try fields.section("hand") { [hand] f throws(ScenarioError) in try hand.read(&f) }.map { hand = $0 }
    try fields.section("room") { [room] f throws(ScenarioError) in try room.read(&f) }.map { room = $0 }
    try fields.section("imu") { [imu] f throws(ScenarioError) in try imu.read(&f) }.map { imu = $0 }
    if fields.isNone("camera") {
      camera = nil
    } else {
      try fields.section("camera") { f throws(ScenarioError) in try Camera().read(&f) }.map { camera = $0 }
    }
    try fields.section("uwb") { [radio] f throws(ScenarioError) in try radio.read(&f) }.map { radio = $0 }
    odometry = try fields.section("odometry") { f throws(ScenarioError) in try Odometry().read(&f) }
    guard try plan().duration <= 3600 else { throw fields.refuse("motion", "lasts longer than an hour") }
  }

  /// The intended motion of the hand, from the world's origin, looking along x.
  ///
  /// - Throws: `ScenarioError` when an approach names a peer that is not there.
  package func plan() throws(ScenarioError) -> MotionPlan {
    var plan = MotionPlan(from: HandPose(pitch: hand.pitch))
    for step in motion {
      switch step {
      case .motion(let piece): plan.append(piece)
      case .approach(let id, let stop, let speed):
        guard let peer = peers.first(where: { $0.id == id }) else {
          throw ScenarioError(file: name, line: nil, problem: "approach names the peer '\(id)', which is not there")
        }
        var way = peer.position - plan.end.position
        plan.append(.turn(duration: 1.5, angle: Angle.wrapped(atan2(way.y, way.x) - plan.end.yaw), arm: 0))
        way.z = 0
        plan.append(.walk(distance: max(0, way.norm - stop), speed: speed, heading: 0, bob: 0.015, stepRate: 1.8))
      }
    }
    return plan
  }
}

extension Scenario.Peer {
  init(_ fields: inout Fields) throws(ScenarioError) {
    guard let id = try fields.text("id") else { throw fields.missing("id") }
    guard Fields.isName(id) else {
      throw fields.refuse("id", "a comma, a quotation mark or a line break cannot stand in a column")
    }
    guard let ahead = try fields.number("ahead_m", -1000...1000) else { throw fields.missing("ahead_m") }
    let right = try fields.number("right_m", -1000...1000) ?? 0
    let up = try fields.number("up_m", -1000...1000) ?? 0
    self.init(
      id: id, position: Vector3(ahead, -right, up), rangeBias: try fields.number("range_bias_m", -10...10) ?? 0.1)
  }
}

extension Scenario.Step {
  init(_ fields: inout Fields) throws(ScenarioError) {
    let pieces: [Self?] = [
      try fields.section("hold") { f throws(ScenarioError) in .motion(.hold(duration: try f.duration())) },
      try fields.section("sway") { f throws(ScenarioError) in
        .motion(
          .sway(
            duration: try f.duration(), lateral: try f.swing("lateral", "m", 3),
            vertical: try f.swing("vertical", "m", 3), ahead: try f.swing("ahead", "m", 3)))
      },
      try fields.section("arc") { f throws(ScenarioError) in
        .motion(
          .arc(
            duration: try f.duration(), arm: try f.number("arm_m", 0...2) ?? 0.6,
            horizontal: try f.swing("horizontal", "deg", 120), vertical: try f.swing("vertical", "deg", 60)))
      },
      try fields.section("walk") { f throws(ScenarioError) in
        guard let distance = try f.number("distance_m", 0...1000) else { throw f.missing("distance_m") }
        return .motion(
          .walk(
            distance: distance, speed: try f.number("speed_m_s", 0.05...5) ?? 0.9,
            heading: -Angle.degrees(try f.number("right_deg", -180...180) ?? 0),
            bob: try f.number("bob_m", 0...0.1) ?? 0.015, stepRate: try f.number("step_rate_hz", 0.5...4) ?? 1.8))
      },
      try fields.section("turn") { f throws(ScenarioError) in
        guard let angle = try f.number("right_deg", -720...720) else { throw f.missing("right_deg") }
        return .motion(
          .turn(duration: try f.duration(), angle: -Angle.degrees(angle), arm: try f.number("arm_m", 0...2) ?? 0.4))
      },
      try fields.section("approach") { f throws(ScenarioError) in
        guard let peer = try f.text("peer") else { throw f.missing("peer") }
        return .approach(
          peer: peer, stop: try f.number("stop_at_m", 0...100) ?? 1, speed: try f.number("speed_m_s", 0.05...5) ?? 0.9)
      },
    ]
    let found = pieces.compactMap { $0 }
    guard found.count == 1 else {
      throw fields.refuse("motion", "every step is exactly one of hold, sway, arc, walk, turn, approach")
    }
    self = found[0]
  }
}

extension Fields {
  fileprivate mutating func duration() throws(ScenarioError) -> Double {
    guard let duration = try number("duration_s", 0.1...600) else { throw missing("duration_s") }
    return duration
  }

  /// `<name>_m` or `<name>_deg`, and `<name>_period_s`.
  fileprivate mutating func swing(
    _ name: String, _ unit: String, _ largest: Double
  ) throws(ScenarioError) -> HandMotion.Swing {
    let size = try number("\(name)_\(unit)", -largest...largest) ?? 0
    let period = try number("\(name)_period_s", 0.5...60) ?? 4
    return HandMotion.Swing(amplitude: unit == "deg" ? Angle.degrees(size) : size, period: period)
  }
}
