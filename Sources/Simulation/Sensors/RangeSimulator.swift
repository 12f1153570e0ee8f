import Foundation
import Geometry
import SensorData

/// A UWB radio: `r = (1 + scale) |p_peer - p_antenna| + bias + drift + multipath + pattern + shadow + NLOS bias + noise`.
///
/// The drift is a first-order Gauss-Markov process, `d_{k+1} = a d_k + s sqrt(1 - a^2) n`, `a = exp(-dt / tau)`, with
/// the autocorrelation `exp(-t / tau)`. Obstacles (`LineOfSight`) add their NLOS bias. In addition LOS/NLOS is a
/// two-state Markov chain. Every NLOS interval has one exponentially distributed bias: a reflected first path stays the
/// first path while the direct path is blocked.
/// Source of the NLOS bias model: Alavi and Pahlavan, IEEE Communications Letters 10(4), 2006,
/// doi:10.1109/LCOMM.2006.1613745.
struct RangeSimulator {
  /// The radio's environment: the true motion, the obstacles, and the hand at a time in seconds, which places the body.
  struct Scene {
    let motion: PoseSpline
    let bodyFromDevice: Rotation
    let lineOfSight: LineOfSight
    let hand: (Double) -> HandPose
  }

  /// A range and its true impairment, which the radio does not know.
  struct Draw {
    var event: TimedEvent
    /// NLOS or outlier.
    var isImpaired: Bool
  }

  private let settings: Scenario.Radio
  private let peer: Scenario.Peer
  private let scene: Scene
  private let step: Double
  private let decay: Double
  private var random: SeededRandom
  private var angles: AngleSimulator
  private var powers: PowerSimulator
  private var delays: SeededRandom
  private var reportErrors: SeededRandom
  private var silences: SeededRandom
  private var drift: Double
  private var antennaErrors: AntennaErrors
  private let multipath: MultipathField
  private let patterns: [AntennaPattern]
  private var nlosBias: Double
  private var nlosChain: TwoStateChain
  private var silenceChain: TwoStateChain
  /// The bias of each NLOS interval named by the scenario, metres.
  private let intervalBiases: [Double]

  private init(_ settings: Scenario.Radio, to peer: Scenario.Peer, number: Int, in scene: Scene, seed: UInt64) {
    self.settings = settings
    self.peer = peer
    self.scene = scene
    step = 1 / settings.rate
    decay = exp(-step / settings.driftTime)
    random = SeededRandom(seed: seed, stream: RandomStream.ranging(peer: number))
    angles = AngleSimulator(settings, peer: number, seed: seed)
    var sizes = SeededRandom(seed: seed, stream: RandomStream.nlosIntervals(peer: number))
    intervalBiases = settings.nlosIntervals.map { _ in sizes.exponential(mean: settings.nlosBias) }
    powers = PowerSimulator(settings, peer: number, seed: seed)
    delays = SeededRandom(seed: seed, stream: RandomStream.delays(peer: number))
    reportErrors = SeededRandom(seed: seed, stream: RandomStream.nlosReports(peer: number))
    silences = SeededRandom(seed: seed, stream: RandomStream.silence(peer: number))
    drift = settings.driftDeviation * random.gaussian()
    antennaErrors = AntennaErrors(settings, decay: decay, peer: number, seed: seed)
    multipath = MultipathField(settings, peer: number, seed: seed)
    patterns = AntennaPattern.patterns(settings, seed: seed)
    nlosBias = random.chance(settings.nlosShare) ? random.exponential(mean: settings.nlosBias) : 0
    nlosChain = TwoStateChain(
      probability: settings.nlosShare, dwell: settings.nlosDwell, step: step, isOn: nlosBias > 0)
    silenceChain = TwoStateChain(
      probability: settings.silentShare, dwell: settings.silentDwell, step: step,
      isOn: silences.chance(settings.silentShare))
  }

