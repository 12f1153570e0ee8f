import Foundation

extension Scenario {
  /// The scenarios of the program, in the order in which they are listed.
  ///
  /// Their YAML files are compiled in, so that the program runs from anywhere.
  package static let builtIn: [Scenario] = files.map { name, bytes in
    do {
      return try Scenario(yaml: String(decoding: bytes, as: UTF8.self), file: "\(name).yaml")
    } catch {
      // A compiled-in scenario that cannot be read is a programming error, covered by a test.
      preconditionFailure("\(error)")
    }
  }

  /// The built-in scenario of that name, or the one in the YAML file at that path.
  ///
  /// - Throws: `ScenarioError` when there is neither, and when the file cannot be used.
  package static func named(_ name: String) throws(ScenarioError) -> Scenario {
    let current = formerNames[name] ?? name
    if let scenario = builtIn.first(where: { $0.name == current }) { return scenario }
    guard FileManager.default.fileExists(atPath: name) else {
      let names = builtIn.map(\.name).joined(separator: " ")
      throw ScenarioError(
        file: name, line: nil, problem: "no such scenario and no such file, expected a YAML file or one of: \(names)")
    }
    return try Scenario(contentsOf: URL(fileURLWithPath: name))
  }

  /// Names before 0.2, accepted for one release, with their new names.
  package static let formerNames = [
    "mc-carried": "mc-moving-unfound", "mc-carried-walk": "mc-moving-unfound-walk", "mc-burst": "mc-nlos-burst",
  ]

  private static let files: [(String, [UInt8])] = [
    ("still", PackageResources.still_yaml), ("straight", PackageResources.straight_yaml),
    ("arc", PackageResources.arc_yaml), ("arc-above", PackageResources.arc_above_yaml),
    ("search", PackageResources.search_yaml), ("two-peers", PackageResources.two_peers_yaml),
    ("dark", PackageResources.dark_yaml), ("nlos", PackageResources.nlos_yaml),
    ("approach", PackageResources.approach_yaml), ("walk-l", PackageResources.walk_l_yaml),
    ("tremor", PackageResources.tremor_yaml), ("demo", PackageResources.demo_yaml),
    ("moving", PackageResources.moving_yaml), ("stairs", PackageResources.stairs_yaml),
    ("search-walk", PackageResources.search_walk_yaml), ("put-down", PackageResources.put_down_yaml),
    ("body", PackageResources.body_yaml), ("wall", PackageResources.wall_yaml),
    ("landscape", PackageResources.landscape_yaml), ("aoa", PackageResources.aoa_yaml),
    ("arc-aoa", PackageResources.arc_aoa_yaml),
    ("eight-peers", PackageResources.eight_peers_yaml), ("stereo", PackageResources.stereo_yaml),
    ("lost-frames", PackageResources.lost_frames_yaml), ("suspended", PackageResources.suspended_yaml),
    ("stand", PackageResources.stand_yaml), ("crossing", PackageResources.crossing_yaml),
    ("indoors", PackageResources.indoors_yaml), ("shadow", PackageResources.shadow_yaml),
    ("robot", PackageResources.robot_yaml), ("smoothed", PackageResources.smoothed_yaml),
    ("mc-sway", PackageResources.mc_sway_yaml), ("mc-arc", PackageResources.mc_arc_yaml),
    ("mc-arc-vertical", PackageResources.mc_arc_vertical_yaml), ("mc-walk", PackageResources.mc_walk_yaml),
    ("mc-walk-l", PackageResources.mc_walk_l_yaml), ("mc-aoa", PackageResources.mc_aoa_yaml),
    ("mc-aoa-mirrored", PackageResources.mc_aoa_mirrored_yaml), ("mc-aoa-turned", PackageResources.mc_aoa_turned_yaml),
    ("mc-aoa-offset", PackageResources.mc_aoa_offset_yaml),
    ("mc-moving", PackageResources.mc_moving_yaml), ("mc-moving-unfound", PackageResources.mc_moving_unfound_yaml),
    ("mc-moving-unfound-walk", PackageResources.mc_moving_unfound_walk_yaml),
    ("mc-nlos", PackageResources.mc_nlos_yaml),
    ("mc-nlos-burst", PackageResources.mc_nlos_burst_yaml), ("mc-user", PackageResources.mc_user_yaml),
    ("long-walk", PackageResources.long_walk_yaml),
    ("rough-imu", PackageResources.rough_imu_yaml), ("miscalibrated", PackageResources.miscalibrated_yaml),
    ("track-sweep", PackageResources.track_sweep_yaml),
    ("track-walk", PackageResources.track_walk_yaml), ("track-turn", PackageResources.track_turn_yaml),
  ]
}
