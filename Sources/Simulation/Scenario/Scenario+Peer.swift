import Foundation
import Geometry
import SensorData

extension Scenario {
  /// A peer to be found.
  package struct Peer: Equatable, Sendable {
    /// Its name in the recording.
    package var id: String
    /// The other peer's name under which its ranges are reported: two tags with one id; nil: its own.
    package var alias: String?
    /// Initial position: metres from the intended start of the device, x ahead, y left, z up.
    package var position: Vector3
    /// Distribution of the initial position, drawn by the seed; nil: `position`.
    package var placement: Placement?
    /// Its legs, in time order; empty: it is stationary.
    package var path: [Leg] = []
    /// Distribution of its path, drawn by the seed; nil: `path`.
    package var stroll: Stroll?
    /// What the recording states of what carries it; nil: nothing.
    package var mobility: Mobility?
    /// Bias of its ranges, metres.
    package var rangeBias: Double
    /// 1-sigma of the bias that the seed adds, metres.
    package var rangeBiasDeviation = 0.0
    /// Scale error of its ranges: range = (1 + rangeScale) distance.
    package var rangeScale = 0.0

    /// A peer from its parts.
    package init(id: String, position: Vector3, rangeBias: Double = 0.1) {
      self.id = id
      self.position = position
      self.rangeBias = rangeBias
    }
  }

  /// Distribution of a peer's position relative to the start of the device.
  package struct Placement: Equatable, Sendable {
    /// Uniform, metres.
    package var distance: ClosedRange<Double>
    /// Uniform, radians, positive right of the camera's direction.
    package var azimuth = -Double.pi...Double.pi
    /// 1-sigma of the elevation, radians: normal, truncated at 60 degrees.
    package var elevationDeviation = 0.0
  }

  /// One straight leg of a path, at constant speed.
  package struct Leg: Equatable, Sendable {
    /// Start and end, seconds.
    package var time: ClosedRange<Double>
    /// Displacement from start to end, metres.
    package var displacement: Vector3

    /// A leg from its parts; its duration is positive.
    package init(time: ClosedRange<Double>, displacement: Vector3) {
      self.time = time
      self.displacement = displacement
    }
  }

  /// The same scenario with the peers' biases, positions and paths drawn from the seed.
  func drawn(seed: UInt64) -> Scenario {
    var scenario = self
    for index in peers.indices { scenario.peers[index].draw(index, seed: seed) }
    return scenario
  }
}

extension Scenario.Peer {
  /// The name in its ranges.
  var reportedID: String { alias ?? id }

  /// Position `time` seconds after the start, metres.
  package func position(at time: Double) -> Vector3 {
    path.reduce(position) { $0 + $1.travelled(at: time) }
  }

