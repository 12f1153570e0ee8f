import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import Testing

/// Ranges of several antennas, over many peers.
@Suite struct SeveralAntennasStatistics {
  private static let antennas = ["a": Vector3(0.15, 0, 0), "b": Vector3(-0.15, 0, 0)]

  /// A stationary device ranges to a peer with two antennas in turn, ten times a second; for the first `unknown`
  /// seconds of eight its trajectory is unknown. Posterior and true cosine between the line-of-sight vector and the
  /// line of the antennas.
  private static func cosine(seed: UInt64, unknown: Double) -> (mean: Double, deviation: Double, truth: Double) {
    var random = SeededRandom(seed: seed)
    let peer = random.uniform(3...8) * random.direction()
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: ["a", "b"], statedNoise: nil)
    for i in 0..<80 {
      let (t, id) = (Double(i) / 10, i % 2 == 0 ? "a" : "b")
      var range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
        range: (peer - antennas[id]!).norm + 0.05 * random.gaussian(), antenna: antennas[id]!, device: .zero,
        antennaID: id)
      range.isVelocityKnown = t >= unknown
      posterior.update(range)
    }
    let parts = posterior.gaussians.map { (weight: $0.weight, x: $0.position.normalized.x) }
    let mean = parts.reduce(0) { $0 + $1.weight * $1.x }
    let square = parts.reduce(0) { $0 + $1.weight * ($1.x - mean) * ($1.x - mean) }
    return (mean, square.squareRoot(), peer.normalized.x)
  }

  /// Mean normalised squared error over 60 seeds; 1 for a consistent posterior.
  private static func normalisedSquare(unknown: Double) -> Double {
    let trials = (0..<60 as Range<UInt64>).map { cosine(seed: $0, unknown: unknown) }
    return trials.reduce(0) { $0 + pow(($1.mean - $1.truth) / max($1.deviation, 0.02), 2) } / Double(trials.count)
  }

  /// While the trajectory is unknown the direction is unobservable, and range differences between antennas must not be
  /// attributed to their biases. Below 1, because those may be larger than they are here.
  @Test(arguments: [0, 2, 5]) func unknownTrajectoryDoesNotBiasTheAntennas(unknown: Double) {
    let square = Self.normalisedSquare(unknown: unknown)
    print(
      "After \(unknown) s of an unknown trajectory the cosine errs by \(square), normalised and squared, in the mean.")
    #expect(square < 1.5)
  }
}
