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
