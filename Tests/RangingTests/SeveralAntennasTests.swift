import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import Testing

/// What the ranges of several antennas tell together.
@Suite struct SeveralAntennasTests {
  private static let antennas = ["a": Vector3(0.15, 0, 0), "b": Vector3(-0.15, 0, 0)]

  /// A device that lies still hears a peer with two antennas in turn, ten times a second; for the first `unknown` seconds of eight its way is
  /// not known. What is believed then of the cosine between the way to the peer and the line of the antennas, and what it is.
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

  /// Mean normalised square of the error over 60 seeds; 1 where the belief is honest.
  private static func normalisedSquare(unknown: Double) -> Double {
    let trials = (0..<60 as Range<UInt64>).map { cosine(seed: $0, unknown: unknown) }
    return trials.reduce(0) { $0 + pow(($1.mean - $1.truth) / max($1.deviation, 0.02), 2) } / Double(trials.count)
  }

  /// While the way is not known every direction is open, and so is what two antennas' ranges differ by: it must not be learnt as the antennas'
  /// own errors. Below 1, for those may err by more than they do here.
  @Test(arguments: [0, 2, 5]) func anUnknownWayTellsNothingOfTheAntennas(unknown: Double) {
    let square = Self.normalisedSquare(unknown: unknown)
    print("After \(unknown) s of an unknown way the cosine errs by \(square), normalised and squared, in the mean.")
    #expect(square < 1.5)
  }

  /// An antenna that falls silent meanwhile hands over to the other one: the distance of a device that moves away stays known.
  @Test func aSilentAntennaIsReplaced() throws {
    var posterior = PeerFilter(configuration: RangingConfiguration(), antennas: ["a", "b"], statedNoise: nil)
    let peer = Vector3(4, 0, 0)
    for i in 0..<80 {
      let (t, id) = (Double(i) / 10, i < 20 && i % 2 == 0 ? "a" : "b")
      let device = Vector3(-0.2 * max(t - 2, 0), 0, 0)
      var range = PeerFilter.Range(
        timestamp: Timestamp(nanoseconds: 0).advanced(bySeconds: t),
        range: (peer - device - Self.antennas[id]!).norm, antenna: device + Self.antennas[id]!, device: device,
        antennaID: id)
      range.isVelocityKnown = false
      posterior.update(range)
    }
    let device = Vector3(-0.2 * 5.9, 0, 0)
    let distance = try #require(posterior.gaussians.max { $0.weight < $1.weight }).position - device
    // Less than half of what the device has moved by since: unheard, it would be all of that.
    #expect(abs(distance.norm - (peer - device).norm) < 0.5, "\(distance.norm)")
  }
}
