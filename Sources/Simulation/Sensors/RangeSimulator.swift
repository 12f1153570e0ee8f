import Foundation
import Geometry
import SensorData

/// A UWB radio: `r = |p_peer - p_antenna| + bias + wandering error + excess without line of sight + noise`.
///
/// The wandering error is a Gauss-Markov process, `d_{k+1} = a d_k + s sqrt(1 - a^2) n`, `a = exp(-dt / tau)`, so its
/// autocorrelation is `exp(-t / tau)`. Line of sight is a two-state Markov chain; every blocked spell has one excess,
/// exponentially distributed, because a reflected first path stays the first path as long as the direct one is blocked.
/// Source of the excess model: Alavi and Pahlavan, IEEE Communications Letters 10(4), 2006,
/// doi:10.1109/LCOMM.2006.1613745.
struct RangeSimulator {
  /// The ranges to one peer, in the order in which they were measured.
  static func ranges(
    _ settings: Scenario.Radio, to peer: Scenario.Peer, number: Int, of count: Int, along motion: PoseSpline,
    start: Timestamp, seed: UInt64
  ) -> [TimedEvent] {
    var random = SeededRandom(seed: seed, stream: RandomStream.ranging(peer: number))
    let step = 1 / settings.rate
    // Peers take turns within one period, half a slot after the beginning.
    let offset = step * (Double(number) + 0.5) / Double(count)
    let antennas = settings.antennas.sorted { $0.key < $1.key }
    let memory = exp(-step / settings.driftTime)
    var drift = settings.driftDeviation * random.gaussian()
    var excess = random.chance(settings.blockedShare) ? random.exponential(mean: settings.blockedExcess) : 0
    var blocked = excess > 0
    var angles = AngleSimulator(settings, peer: number, seed: seed)
    var delays = SeededRandom(seed: seed, stream: RandomStream.delays(peer: number))
    var ranges: [TimedEvent] = []
    for k in 0..<max(0, Int(((motion.duration - offset) / step).rounded(.down)) + 1) {
      let time = offset + Double(k) * step
      let antenna = antennas[k % antennas.count]
      let worldFromBody = motion.kinematics(at: time).worldFromBody
      let distance = (peer.position - worldFromBody * antenna.value).norm
      // Every draw is made in every step, so that one setting does not shift the others' numbers.
      let noise = settings.rangeNoise * random.gaussian()
      let lost = random.chance(settings.dropoutShare)
      let gross = random.chance(settings.outlierShare)
      let error = random.uniform(-1...1) * settings.outlierSize
      let delay = settings.latency + (settings.latencyJitter > 0 ? delays.exponential(mean: settings.latencyJitter) : 0)
      let angle = angles.measure(worldFromBody.inverse * peer.position - antenna.value)
      if !lost {
        let range = distance + peer.rangeBias + drift + excess + noise + (gross ? error : 0)
        let measurement = RangeMeasurement(
          timestamp: start.advanced(bySeconds: time), peer: peer.id, range: max(0, range),
          standardDeviation: settings.statedDeviation, azimuth: angle?.azimuth, elevation: angle?.elevation,
          angleStandardDeviation: angle.map { _ in settings.angleNoise ?? 0 },
          antenna: antenna.key.isEmpty ? nil : antenna.key)
        ranges.append(TimedEvent(.range(measurement), arrival: start.advanced(bySeconds: time + delay)))
      }
      drift = memory * drift + settings.driftDeviation * (1 - memory * memory).squareRoot() * random.gaussian()
      let (change, size) = (random.uniform(), random.exponential(mean: settings.blockedExcess))
      let changes = change < changeProbability(settings, blocked: blocked, step: step)
      if changes { blocked.toggle() }
      if changes { excess = blocked ? size : 0 }
    }
    return ranges
  }

  /// How likely the line of sight changes within one step: the exact two-state chain of the given share and dwell.
  private static func changeProbability(_ settings: Scenario.Radio, blocked: Bool, step: Double) -> Double {
    let share = settings.blockedShare
    guard share > 0 else { return 0 }
    let unblocking = 1 / settings.blockedDwell
    let blocking = unblocking * share / (1 - share)
    let total = blocking + unblocking
    return (blocked ? unblocking : blocking) / total * (1 - exp(-total * step))
  }
}
