import Foundation
import Geometry
import Ranging
import SensorData
import Simulation
import TestSupport
import Testing

/// The prior of a peer's height, and the lattice that stands for it.
@Suite struct HeightPriorTests {
  private let indoors = RangingConfiguration().heightPrior

  /// Probability of heights within `bounds` metres under a density.
  private func integral(_ bounds: ClosedRange<Double>, _ density: (Double) -> Double) -> Double {
    let steps = 20_000
    let width = (bounds.upperBound - bounds.lowerBound) / Double(steps)
    return (0..<steps).reduce(0) { $0 + width * density(bounds.lowerBound + (Double($1) + 0.5) * width) }
  }

  @Test(arguments: [0.3, 1, 4, 17, 60])
  func theDensityIsOne(distance: Double) {
    #expect(abs(integral(-distance...distance) { indoors.density($0, distance: distance) } - 1) < 1e-6)
    #expect(indoors.density(1.001 * distance, distance: distance) == 0)
    #expect(abs(HeightPrior.none.density(0.3 * distance, distance: distance) - 0.5 / distance) < 1e-12)
  }

  /// Directions that are uniform, weighted by `2 d p(d sin e)`, have the prior's heights.
  @Test func theFactorOfADirection() {
    var random = SeededRandom(seed: 41)
    let (distance, count) = (6.0, 200_000)
    var (within, all) = (0.0, 0.0)
    for _ in 0..<count {
      let height = distance * random.direction().z
      let weight = 2 * distance * indoors.density(height, distance: distance)
      all += weight
      if abs(height) < 1 { within += weight }
    }
    #expect(abs(all / Double(count) - 1) < 0.01)
    #expect(abs(within / all - integral(-1...1) { indoors.density($0, distance: distance) }) < 0.01)
  }

  /// After the first ranges every lattice has the prior's heights, near by to 0.06. A direction of 150 is 2.6 m wide at 16 m and spans storeys, which
  /// have one Gaussian there: the lattice is wider than the prior, never narrower.
  @Test(arguments: [1.5, 4, 9, 16], [100, 150])
  func theLatticeHasThePrior(distance: Double, directions: Int) {
    var configuration = RangingConfiguration()
    configuration.directions = directions
    var filter = PeerFilter(configuration: configuration, antennas: [""], statedNoise: 0.05)
    // Three ranges make a beginning. The next is from a step aside, after which there is a lattice; it tells hardly anything.
    for (k, device) in [Vector3.zero, .zero, .zero, Vector3(0.06, 0, 0)].enumerated() {
      _ = filter.update(
        PeerFilter.Range(
          timestamp: Timestamp(nanoseconds: Int64(k) * 100_000_000), range: distance, antenna: device, device: device))
    }
    for bound in [0.5, 1, 2, 4] where bound < distance {
      let found = filter.gaussians.reduce(0) { sum, part in
        let scale = 1 / (2 * part.covariance.c2.z).squareRoot()
        let (below, above) = (erf(scale * (-bound - part.position.z)), erf(scale * (bound - part.position.z)))
        return sum + part.weight * 0.5 * (above - below)
      }
      let expected = integral(-bound...bound) { indoors.density($0, distance: distance) }
      let least = distance < 9 ? expected - 0.06 : 0.6 * expected
      #expect(
        found > least && found < expected + 0.06,
        "\(distance) m, \(directions): \(found) within \(bound) m, \(expected)")
    }
  }
}
