import Foundation
import Simulation
import TestSupport
import Testing

@Suite struct ScenarioTests {
  static let builtIn = Scenario.builtIn.map(\.name)

  @Test func builtInScenariosAreListedInOrder() {
    #expect(
      Self.builtIn == [
        "still", "straight", "arc", "arc-above", "search", "two-peers", "dark", "nlos", "approach", "walk-l", "tremor",
        "demo", "moving", "stairs", "search-walk", "put-down", "body", "wall", "landscape", "aoa", "arc-aoa",
        "eight-peers", "stereo",
        "lost-frames", "suspended", "stand", "crossing", "indoors", "shadow", "robot", "smoothed", "mc-sway", "mc-arc",
        "mc-arc-vertical", "mc-arc-slow", "mc-walk", "mc-walk-l",
        "mc-aoa", "mc-aoa-mirrored", "mc-aoa-turned", "mc-aoa-offset", "mc-moving", "mc-moving-unfound",
        "mc-moving-unfound-walk",
        "mc-nlos", "mc-nlos-burst", "mc-user", "long-walk",
        "rough-imu",
        "miscalibrated", "track-sweep", "track-walk",
        "track-turn",
      ])
    #expect(Scenario.builtIn.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("\n") })
  }

  /// `datasets/scenarios` contains the compiled-in files, each named like its scenario.
  @Test func theFolderContainsTheBuiltInScenarios() throws {
    let folder = Repository.root.appendingPathComponent("datasets/scenarios")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == Self.builtIn.map { "\($0).yaml" }.sorted())
    for name in Self.builtIn {
      #expect(try Scenario(contentsOf: folder.appendingPathComponent("\(name).yaml")) == Scenario.named(name))
    }
  }

  @Test func stationaryScenariosMoveOnlyByTremor() throws {
    for (name, reach) in [("still", 0.02), ("tremor", 0.05)] {
      let scenario = try Scenario.named(name)
      let positions = try Simulator(scenario: scenario, seed: 3).truth().map(\.worldFromBody.translation)
      let mean = positions.reduce(.zero, +) / Double(positions.count)
      let variance = positions.map { ($0 - mean).squaredNorm }.reduce(0, +) / Double(positions.count) / 3
      let hand = scenario.hand
      let expected = hand.swayDeviation * hand.swayDeviation + hand.tremorDeviation * hand.tremorDeviation
      // 20 s of a sway that is mostly slower than 1 Hz: the sample variance has a large error.
      #expect(variance > 0.4 * expected && variance < 1.6 * expected, "\(name): \(variance) against \(expected)")
      #expect(positions.allSatisfy { $0.norm < reach })
    }
  }

  @Test func faultsNameFileLineAndExpectation() throws {
    let good = "name: x\ndescription: y\nmotion:\n  - hold: {duration_s: 2}\n"
    #expect(try Scenario(yaml: good, file: "x.yaml").peers.isEmpty)
    let cases: [(String, Int?, String)] = [
      (good + "uwb: {rate: 3}\n", 5, "unknown key 'rate'"),
      (good + "camera:\n  tracks: 60\n  luma: 3\n", 7, "unknown key 'luma'"),
      (good + "uwb: {\"a\\nb\": 3}\n", 5, "unknown key 'a b'"),
      (good + "imu: {rate_hz: nan}\n", 5, "expected a number from 20.0"),
      (good + "imu: {rate_hz: fast}\n", 5, "'fast'"),
      (good + "imu: 3\n", 5, "expected `key: value`"),
      (good + "peers:\n  - {id: a}\n", 6, "'ahead_m' is missing"),
      (good + "peers:\n  - {id: 'a,b', ahead_m: 1}\n", 6, "comma"),
      (good + "peers: [{id: a, ahead_m: 1}, {id: a, ahead_m: 2}]\n", 5, "two peers"),
      (good + "camera: {lens: {model: fisheye}}\n", 5, "'fisheye' is not one of"),
      (good + "camera: {lens: {model: fov, coefficients: [1, 2]}}\n", 5, "a list of 1 numbers"),
      (good + "camera: {dark: [{from_s: 3, to_s: 1}]}\n", 5, "ends before it begins"),
      (good + "camera: {dark: [{from_s: 3}]}\n", 5, "'to_s' is missing"),
      (good + "hand: {holding: askew}\n", 5, "holding is 'askew', expected one of portrait, landscape"),
      (good + "room: {blank: [left, right, up]}\n", 5, "blank is 'up', expected one of ahead, behind"),
      (good + "room: {blank: left}\n", 5, "a list of words"),
      (good + "body: {radius_m: 0.5, behind_m: 0.4}\n", 5, "inside the body"),
      (good + "walls: [{from_m: [1, 2], to_m: [1, 2]}]\n", 5, "no length"),
      (good + "walls: [{from_m: [1, 2], to_m: [1, 3], bottom_m: 2, top_m: 1}]\n", 5, "no height"),
      (good + "uwb: {angle_reach_deg: 40}\n", 5, "'angle_noise_std_deg' is missing"),
      (good + "uwb: {body_shadow_edge_deg: 20}\n", 5, "'body_shadow_m' is missing"),
      (good + "uwb: {range_filter_stated: true}\n", 5, "'range_filter' is missing"),
      (good + "uwb: {range_filter: {}}\n", 5, "'mean_of, exponential or lag' is missing"),
      (good + "uwb: {range_filter: {mean_of: 3, lag: 0.2}}\n", 5, "'mean_of, exponential or lag' is missing"),
      (good + "uwb: {range_filter: {mean_of: 0}}\n", 5, "a whole number from 1 to 1000"),
      (good + "peers: [{id: a, ahead_m: 1, reports_as: b}]\n", 5, "expected another peer that reports as itself"),
      (good + "peers: [{id: a, ahead_m: 1, reports_as: a}]\n", 5, "expected another peer that reports as itself"),
      (good + "uwb: {angle_mirrored: true}\n", 5, "'angle_noise_std_deg' is missing"),
      (good + "uwb: {power_noise_std_db: 1}\n", 5, "'power_at_1m_dbm' is missing"),
      (good + "uwb: {angle_noise_std_deg: 3, angle_array_planar: perhaps}\n", 5, "must be true or false"),
      (good + "peers: [{id: a, ahead_m: 1, distance_m: [1, 2]}]\n", 5, "either drawn by distance or placed"),
      (good + "peers: [{id: a, distance_m: [3, 2]}]\n", 5, "the least comes before the largest"),
      (good + "peers: [{id: a, ahead_m: 1, azimuth_deg: [3, 20]}]\n", 5, "goes with distance_m only"),
      (
        good + "peers: [{id: a, ahead_m: 1, path: [{from_s: 1, to_s: 3}, {from_s: 2, to_s: 4}]}]\n", 5,
        "before the last one ends"
      ),
      (good + "peers: [{id: a, ahead_m: 1, path: [{from_s: 1, to_s: 1}]}]\n", 5, "takes time"),
      (good + "events: [{at_s: 1, event: peerEnded, peer: nobody}]\n", 5, "'nobody' is not among the peers"),
      (good + "events: [{at_s: 2, event: a}, {at_s: 1, event: b}]\n", 5, "before the one above it"),
      (good + "events: [{at_s: 1, event: peerEnded}]\n", 5, "'peer' is missing"),
      (good + "events: [{at_s: 1, event: resume, keeps_sensors: true}]\n", 5, "goes with suspend only"),
      (good + "  - put_down: {duration_s: 1}\n  - walk: {distance_m: 1}\n", 4, "the phone lies on the table"),
      (
        "name: x\ndescription: y\nmotion:\n  - {hold: {duration_s: 2}, turn: {duration_s: 1, right_deg: 3}}\n", 4,
        "exactly one of"
      ),
      ("name: x\ndescription: y\nmotion:\n  - approach: {peer: nobody}\n", 4, "'nobody'"),
      ("name: x\ndescription: y\n", 1, "'motion' is missing"),
      ("name: [", 2, "no YAML"), ("name: x\nname: y\n", 1, "a key twice (name)"),
      ("name: \0\n", 1, "no YAML"), ("", nil, "empty"), ("- 1\n", 1, "expected `key: value`"),
    ]
    for (yaml, line, words) in cases {
      let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: yaml, file: "x.yaml") }
      #expect(error?.description.contains(words) == true, "\(yaml): \(error?.description ?? "-")")
      #expect(error?.line == line, "\(yaml): \(error?.description ?? "-")")
      #expect(error?.description.hasPrefix("x.yaml") == true)
    }
    #expect(throws: ScenarioError.self) { try Scenario.named("no-such-scenario") }
  }

  /// Every key of the reader is documented in datasets/README.md: the error for an unknown key lists the keys.
  @Test func everyKeyIsDocumented() throws {
    let readme = try String(contentsOf: Repository.root.appendingPathComponent("datasets/README.md"), encoding: .utf8)
    let good = "name: x\ndescription: y\nmotion:\n  - hold: {duration_s: 2}\n"
    let templates =
      [
        good + "zzz: 1\n", good + "peers: [{id: a, ahead_m: 1, zzz: 1}]\n",
        good + "camera: {dark: [{from_s: 1, to_s: 2, zzz: 1}]}\n",
        good + "camera: {lens: {model: none, zzz: 1}}\n", good + "camera: {second: {zzz: 1}}\n",
        good + "imu: {gaps: [{from_s: 1, to_s: 2, zzz: 1}]}\n",
        good + "peers: [{id: a, ahead_m: 1, path: [{from_s: 1, to_s: 2, zzz: 1}]}]\n",
        good
          + "peers: [{id: a, ahead_m: 1, stroll: {begin_s: [1, 1], duration_s: [1, 1], speed_m_s: [1, 1], zzz: 1}}]\n",
        good + "uwb: {range_filter: {lag: 1, zzz: 1}}\n",
        good + "walls: [{from_m: [1, 2], to_m: [1, 3], zzz: 1}]\n", good + "events: [{at_s: 1, event: x, zzz: 1}]\n",
      ]
      + ["hand", "room", "body", "imu", "camera", "uwb", "odometry", "truth"].map { good + "\($0): {zzz: 1}\n" }
      + [
        "hold: {duration_s: 1, zzz: 1}", "sway: {duration_s: 1, zzz: 1}", "arc: {duration_s: 1, zzz: 1}",
        "walk: {distance_m: 1, zzz: 1}", "turn: {duration_s: 1, right_deg: 1, zzz: 1}", "approach: {peer: a, zzz: 1}",
        "pan: {duration_s: 1, zzz: 1}", "stairs: {height_m: 1, zzz: 1}", "put_down: {duration_s: 1, zzz: 1}",
        "rotate_phone: {duration_s: 1, holding: portrait, zzz: 1}",
      ].map { "name: x\ndescription: y\nmotion:\n  - \($0)\n" }
    for yaml in templates {
      let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: yaml, file: "x.yaml") }
      let list = try #require(error?.problem.components(separatedBy: "expected one of: ").dropFirst().first)
      for key in list.components(separatedBy: ", ") { #expect(readme.contains("`\(key)`"), "\(key)") }
      #expect(error?.problem.contains("'zzz'") == true && !list.hasSuffix("..."))
    }
  }

  @Test func onlySmallTextFilesAreRead() throws {
    for path in ["/dev/zero", "/", Repository.root.appendingPathComponent("datasets/demo/mav0/imu0/data.csv").path] {
      #expect(throws: ScenarioError.self) { try Scenario.named(path) }
    }
    #expect(throws: ScenarioError.self) {
      try Scenario(yaml: "name: " + String(repeating: "[", count: 200_000), file: "deep.yaml")
    }
  }

  /// A damaged scenario is read or refused with a one-line error.
  @Test func damagedTextsNeverCrash() throws {
    var random = SeededRandom(seed: 12)
    let texts = try Self.builtIn.map {
      try Array(Data(contentsOf: Repository.root.appendingPathComponent("datasets/scenarios/\($0).yaml")))
    }
    var refused = 0
    for k in 0..<3000 {
      var text = texts[k % texts.count]
      for _ in 0...Int(random.next() % 4) {
        let position = Int(random.next() % UInt64(text.count))
        switch random.next() % 3 {
        case 0: text[position] = UInt8(32 + random.next() % 95)
        case 1: text.remove(at: position)
        default: text.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
        }
      }
      do {
        let scenario = try Scenario(yaml: String(decoding: text, as: UTF8.self), file: "damaged.yaml")
        _ = try Simulator(scenario: scenario, seed: 1)
      } catch {
        refused += 1
        #expect(!error.description.contains("\n"), "\(error)")
      }
    }
    #expect(refused > 1000)
  }
}
