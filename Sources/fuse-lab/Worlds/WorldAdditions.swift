import Foundation

/// What kinds of worlds add to the plain one, as members and texts of a scenario file.
enum WorldAdditions {
  typealias Members = [(key: String, value: String)]

  /// Several antennas: places, and errors of their own.
  static func antennas(_ draw: PythonRandom) -> Members {
    let reach = draw.logUniform(0.03, 0.3)
    let count = draw.choice([2, 3])
    let positions = (0..<count).map { _ in (0..<3).map { _ in Digits.rounded(draw.uniform(-reach, reach), 3) } }
    return [
      ("antennas_m", "{" + zip("abc", positions).map { "\($0): \($1)" }.joined(separator: ", ") + "}"),
      ("drift_common_share", draw.uniform(0.1, 0.9, decimals: 2)),
      ("antenna_bias_std_m", draw.logUniform(0.01, 0.1, decimals: 3)),
    ]
  }

  /// A radio of little noise whose errors change with the place, but for its rate.
  static func quietRadio(_ draw: PythonRandom) -> Members {
    [
      ("range_noise_std_m", draw.logUniform(0.005, 0.03, decimals: 4)), ("drift_std_m", "0"),
      ("multipath_std_m", draw.uniform(0.1, 0.3, decimals: 3)),
      ("multipath_length_m", draw.logUniform(0.1, 1, decimals: 3)), ("nlos_share", "0"),
    ]
  }

  /// Errors of the size of real radios (three public sets), bound to the pose, or of the same size in time.
  ///
  /// Two ranges correlate by 1/e over 0.2 to 0.6 m and 20 to 45 degrees; the scenario's keys are the distances of
  /// e^(-1/2).
  static func poseErrors(_ draw: PythonRandom, _ kind: WorldKind) -> Members {
    let noise = draw.uniform(0.03, 0.07, decimals: 3)
    let (field, pattern) = (draw.uniform(0.04, 0.1), draw.logUniform(0.01, 0.09))
    let (length, angle) = (draw.logUniform(0.2, 0.6) / 2.squareRoot(), draw.logUniform(20, 45) / 2.squareRoot())
    let own = [("range_noise_std_m", noise), ("nlos_dwell_s", draw.uniform(0.1, 0.7, decimals: 2))]
    if kind == .times { return own + [("drift_std_m", Digits.fixed(hypot(field, pattern), 3))] }
    let (hasField, hasPattern) = (kind != .patterns && kind != .whites, kind != .fields && kind != .whites)
    return own + [
      ("drift_std_m", "0"), ("multipath_std_m", Digits.fixed(hasField ? field : 0, 3)),
      ("multipath_length_m", Digits.fixed(length, 3)), ("multipath_angle_deg", Digits.fixed(angle, 1)),
      ("antenna_pattern_std_m", Digits.fixed(hasPattern ? pattern : 0, 3)),
    ]
  }

  /// The person behind the device.
  static func bodyShadow(_ draw: PythonRandom) -> Members {
    [
      ("body_shadow_m", draw.uniform(0.2, 0.8, decimals: 2)),
      ("body_shadow_from_deg", draw.uniform(90, 110, decimals: 0)),
      ("body_shadow_edge_deg", draw.uniform(10, 20, decimals: 0)),
    ]
  }

  /// What the radio does to its ranges.
  static func rangeFilter(_ draw: PythonRandom) -> String {
    draw.choice([
      "{mean_of: \(draw.integer(3...20))}", "{exponential: \(draw.logUniform(0.1, 0.5, decimals: 3))}",
      "{lag: \(draw.uniform(0.1, 0.5, decimals: 2))}",
    ])
  }

  /// A place with a height above the device, held 1.4 m above its floor; drawn otherwise than the finder's prior.
  static func onAStorey(_ draw: PythonRandom) -> String {
    let (distance, azimuth) = (draw.logUniform(1.5, 17), draw.uniform(-.pi, .pi))
    let whereabouts = draw.random()
    let storey = draw.uniform(2.6, 4)
    let inside = draw.uniform(-1.4, 1.3)
    var up = inside + storey * (whereabouts < 0.6 ? 0 : draw.choice([-2, -1, -1, 1, 1, 2]))
    if whereabouts > 0.9 { up = draw.uniform(-distance, distance) }
    up = max(min(up, 0.95 * distance), -0.95 * distance)
    let level = (distance * distance - up * up).squareRoot()
    return place(level * cos(azimuth), level * sin(azimuth), up)
  }

  /// A place relative to the device's start, metres.
  static func place(_ ahead: Double, _ right: Double, _ up: Double) -> String {
    "ahead_m: \(Digits.fixed(ahead, 2)), right_m: \(Digits.fixed(right, 2)), up_m: \(Digits.fixed(up, 2))"
  }

  /// A wall 0.4 to 1.5 m before a peer at this place, across the line from the start or oblique to it, open beyond its
  /// ends.
  static func wall(_ draw: PythonRandom, beforeAhead ahead: Double, right: Double) -> String {
    let distance = hypot(ahead, right)
    let across = atan2(right, ahead) + .pi / 2 + draw.uniform(-0.5, 0.5)
    let share = 1 - min(draw.uniform(0.4, 1.5), 0.6 * distance) / distance
    let sides = [-draw.logUniform(0.2, 3), draw.logUniform(0.2, 3)]
    let ends = sides.map { side in
      [share * ahead + side * cos(across), share * right + side * sin(across)].map { Digits.rounded($0, 2) }
    }
    return "walls: [{from_m: \(ends[0]), to_m: \(ends[1]), excess_m: \(draw.uniform(0.2, 1, decimals: 2)), "
      + "opaque: false, landmarks: 0}]"
  }

