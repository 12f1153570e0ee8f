import Geometry

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
