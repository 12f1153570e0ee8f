import Datasets
import Foundation
import Geometry
import Yams

/// A simulated scene of a phone and its peers: their positions, the motion of the hand, the errors of the sensors.
///
/// Read from a YAML file that a user can copy and edit; see `datasets/scenarios`. Here lengths are metres, times
/// seconds, angles radians; in the file every key names its unit.
package struct Scenario: Equatable, Sendable {
  /// Its name.
  package var name: String
  /// One-line description.
  package var summary: String
  /// The peers to be found.
  package var peers: [Peer]
  /// The motion of the hand, in order.
  package var motion: [Step]
  /// Holding and involuntary motion of the hand.
  package var hand = Hand()
  /// The room and its landmarks.
  package var room = Room()
  /// Walls inside the room.
  package var walls: [Wall] = []
  /// Objects that move through the room before the camera.
  package var movers: [Mover] = []
  /// The user's body as an obstacle for the radio; nil: none.
  package var body: Body?
  /// The inertial unit.
  package var imu = Inertial()
  /// The camera, if there is one.
  package var camera: Camera? = Camera()
  /// The radio.
  package var radio = Radio()
  /// External odometry, if recorded.
  package var odometry: Odometry?
  /// Events of the device and the peers, in time order.
  package var events: [Event] = []
  /// Rows of truth per second; at most one for each period of the IMU.
  package var truthRate = 100.0

  /// A scenario with default sensors.
  package init(name: String, summary: String, peers: [Peer], motion: [Step]) {
    self.name = name
    self.summary = summary
    self.peers = peers
    self.motion = motion
  }

  /// One step of the motion.
  package enum Step: Equatable, Sendable {
    /// A piece of hand motion.
    case motion(HandMotion)
    /// Rotates towards a peer and walks to `stop` metres (horizontally) before it.
    case approach(peer: String, stop: Double, speed: Double)
  }

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
    if let scenario = builtIn.first(where: { $0.name == name }) { return scenario }
    guard FileManager.default.fileExists(atPath: name) else {
      let names = builtIn.map(\.name).joined(separator: " ")
      throw ScenarioError(
        file: name, line: nil, problem: "no such scenario and no such file, expected a YAML file or one of: \(names)")
    }
    return try Scenario(contentsOf: URL(fileURLWithPath: name))
  }

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
    ("mc-arc-vertical", PackageResources.mc_arc_vertical_yaml), ("mc-arc-slow", PackageResources.mc_arc_slow_yaml),
    ("mc-walk", PackageResources.mc_walk_yaml),
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