  /// How a peer moves; nothing where it does not.
  static func stroll(_ draw: PythonRandom, _ kind: WorldKind, peer number: Int) -> String {
    switch kind {
    case .strolls where number == 0:
      return ", stroll: {begin_s: [8, 20], duration_s: [2, 8], speed_m_s: [0.3, 1.6], ways: \(draw.choice([1, 2, 3]))}"
    case .walkers, .persons:
      let speed = draw.logUniform(0.1, 1, decimals: 2)
      return ", stroll: {begin_s: [0, 0], duration_s: [60, 60], speed_m_s: [\(speed), \(speed)], "
        + "ways: \(draw.choice([2, 4, 8, 16]))}"
    case .stops:
      let begin = Digits.fixed(draw.choice([0, draw.uniform(1, 12)]), 1)
      let ways = draw.choice([4, 6, 8])
      let lasts = Digits.fixed(Double(ways) * draw.uniform(2, 6), 1)
      return ", stroll: {begin_s: [\(begin), \(begin)], duration_s: [\(lasts), \(lasts)], speed_m_s: [0.2, 1.2], "
        + "ways: \(ways), rest_s: [2, 10]}"
    default: return ""
    }
  }
}

/// Motions of worlds, as pieces of a scenario file.
enum WorldMotion {
  /// Gestures and walks that last so many seconds, or a little longer.
  static func gestures(_ draw: PythonRandom, lasting duration: Double) -> [String] {
    var pieces: [String] = [], seconds = 0.0
    func swing(_ name: String, _ unit: String, _ low: Double, _ high: Double, _ decimals: Int = 0) -> String {
      let period = draw.uniform(1.5, 5, decimals: 2)
      return "\(name)_\(unit): \(draw.uniform(low, high, decimals: decimals)), \(name)_period_s: \(period)"
    }
    if draw.random() < 0.7 { pieces.append(piece("hold", lasting: draw.uniform(0.6, 2.5))) }
    while seconds < duration {
      let kind = draw.choice(["arc", "arc", "sweep", "pan", "sway", "walk", "walk", "turn", "hold"])
      var length = draw.uniform(2, 7)
      switch kind {
      case "arc", "sweep":
        var members = ["arm_m: \(draw.uniform(0.3, 0.7, decimals: 2))", swing("horizontal", "deg", 15, 60)]
        if kind == "sweep" { members.append(swing("vertical", "deg", 10, 40)) }
        pieces.append(piece("arc", lasting: length, members))
      case "pan": pieces.append(piece(kind, lasting: length, ["wrist_m: 0.1", swing("horizontal", "deg", 15, 60)]))
      case "sway":
        let lateral = swing("lateral", "m", 0.05, 0.4, 2)
        pieces.append(piece(kind, lasting: length, [lateral, "ahead_m: \(draw.uniform(0, 0.3, decimals: 2))"]))
      case "walk":
        let speed = draw.uniform(0.4, 1.4)
        let right = Digits.fixed(draw.choice([0, 0, 0, draw.uniform(-90, 90)]), 0)
        pieces.append(walk(speed, length, "bob_m: \(draw.uniform(0.005, 0.035, decimals: 3)), right_deg: \(right)"))
      case "turn":
        length = draw.uniform(1, 3)
        pieces.append(piece(kind, lasting: length, ["right_deg: \(draw.uniform(-160, 160, decimals: 0))"]))
      default:
        length = draw.uniform(0.3, 3)
        pieces.append(piece(kind, lasting: length))
      }
      seconds += length
    }
    return pieces
  }

  /// Turns and walks of a robot that stops and goes.
  static func robot(_ draw: PythonRandom, lasting duration: Double) -> [String] {
    var pieces: [String] = [], seconds = 0.0
    while seconds < duration {
      if draw.random() < 0.5 {
        let length = draw.uniform(1, 3)
        let right = "right_deg: \(draw.uniform(-120, 120, decimals: 0))"
        pieces.append(piece("turn", lasting: length, [right, "arm_m: \(draw.uniform(0, 0.3, decimals: 2))"]))
        seconds += length
      }
      let (speed, length, rest) = (draw.uniform(0.2, 1), draw.uniform(2, 6), draw.uniform(2, 10))
      pieces += [walk(speed, length, "bob_m: 0"), piece("hold", lasting: rest)]
      seconds += length + rest
    }
    return pieces
  }

  private static func piece(_ name: String, lasting seconds: Double, _ members: [String] = []) -> String {
    "\(name): {\((["duration_s: \(Digits.fixed(seconds, 2))"] + members).joined(separator: ", "))}"
  }

  /// A walk at a speed for so many seconds.
  private static func walk(_ speed: Double, _ seconds: Double, _ members: String) -> String {
    "walk: {distance_m: \(Digits.fixed(speed * seconds, 2)), speed_m_s: \(Digits.fixed(speed, 2)), \(members)}"
  }
}

extension PythonRandom {
  /// A uniform draw as text.
  func uniform(_ low: Double, _ high: Double, decimals: Int) -> String { Digits.fixed(uniform(low, high), decimals) }

  /// The same, uniform in the logarithm.
  func logUniform(_ low: Double, _ high: Double, decimals: Int) -> String {
    Digits.fixed(logUniform(low, high), decimals)
  }
}
