import Foundation
import Geometry

extension Scenario {
  /// The intended motion of the hand, from the world's origin, looking along x.
  ///
  /// - Throws: `ScenarioError` when an approach names an unknown peer.
  package func plan() throws(ScenarioError) -> MotionPlan {
    var plan = MotionPlan(from: HandPose(pitch: hand.pitch, roll: hand.holding.roll))
    for step in motion {
      switch step {
      case .motion(let piece): plan.append(piece)
      case .approach(let id, let stop, let speed):
        guard let peer = peers.first(where: { $0.id == id }) else {
          throw ScenarioError(file: name, line: nil, problem: "approach names the peer '\(id)', which is not there")
        }
        var toPeer = peer.position(at: plan.duration) - plan.end.position
        plan.append(.turn(duration: 1.5, angle: Angle.wrapped(atan2(toPeer.y, toPeer.x) - plan.end.yaw), arm: 0))
        toPeer.z = 0
        plan.append(.walk(distance: max(0, toPeer.norm - stop), speed: speed, heading: 0, bob: 0.015, stepRate: 1.8))
      }
    }
    return plan
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
      try fields.section("arc") { f throws(ScenarioError) in try f.arc("arm_m", 0...2, usually: 0.6) },
      try fields.section("walk") { f throws(ScenarioError) in
        guard let distance = try f.number("distance_m", 0...1000) else { throw f.missing("distance_m") }
        return .motion(
          .walk(
            distance: distance, speed: try f.number("speed_m_s", 0.05...5) ?? 0.9,
            heading: -Angle.degrees(try f.number("right_deg", -180...180) ?? 0),
            bob: try f.number("bob_m", 0...0.1) ?? 0.015, stepRate: try f.number("step_rate_hz", 0.5...4) ?? 1.8))
      },
      try fields.section("stairs") { f throws(ScenarioError) in
        let height = try f.number("height_m", -50...50)
        let (rise, tread) = (try f.number("rise_m", 0.05...0.4) ?? 0.17, try f.number("tread_m", 0.1...1) ?? 0.28)
        let rate = try f.number("step_rate_hz", 0.5...4) ?? 1.5
        let heading = -Angle.degrees(try f.number("right_deg", -180...180) ?? 0)
        guard let height else { throw f.missing("height_m") }
        let steps = max(1, (abs(height) / rise).rounded())
        return .motion(.stairs(height: height, steps: steps, tread: tread, stepRate: rate, heading: heading))
      },
      try fields.section("turn") { f throws(ScenarioError) in
        guard let angle = try f.number("right_deg", -720...720) else { throw f.missing("right_deg") }
        return .motion(
          .turn(duration: try f.duration(), angle: -Angle.degrees(angle), arm: try f.number("arm_m", 0...2) ?? 0.4))
      },
      try fields.section("pan") { f throws(ScenarioError) in try f.arc("wrist_m", 0...0.5, usually: 0.1) },
      try fields.section("rotate_phone") { f throws(ScenarioError) in
        let duration = try f.duration()
        guard let holding = try f.choice("holding", Scenario.Holding.self) else { throw f.missing("holding") }
        return .motion(.rotate(duration: duration, roll: holding.roll))
      },
      try fields.section("put_down") { f throws(ScenarioError) in
        .motion(
          .putDown(
            lowering: try f.duration(), down: try f.number("down_m", 0...2) ?? 0.35,
            ahead: try f.number("ahead_m", 0...1) ?? 0.15,
            pitch: Angle.degrees(try f.number("pitch_deg", -90...80) ?? -90),
            rest: try f.number("rest_s", 0...600) ?? 3,
            raising: try f.number("pick_up_s", 0.1...600)))
      },
      try fields.section("approach") { f throws(ScenarioError) in
        guard let peer = try f.text("peer") else { throw f.missing("peer") }
        return .approach(
          peer: peer, stop: try f.number("stop_at_m", 0...100) ?? 1, speed: try f.number("speed_m_s", 0.05...5) ?? 0.9)
      },
    ]
    let found = pieces.compactMap { $0 }
    guard found.count == 1 else {
      throw fields.refuse("motion", "every step is exactly one of \(Self.names)")
    }
    self = found[0]
  }

  private static let names = "hold, sway, arc, pan, walk, stairs, turn, rotate_phone, put_down, approach"

  /// Whether the phone stays put down afterwards.
  var leavesThePhone: Bool { if case .motion(.putDown(_, _, _, _, _, raising: nil)) = self { true } else { false } }
  /// Whether it is a hold.
  package var isHold: Bool { if case .motion(.hold) = self { true } else { false } }
}

extension Fields {
  fileprivate mutating func duration() throws(ScenarioError) -> Double {
    guard let duration = try number("duration_s", 0.1...600) else { throw missing("duration_s") }
    return duration
  }

