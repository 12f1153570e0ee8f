import Foundation
import Simulation

/// The scenario file of a random world: rates and noises of every sensor within the range of products, wrong stated range
/// noise, NLOS, outliers, intervals without ranges, darkness, outlier tracks, one to three peers, gestures and walks. The
/// same seed is the same world in every kind but for what the kind adds.
package struct WorldScenario {
  private let kind: WorldKind
  private let seed: UInt64
  private let draw: PythonRandom
  /// Additions of a kind have their own draws, so that the rest of the world is the same.
  private let added: PythonRandom
  /// Whether the device is a robot that stops and goes.
  private let isRobot: Bool

  /// A scenario file.
  ///
  /// - Parameter wall: metres to each wall of the room.
  package static func text(_ kind: WorldKind, seed: UInt64, wall: Int) -> String {
    WorldScenario(kind, seed).lines(wall: wall).joined(separator: "\n") + "\n"
  }

  /// The world in the smallest room without motion through a wall, of sizes that differ from world to world; nil without.
  ///
  /// - Throws: `ScenarioError`.
  package static func inARoom(_ kind: WorldKind, seed: UInt64) throws -> (text: String, simulator: Simulator)? {
    for wall in [3 + Int(seed % 4), 8, 11, 15, 22, 40] {
      let text = text(kind, seed: seed, wall: wall)
      let scenario = try Scenario(yaml: text, file: "world-\(seed)")
      do {
        return (text, try Simulator(scenario: scenario, seed: seed))
      } catch { if !error.isThroughWall { throw error } }
    }
    return nil
  }

  private init(_ kind: WorldKind, _ seed: UInt64) {
    (self.kind, self.seed, draw) = (kind, seed, PythonRandom(seed))
    added = PythonRandom("\(seed) \(kind.partner)")
    isRobot = kind == .stops && added.random() < 0.5
  }

  private func lines(wall: Int) -> [String] {
    let sides = ["ahead", "left", "right", "behind"].map { "\($0)_m: \(wall), " }.joined()
    return [
      ["name: world-\(seed)", "description: everything drawn", "imu:"], imu(), tracker(), ["uwb:"], radio(), ["hand:"],
      hand(), ["room: {\(sides)ceiling_m: 2.7, floor_m: 1.4}"], peers(), ["motion:"], motion().map { "  - \($0)" },
    ].flatMap(\.self)
  }

  private func imu() -> [String] {
    let noise = draw.logUniform(0.3, 3)
    let isPhone = kind == .phones
    let accelerometer = isPhone ? added.uniform(0.002, 0.005) : 2e-3 * noise
    let rate = draw.choice([100, 200, 200, 400])
    let gyroscopeBias = draw.logUniform(0.001, 0.02)
    let walk = 5e-4 * draw.logUniform(0.1, 1)
    let plainBias = draw.logUniform(0.02, 0.2)
    let bias = isPhone ? added.uniform(0.6, 0.8) : plainBias
    return [
      "  rate_hz: \(rate)",
      "  gyroscope_noise_density: \(Digits.significant(2e-4 * noise, 3))",
      "  gyroscope_random_walk: \(Digits.significant(2e-5 * noise, 3))",
      "  gyroscope_bias_rad_s: \(Digits.significant(gyroscopeBias, 3))",
      "  accelerometer_noise_density: \(Digits.significant(accelerometer, 3))",
      "  accelerometer_random_walk: \(Digits.significant(walk, 3))",
      "  accelerometer_bias_m_s2: \(Digits.significant(bias, 3))",
    ]
  }

  /// The camera, or external odometry in its place.
  private func tracker() -> [String] {
    var lines = [
      "camera:",
      "  rate_hz: \(draw.choice([10, 15, 20, 30, 30, 60]))",
      "  tracks: \(draw.choice([25, 40, 80, 120]))",
      "  pixel_noise_std_px: \(draw.uniform(0.5, 1.5, decimals: 2))",
      "  track_life_s: \(draw.logUniform(1, 10, decimals: 2))",
      "  outlier_share: \(draw.choice(["0", "0.01", "0.05"]))",
    ]
    if draw.random() < 0.2 {
      let begin = draw.uniform(3, 12)
      let end = begin + draw.logUniform(0.5, 8)
      lines.append("  dark: [{from_s: \(Digits.fixed(begin, 1)), to_s: \(Digits.fixed(end, 1))}]")
    }
    let isStated = kind.partner == .odometries
    guard isStated || isRobot else { return lines }
    let claimed = isStated ? added.logUniform(0.25, 4) : 1
    return [
      "camera: none", "odometry:", "  rate_hz: \(added.choice([10, 30, 60, 100]))",
      "  position_random_walk_m_sqrt_m: \(added.logUniform(0.005, 0.06, decimals: 4))",
      "  yaw_random_walk_rad_sqrt_s: \(added.logUniform(0.0005, 0.01, decimals: 5))",
    ] + (isStated ? ["  claimed_noise_factor: \(Digits.fixed(claimed, 3))"] : [])
  }

  private func radio() -> [String] {
    var uwb: WorldAdditions.Members = [
      ("rate_hz", draw.logUniform(3, 50, decimals: 2)),
      ("range_noise_std_m", draw.logUniform(0.02, 0.2, decimals: 3)),
      ("drift_std_m", draw.logUniform(0.02, 0.2, decimals: 3)),
      ("drift_time_s", draw.logUniform(0.5, 15, decimals: 2)),
      ("nlos_share", draw.choice(["0", "0", "0.05", "0.1", "0.3"])),
      ("nlos_dwell_s", draw.logUniform(0.2, 4, decimals: 2)),
      ("nlos_excess_m", draw.logUniform(0.2, 2, decimals: 2)),
      ("dropout_share", draw.choice(["0", "0.02", "0.3"])),
      ("outlier_share", draw.choice(["0", "0.005", "0.03"])),
      ("silent_share", draw.choice(["0", "0", "0", "0", "0.2"])),
    ]
    switch kind.partner {
    case .antennas: uwb.set(WorldAdditions.antennas(added))
    case .rests: uwb = [uwb[0]] + WorldAdditions.quietRadio(added)
    case .poses: uwb.set(WorldAdditions.poseErrors(added, kind))
    case .bodies: uwb.set(WorldAdditions.bodyShadow(added))
    case .smoothed:
      uwb.set([
        ("range_filter", WorldAdditions.rangeFilter(added)), ("range_filter_stated", "\(kind == .filters)"),
      ])
    default: break
    }
    if draw.random() < 0.5 { uwb.set([("claimed_range_std_m", draw.logUniform(0.02, 0.3, decimals: 3))]) }
    return uwb.map { "  \($0.key): \($0.value)" }
  }

  private func hand() -> [String] {
    let hand = [
      "  pitch_deg: \(draw.uniform(-60, 20, decimals: 0))",
      "  sway_std_m: \(draw.logUniform(0.001, 0.01, decimals: 4))",
      "  sway_std_deg: \(draw.logUniform(0.2, 3, decimals: 2))",
      "  holding: \(draw.choice(["portrait", "landscape"]))",
    ]
    return isRobot ? ["  pitch_deg: 0", "  sway_std_m: 0.0005", "  sway_std_deg: 0.1", "  holding: landscape"] : hand
  }

  /// The peers, before them the wall between.
  private func peers() -> [String] {
    var (walls, peers) = ([String](), ["peers:"])
    let bias = kind == .biases ? added.logUniform(0.5, 150, decimals: 2) : "0"
    func ring(_ near: Double) -> String { "distance_m: [\(Digits.fixed(near, 2)), \(Digits.fixed(1.2 * near, 2))]" }
    for number in 0..<draw.choice([1, 1, 1, 2, 3]) {
      let near = draw.logUniform(1.2, 12)
      var place = "\(ring(near)), elevation_std_deg: \(draw.choice([5, 15, 25]))"
      if kind == .storeys { place = WorldAdditions.onAStorey(added) }
      if kind == .walls, number == 0 {
        let azimuth = added.uniform(-.pi, .pi)
        let (ahead, right) = (1.1 * near * cos(azimuth), 1.1 * near * sin(azimuth))
        let up = added.uniform(-0.5, 0.5)
        place = WorldAdditions.place(ahead, right, up)
        walls.append(WorldAdditions.wall(added, beforeAhead: ahead, right: right))
      }
      let scale = draw.gaussian(0, 0.4)
      let stroll = WorldAdditions.stroll(added, kind, peer: number)
      peers.append(
        "  - {id: tag\(number), \(place), range_bias_m: \(bias), range_bias_std_m: 0.12, "
          + "range_scale_percent: \(Digits.fixed(scale, 2))\(stroll)\(kind == .persons ? ", mobility: person" : "")}")
    }
    if kind == .twins {
      let near = added.logUniform(1.2, 12)
      peers.append(
        "  - {id: twin, \(ring(near)), elevation_std_deg: 15, range_bias_std_m: 0.12, reports_as: tag0}")
    }
    return walls + peers
  }

  private func motion() -> [String] {
    var motion = WorldMotion.gestures(draw, lasting: kind.duration)
    if isRobot { motion = WorldMotion.robot(added, lasting: 30) }
    if kind == .rests { motion.insert("hold: {duration_s: \(added.uniform(2, 20, decimals: 2))}", at: 0) }
    return motion
  }
}

extension WorldAdditions.Members {
  /// Sets members; one that is set again keeps its place.
  fileprivate mutating func set(_ others: Self) {
    for other in others {
      if let index = firstIndex(where: { $0.key == other.key }) { self[index] = other } else { append(other) }
    }
  }
}