  fileprivate mutating func draw(_ index: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed, stream: RandomStream.placement(peer: index))
    rangeBias += rangeBiasDeviation * random.gaussian()
    rangeBiasDeviation = 0
    drawPosition(&random)
    guard let stroll else { return }
    var strollRandom = SeededRandom(seed: seed, stream: RandomStream.stroll(peer: index))
    path = stroll.legs(from: position, &strollRandom)
    self.stroll = nil
  }

  private mutating func drawPosition(_ random: inout SeededRandom) {
    guard let placement else { return }
    let distance = random.uniform(placement.distance)
    let azimuth = random.uniform(placement.azimuth)
    var elevation = 0.0
    repeat { elevation = placement.elevationDeviation * random.gaussian() } while abs(elevation) > .pi / 3
    position = distance * Vector3(cos(elevation) * cos(azimuth), -cos(elevation) * sin(azimuth), sin(elevation))
    self.placement = nil
  }

  init(_ f: inout Fields) throws(ScenarioError) {
    let positions = -1000.0...1000
    let id = try f.text("id")
    let (ahead, right, up) = (
      try f.number("ahead_m", positions), try f.number("right_m", positions), try f.number("up_m", positions)
    )
    let distance = try f.interval("distance_m", 0.1...1000)
    let azimuth = try f.interval("azimuth_deg", -360...360)
    let elevation = try f.number("elevation_std_deg", 0...60)
    guard let id else { throw f.missing("id") }
    guard Fields.isName(id) else {
      throw f.refuse("id", "a comma, a quotation mark or a line break cannot stand in a column")
    }
    guard ahead != nil || distance != nil else { throw f.missing("ahead_m") }
    if let distance {
      guard ahead == nil, right == nil, up == nil else {
        throw f.refuse("distance_m", "a peer is either drawn by distance or placed by ahead_m, right_m, up_m")
      }
      self.init(id: id, position: .zero)
      placement = Scenario.Placement(distance: distance, elevationDeviation: Angle.degrees(elevation ?? 0))
      azimuth.map { placement!.azimuth = Angle.degrees($0.lowerBound)...Angle.degrees($0.upperBound) }
    } else {
      guard azimuth == nil, elevation == nil else {
        throw f.refuse(azimuth == nil ? "elevation_std_deg" : "azimuth_deg", "goes with distance_m only")
      }
      self.init(id: id, position: Vector3(ahead ?? 0, -(right ?? 0), up ?? 0))
    }
    alias = try f.text("reports_as")
    mobility = try f.choice("mobility", Mobility.self)
    try f.number("range_bias_m", -1000...1000).map { rangeBias = $0 }
    try f.number("range_bias_std_m", 0...10).map { rangeBiasDeviation = $0 }
    try f.number("range_scale_percent", -20...20).map { rangeScale = $0 / 100 }
    path = try f.path()
    stroll = try f.section("stroll") { f throws(ScenarioError) in try Scenario.Stroll(&f) }
    guard path.isEmpty || stroll == nil else { throw f.refuse("stroll", "a peer has either a path or a stroll") }
  }
}

extension Fields {
  /// The legs at `path`, in time order; none where the key is absent.
  mutating func path() throws(ScenarioError) -> [Scenario.Leg] {
    let path = try list("path") { f throws(ScenarioError) in try Scenario.Leg(&f) } ?? []
    guard zip(path, path.dropFirst()).allSatisfy({ $0.time.upperBound <= $1.time.lowerBound }) else {
      throw refuse("path", "a leg begins before the last one ends")
    }
    return path
  }
}

extension Scenario.Leg {
  /// Displacement along the leg `time` seconds after the start, metres.
  func travelled(at time: Double) -> Vector3 {
    let (begin, end) = (self.time.lowerBound, self.time.upperBound)
    return displacement * (min(max(time - begin, 0), end - begin) / (end - begin))
  }

  fileprivate init(_ f: inout Fields) throws(ScenarioError) {
    let metres = -1000.0...1000
    let time = try f.timeInterval()
    let displacement = Vector3(
      try f.number("ahead_m", metres) ?? 0, -(try f.number("right_m", metres) ?? 0), try f.number("up_m", metres) ?? 0)
    guard time.upperBound > time.lowerBound else { throw f.refuse("to_s", "a leg takes time") }
    self.init(time: time, displacement: displacement)
  }
}

extension Scenario {
  /// An upright box that moves through the room before the camera, such as a person: landmarks on its surface move
  /// together. It occludes nothing, and images (`--images`) do not show it.
  package struct Mover: Equatable, Sendable {
    /// Initial position of its centre, metres from the intended start of the device.
    package var position: Vector3
    /// Its legs, in time order.
    package var path: [Leg] = []
    /// Width and depth, metres.
    package var width = 0.5
    /// Metres.
    package var height = 1.7
    /// Number of landmarks on it.
    package var landmarks = 200

    /// A stationary person at `position`.
    package init(position: Vector3) { self.position = position }

    /// Position of its centre `time` seconds after the start, metres.
    package func position(at time: Double) -> Vector3 { path.reduce(position) { $0 + $1.travelled(at: time) } }
  }
}

extension Scenario.Mover {
  init(_ f: inout Fields) throws(ScenarioError) {
    let positions = -100.0...100
    guard let ahead = try f.number("ahead_m", positions) else { throw f.missing("ahead_m") }
    self.init(
      position: Vector3(ahead, -(try f.number("right_m", positions) ?? 0), try f.number("up_m", positions) ?? -0.4))
    try f.number("width_m", 0.05...10).map { width = $0 }
    try f.number("height_m", 0.05...10).map { height = $0 }
    try f.integer("landmarks", 0...5000).map { landmarks = $0 }
    path = try f.path()
  }
}