  /// The ranges to one peer, in the order in which they were measured.
  static func ranges(
    _ settings: Scenario.Radio, to peer: Scenario.Peer, number: Int, of count: Int, in scene: Scene, start: Timestamp,
    seed: UInt64
  ) -> [Draw] {
    var radio = RangeSimulator(settings, to: peer, number: number, in: scene, seed: seed)
    // Peers share one period: slot k of n begins half a slot after the period's start.
    let offset = radio.step * (Double(number) + 0.5) / Double(count)
    let antennas = settings.antennas.sorted { $0.key < $1.key }
    var smoother = RangeSmoother(settings.filter)
    var ranges: [Draw] = []
    for k in 0..<max(0, Int(((scene.motion.duration - offset) / radio.step).rounded(.down)) + 1) {
      let range = radio.measure(at: offset + Double(k) * radio.step, antennas, k % antennas.count, start: start)
      if let smoothed = range.flatMap({ smoother.reported($0) }) { ranges.append(smoothed) }
      radio.advance()
    }
    return ranges
  }

  /// One measurement at `time` seconds; nil where it is lost. Every step makes every draw, so one setting does not
  /// shift the random numbers of another.
  private mutating func measure(
    at time: Double, _ antennas: [(key: String, value: Vector3)], _ number: Int, start: Timestamp
  ) -> Draw? {
    let antenna = antennas[number]
    let worldFromBody = scene.motion.kinematics(at: time).worldFromBody
    let position = peer.position(at: time)
    let antennaInWorld = worldFromBody * antenna.value
    let distance = (position - antennaInWorld).norm
    let noise = settings.rangeNoise * random.gaussian()
    let lost = random.chance(settings.dropoutShare)
    let isOutlier = random.chance(settings.outlierShare)
    let outlier = random.uniform(-1...1) * settings.outlierSize
    let delay = settings.latency + (settings.latencyJitter > 0 ? delays.exponential(mean: settings.latencyJitter) : 0)
    let toPeer = scene.bodyFromDevice.inverse * (worldFromBody.inverse * position - antenna.value)
    let angle = angles.measure(toPeer)
    let obstacleBias = scene.lineOfSight.nlosBias(from: antennaInWorld, to: position, hand: scene.hand(time))
    let interval = settings.nlosIntervals.firstIndex { $0.contains(time) }
    let isNLOS = nlosChain.isOn || obstacleBias != nil || interval != nil
    let power = powers.measure(distance: distance, isNLOS: isNLOS)
    let reportedNLOS = settings.nlosReportErrorShare.map { isNLOS != reportErrors.chance($0) ? 1.0 : 0.0 }
    guard !lost, !silenceChain.isOn, isWithinReach(toPeer) else { return nil }
    let nlosBias = nlosBias + (obstacleBias ?? 0) + (interval.map { intervalBiases[$0] } ?? 0)
    let slowError = antennaErrors.error(of: number, common: drift)
    let worldFromDevice = worldFromBody.rotation * scene.bodyFromDevice
    let poseError = multipath.error(
      at: antennaInWorld, worldFromDevice: worldFromDevice, peerMovedBy: position - peer.position)
    let pattern = patterns[number].error(toward: toPeer / max(distance, 1e-9))
    let shadow = settings.shadow?.excess(worldFromDevice: worldFromDevice)(position - antennaInWorld) ?? 0
    let range =
      (1 + peer.rangeScale) * distance + peer.rangeBias + slowError + poseError + pattern + shadow
      + nlosBias + noise + (isOutlier ? outlier : 0)
    let measurement = RangeMeasurement(
      timestamp: start.advanced(bySeconds: time), peer: peer.reportedID, range: max(0, range),
      standardDeviation: settings.statedDeviation, azimuth: angle?.azimuth, elevation: angle?.elevation,
      angleStandardDeviation: angle?.standardDeviation, antenna: antenna.key.isEmpty ? nil : antenna.key,
      rssi: power?.total, firstPathPower: power?.firstPath, nonLineOfSight: reportedNLOS)
    return Draw(
      event: TimedEvent(.range(measurement), arrival: start.advanced(bySeconds: time + delay)),
      isImpaired: isNLOS || isOutlier)
  }