  /// An arc of the arm or, with a shorter lever arm, a pan of the wrist.
  fileprivate mutating func arc(
    _ lever: String, _ range: ClosedRange<Double>, usually length: Double
  ) throws(ScenarioError) -> Scenario.Step {
    .motion(
      .arc(
        duration: try duration(), arm: try number(lever, range) ?? length,
        horizontal: try swing("horizontal", "deg", 120), vertical: try swing("vertical", "deg", 60)))
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

extension Scenario {
  /// Holding of the phone and involuntary motion of the hand: standard deviations per axis.
  package struct Hand: Equatable, Sendable {
    /// Elevation of the camera at the start, radians.
    package var pitch = Angle.degrees(-5)
    /// Orientation of the phone in the hand at the start.
    package var holding = Holding.portrait
    /// Slow sway below 3 Hz, metres.
    package var swayDeviation = 0.003
    /// Slow sway below 3 Hz, radians.
    package var swayAngleDeviation = Angle.degrees(0.5)
    /// Tremor at 8 to 11 Hz, metres.
    package var tremorDeviation = 0.00002
    /// Tremor at 8 to 11 Hz, radians.
    package var tremorAngleDeviation = Angle.degrees(0.01)

    /// The defaults.
    package init() {}
  }

  /// Orientation of a phone in the hand.
  package enum Holding: String, Equatable, Sendable, CaseIterable {
    /// The top edge is up.
    case portrait
    /// The top edge is on the left, seen from the screen side.
    case landscape

    /// The angle about the device's z axis, which comes out of the screen, radians.
    package var roll: Double { self == .landscape ? .pi / 2 : 0 }
  }
}

extension Scenario.Hand {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var hand = self
    try f.number("pitch_deg", -80...80).map { hand.pitch = Angle.degrees($0) }
    try f.choice("holding", Scenario.Holding.self).map { hand.holding = $0 }
    try f.number("sway_std_m", 0...0.1).map { hand.swayDeviation = $0 }
    try f.number("sway_std_deg", 0...10).map { hand.swayAngleDeviation = Angle.degrees($0) }
    try f.number("tremor_std_m", 0...0.01).map { hand.tremorDeviation = $0 }
    try f.number("tremor_std_deg", 0...2).map { hand.tremorAngleDeviation = Angle.degrees($0) }
    return hand
  }
}

extension Scenario {
  /// Distribution of a peer's path, drawn by the seed: a level walk in straight legs with a rotation, and a rest where
  /// it stops and goes, between two of them.
  package struct Stroll: Equatable, Sendable {
    /// Start time, uniform, seconds.
    package var begin: ClosedRange<Double>
    /// Duration of the legs together, uniform, seconds; all legs have the same duration.
    package var duration: ClosedRange<Double>
    /// Uniform, m/s, the same on all legs.
    package var speed: ClosedRange<Double>
    /// Number of legs. The first heading is uniform; each further one differs by up to 90 degrees from the last.
    package var legCount = 1
    /// Rest before each further leg, uniform, seconds; nil: none.
    package var rest: ClosedRange<Double>?

    /// A draw for a peer that starts at `position`: the first that stays 1 m from the device's start, or the 100th.
    func legs(from position: Vector3, _ random: inout SeededRandom) -> [Leg] {
      var legs: [Leg] = []
      for _ in 0..<100 {
        let (start, length, speed) = (random.uniform(begin), random.uniform(duration), random.uniform(speed))
        let each = length / Double(legCount)
        var heading = random.uniform(-Double.pi...Double.pi)
        var rested = 0.0
        legs = (0..<legCount).map { k in
          if k > 0 {
            heading += random.uniform((-Double.pi / 2)...(Double.pi / 2))
            rested += rest.map { random.uniform($0) } ?? 0
          }
          let from = start + Double(k) * each + rested
          return Leg(time: from...(from + each), displacement: speed * each * Vector3(cos(heading), sin(heading), 0))
        }
        if Self.leastDistance(of: legs, from: position) > 1 { break }
      }
      return legs
    }

    /// The least distance of the legs from the start of the device, metres.
    private static func leastDistance(of legs: [Leg], from position: Vector3) -> Double {
      var (here, least) = (position, position.norm)
      for leg in legs {
        let fraction = min(max(-here.dot(leg.displacement) / max(leg.displacement.squaredNorm, 1e-12), 0), 1)
        least = min(least, (here + fraction * leg.displacement).norm)
        here += leg.displacement
      }
      return least
    }
  }
}

extension Scenario.Stroll {
  init(_ f: inout Fields) throws(ScenarioError) {
    guard let begin = try f.interval("begin_s", 0...3600) else { throw f.missing("begin_s") }
    guard let duration = try f.interval("duration_s", 0.1...3600) else { throw f.missing("duration_s") }
    guard let speed = try f.interval("speed_m_s", 0...20) else { throw f.missing("speed_m_s") }
    self.init(begin: begin, duration: duration, speed: speed)
    try f.integer("ways", 1...100).map { legCount = $0 }
    rest = try f.interval("rest_s", 0...3600)
  }
}

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
