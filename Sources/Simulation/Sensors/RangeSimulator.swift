import Foundation
import Geometry
import SensorData

/// A UWB radio: `r = (1 + scale) |p_peer - p_antenna| + bias + wandering error + excess without line of sight + noise`.
///
/// The wandering error is a Gauss-Markov process, `d_{k+1} = a d_k + s sqrt(1 - a^2) n`, `a = exp(-dt / tau)`, so its
/// autocorrelation is `exp(-t / tau)`. What geometry blocks has the excess of what stands there. On top of that, line of
/// sight is a two-state Markov chain; every blocked spell has one excess, exponentially distributed, because a reflected
/// first path stays the first path as long as the direct one is blocked.
/// Source of the excess model: Alavi and Pahlavan, IEEE Communications Letters 10(4), 2006,
/// doi:10.1109/LCOMM.2006.1613745.
struct RangeSimulator {
  /// What the radio is in: the true motion, what blocks, and the hand at a time in seconds, which tells where the body is.
  struct Scene {
    let motion: PoseSpline
    let bodyFromDevice: Rotation
    let sight: LineOfSight
    let hand: (Double) -> HandPose
  }

  /// A range and what the radio cannot know of it.
  struct Draw {
    var event: TimedEvent
    /// Its sight was blocked, or it is grossly wrong.
    var isImpaired: Bool
  }

  private let settings: Scenario.Radio
  private let peer: Scenario.Peer
  private let scene: Scene
  private let step: Double
  private let memory: Double
  private var random: SeededRandom
  private var angles: AngleSimulator
  private var powers: PowerSimulator
  private var delays: SeededRandom
  private var guesses: SeededRandom
  private var silences: SeededRandom
  private var drift: Double
  private var antennaErrors: AntennaErrors
  private var excess: Double
  private var blocked: TwoStateChain
  private var silent: TwoStateChain
  /// The excess of each spell of the scenario, metres.
  private let spells: [Double]

  private init(_ settings: Scenario.Radio, to peer: Scenario.Peer, number: Int, in scene: Scene, seed: UInt64) {
    self.settings = settings
    self.peer = peer
    self.scene = scene
    step = 1 / settings.rate
    memory = exp(-step / settings.driftTime)
    random = SeededRandom(seed: seed, stream: RandomStream.ranging(peer: number))
    angles = AngleSimulator(settings, peer: number, seed: seed)
    var sizes = SeededRandom(seed: seed, stream: RandomStream.spells(peer: number))
    spells = settings.nlosIntervals.map { _ in sizes.exponential(mean: settings.nlosBias) }
    powers = PowerSimulator(settings, peer: number, seed: seed)
    delays = SeededRandom(seed: seed, stream: RandomStream.delays(peer: number))
    guesses = SeededRandom(seed: seed, stream: RandomStream.guesses(peer: number))
    silences = SeededRandom(seed: seed, stream: RandomStream.silence(peer: number))
    drift = settings.driftDeviation * random.gaussian()
    antennaErrors = AntennaErrors(settings, memory: memory, peer: number, seed: seed)
    excess = random.chance(settings.nlosShare) ? random.exponential(mean: settings.nlosBias) : 0
    blocked = TwoStateChain(
      share: settings.nlosShare, dwell: settings.nlosDwell, step: step, isOn: excess > 0)
    silent = TwoStateChain(
      share: settings.silentShare, dwell: settings.silentDwell, step: step,
      isOn: silences.chance(settings.silentShare))
  }

  /// The ranges to one peer, in the order in which they were measured.
  static func ranges(
    _ settings: Scenario.Radio, to peer: Scenario.Peer, number: Int, of count: Int, in scene: Scene, start: Timestamp,
    seed: UInt64
  ) -> [Draw] {
    var radio = RangeSimulator(settings, to: peer, number: number, in: scene, seed: seed)
    // Peers take turns within one period, half a slot after the beginning.
    let offset = radio.step * (Double(number) + 0.5) / Double(count)
    let antennas = settings.antennas.sorted { $0.key < $1.key }
    var ranges: [Draw] = []
    for k in 0..<max(0, Int(((scene.motion.duration - offset) / radio.step).rounded(.down)) + 1) {
      let range = radio.measure(at: offset + Double(k) * radio.step, antennas, k % antennas.count, start: start)
      if let range { ranges.append(range) }
      radio.wander()
    }
    return ranges
  }

  /// One measurement at `time` seconds; nil where it is lost. Every draw is made in every step, so that one setting does
  /// not shift the others' numbers.
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
    let gross = random.chance(settings.outlierShare)
    let error = random.uniform(-1...1) * settings.outlierSize
    let delay = settings.latency + (settings.latencyJitter > 0 ? delays.exponential(mean: settings.latencyJitter) : 0)
    let toPeer = scene.bodyFromDevice.inverse * (worldFromBody.inverse * position - antenna.value)
    let angle = angles.measure(toPeer)
    let obstacle = scene.sight.excess(from: antennaInWorld, to: position, hand: scene.hand(time))
    let spell = settings.nlosIntervals.firstIndex { $0.contains(time) }
    let isBlocked = blocked.isOn || obstacle != nil || spell != nil
    let power = powers.measure(distance: distance, isBlocked: isBlocked)
    let guess = settings.guessErrorShare.map { isBlocked != guesses.chance($0) ? 1.0 : 0.0 }
    guard !lost, !silent.isOn, hears(toPeer) else { return nil }
    let excess = excess + (obstacle ?? 0) + (spell.map { spells[$0] } ?? 0)
    let lasting = antennaErrors.error(of: number, common: drift)
    let range =
      (1 + peer.rangeScale) * distance + peer.rangeBias + lasting + excess + noise + (gross ? error : 0)
    let measurement = RangeMeasurement(
      timestamp: start.advanced(bySeconds: time), peer: peer.id, range: max(0, range),
      standardDeviation: settings.statedDeviation, azimuth: angle?.azimuth, elevation: angle?.elevation,
      angleStandardDeviation: angle?.standardDeviation, antenna: antenna.key.isEmpty ? nil : antenna.key,
      rssi: power?.total, firstPathPower: power?.firstPath, nonLineOfSight: guess)
    return Draw(
      event: TimedEvent(.range(measurement), arrival: start.advanced(bySeconds: time + delay)),
      isImpaired: isBlocked || gross)
  }

  /// Whether a peer at `toPeer`, device axes, metres, is within reach.
  private func hears(_ toPeer: Vector3) -> Bool {
    if let reach = settings.reach, toPeer.norm > reach { return false }
    if let cone = settings.cone, -toPeer.z < cos(cone) * toPeer.norm { return false }
    return true
  }

  /// The errors that last, one step on.
  private mutating func wander() {
    drift = memory * drift + settings.driftDeviation * (1 - memory * memory).squareRoot() * random.gaussian()
    antennaErrors.wander()
    let (change, size) = (random.uniform(), random.exponential(mean: settings.nlosBias))
    if blocked.advance(change) { excess = blocked.isOn ? size : 0 }
    _ = silent.advance(silences.uniform())
  }
}