  /// Whether a peer at `toPeer`, device axes, metres, is within distance and cone.
  private func isWithinReach(_ toPeer: Vector3) -> Bool {
    if let reach = settings.reach, toPeer.norm > reach { return false }
    if let cone = settings.cone, -toPeer.z < cos(cone) * toPeer.norm { return false }
    return true
  }

  /// Advances the correlated errors by one step.
  private mutating func advance() {
    drift = decay * drift + settings.driftDeviation * (1 - decay * decay).squareRoot() * random.gaussian()
    antennaErrors.advance()
    let (change, size) = (random.uniform(), random.exponential(mean: settings.nlosBias))
    if nlosChain.advance(change) { nlosBias = nlosChain.isOn ? size : 0 }
    _ = silenceChain.advance(silences.uniform())
  }
}

/// The angle of arrival measured by an antenna array: `azimuth = atan2(u.x, -u.z)`, `elevation = asin(u.y)` with the
/// unit vector u to the peer in device axes, each with white noise.
///
/// An array in one plane, that of the screen, measures only `u.x` and `u.y` by their phases. A peer behind it yields
/// the angles of its reflection in front of it, and the noise of the angle grows with `1 / |u.z|` towards the plane.
/// Source: Dotlic, Connell, Ma, Clancy, McLaughlin, "Angle of arrival estimation using Decawave DW1000 integrated
/// circuits", WPNC 2017, doi:10.1109/WPNC.2017.8250079.
private struct AngleSimulator {
  /// One measurement, radians.
  struct Reading {
    let azimuth: Double
    let elevation: Double
    let standardDeviation: Double
  }

  private let settings: Scenario.Angles?
  private var random: SeededRandom
  /// AoA bias of all azimuths and of all elevations of the device, radians.
  private let offset: (azimuth: Double, elevation: Double)

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    self.settings = settings.angles
    random = SeededRandom(seed: seed, stream: RandomStream.angles(peer: index))
    var array = RandomStream.array.generator(seed: seed)
    let deviation = settings.angles?.offset ?? 0
    offset = (deviation * array.gaussian(), deviation * array.gaussian())
  }

  /// The angles to a peer at `deviceToPeer` in device axes; nil outside the angular field, or where the radio measures
  /// none.
  mutating func measure(_ deviceToPeer: Vector3) -> Reading? {
    guard let settings else { return nil }
    var u = deviceToPeer.normalized
    var noise = settings.noise
    if settings.isPlanar {
      u.z = -abs(u.z)
      noise /= max(-u.z, 0.1)
    }
    let errors = (random.gaussian() * noise, random.gaussian() * noise)
    let azimuth = atan2(u.x, -u.z)
    let elevation = asin(min(max(u.y, -1), 1))
    guard abs(azimuth) < settings.reach, abs(elevation) < settings.reach else { return nil }
    // The angular field is that of the true array; only the reported azimuth has the mount's error.
    let reported = Angle.wrapped(
      (settings.isReflected ? -1 : 1) * (azimuth + errors.0) + offset.azimuth - settings.yawOffset)
    return Reading(azimuth: reported, elevation: elevation + errors.1 + offset.elevation, standardDeviation: noise)
  }
}

/// Received power in free space, `P = P_1 - 20 log10(d / 1 m)` dBm, minus the NLOS losses.
///
/// Source: Friis, Proceedings of the IRE 34(5), 1946, doi:10.1109/JRPROC.1946.234568.
private struct PowerSimulator {
  private let settings: Scenario.Power?
  private var random: SeededRandom

  init(_ settings: Scenario.Radio, peer index: Int, seed: UInt64) {
    self.settings = settings.power
    random = SeededRandom(seed: seed, stream: RandomStream.power(peer: index))
  }

  /// Power of all paths together and of the first path, dBm, over `distance` metres; nil where not reported.
  mutating func measure(distance: Double, isNLOS: Bool) -> (total: Double, firstPath: Double)? {
    guard let settings else { return nil }
    let losPower = settings.atOneMetre - 20 * log10(max(distance, 0.05))
    let errors = (random.gaussian() * settings.noise, random.gaussian() * settings.noise)
    return (
      losPower - (isNLOS ? settings.totalLoss : 0) + errors.0,
      losPower - (isNLOS ? settings.firstPathLoss : 0) + errors.1
    )
  }
}

/// Geometric NLOS: obstacles between the radios are the walls inside the room and the user's body.
struct LineOfSight: Sendable {
  /// The walls.
  let walls: [Scenario.Wall]
  /// The user's body.
  let body: Scenario.Body?

  /// NLOS bias of a range between two points with the hand at `hand`, metres; nil in LOS.
  func nlosBias(from antenna: Vector3, to peer: Vector3, hand: HandPose) -> Double? {
    var obstacles = walls.filter { $0.intersectsSegment(from: antenna, to: peer) }.map(\.nlosBias)
    if let body, body.intersectsSegment(from: antenna, to: peer, hand: hand) { obstacles.append(body.nlosBias) }
    return obstacles.isEmpty ? nil : obstacles.reduce(0, +)
  }
}

/// A radio that smooths the ranges of a link before it reports them, each antenna on its own: a lost range is not known
/// to it, an outlier or an NLOS interval lasts.
private struct RangeSmoother {
  /// A smoothed range is impaired where impaired ones have more than this share of it.
  private static let impairedShare = 0.1

  /// One antenna's memory: what it measured, and how much of that is impaired, 0...1.
  private struct Value {
    var time: Timestamp
    var range: Double
    var impaired: Double
  }

  private let filter: RangeFilter?
  private var memories: [String?: [Value]] = [:]

  /// - Parameter filter: nil: ranges are reported as they are.
  init(_ filter: RangeFilter?) { self.filter = filter }

  /// What the radio reports of its newest range; nil while it has nothing to report.
  mutating func reported(_ draw: RangeSimulator.Draw) -> RangeSimulator.Draw? {
    guard let filter, case .range(var measurement) = draw.event.event else { return draw }
    let newest = Value(
      time: measurement.timestamp, range: measurement.range, impaired: draw.isImpaired ? 1 : 0)
    var memory = memories[measurement.antenna] ?? []
    let smoothed = Self.smoothed(newest, &memory, filter)
    memories[measurement.antenna] = memory
    guard let smoothed else { return nil }
    measurement.range = smoothed.range
    return RangeSimulator.Draw(
      event: TimedEvent(.range(measurement), arrival: draw.event.arrival),
      isImpaired: smoothed.impaired > Self.impairedShare)
  }

  private static func smoothed(_ newest: Value, _ memory: inout [Value], _ filter: RangeFilter) -> Value? {
    func mixed(_ a: Value, _ b: Value, _ share: Double) -> Value {
      Value(
        time: newest.time, range: a.range + share * (b.range - a.range),
        impaired: a.impaired + share * (b.impaired - a.impaired))
    }
    switch filter {
    case .mean(let count):
      memory = Array((memory + [newest]).suffix(count))
      // Running means, so that equal ranges stay what they are.
      return memory.dropFirst().enumerated().reduce(memory[0]) { mixed($0, $1.element, 1 / Double($1.offset + 2)) }
    case .exponential(let weight):
      memory = [memory.first.map { mixed($0, newest, weight) } ?? newest]
      return memory[0]
    case .lag(let seconds):
      memory.append(newest)
      let wanted = newest.time.advanced(bySeconds: -seconds)
      while memory.count > 1, memory[1].time <= wanted { memory.removeFirst() }
      guard memory[0].time <= wanted else { return nil }
      guard memory.count > 1 else { return memory[0] }
      let share = wanted.seconds(since: memory[0].time) / memory[1].time.seconds(since: memory[0].time)
      return mixed(memory[0], memory[1], share)
    }
  }
}
