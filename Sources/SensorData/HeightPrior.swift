import Foundation

/// Prior of a peer's height above the device: most peers are within the storey, some a storey or two off, a share anywhere.
///
/// ```
/// p(h) = ((1 - s - a) N(h; 0, sigma^2) + s sum_k w_k N(h; k H, sigma^2) + a U(h; -d, d)) / M(d),   k = -2, -1, 1, 2
/// ```
///
/// with the distance d, `w` a third for each neighbouring storey, a sixth for each beyond, and M so that the integral over `-d...d` is 1. The height of a
/// uniform direction is uniform (Archimedes), so on the sphere of a measured distance `2 d p(d sin e)` is the density over the solid angle, relative
/// to all directions alike. An angle of elevation has no such prior: what is a shelf at 1 m would be the fourth storey at 15 m.
public struct HeightPrior: Equatable, Sendable {
  /// 1-sigma of the height within a storey, metres.
  public let sigma: Double
  /// Height of a storey, metres.
  public let storey: Double
  /// Probability s of another storey, 0...1.
  public let otherStoreys: Double
  /// Probability a of any height, 0...1; 1 for open country and drones.
  public let anywhere: Double

  /// A prior from its parts; of the probabilities `anywhere` counts first.
  public init(sigma: Double, storey: Double, otherStoreys: Double, anywhere: Double) {
    (self.sigma, self.storey) = (sigma, storey)
    self.anywhere = min(max(anywhere, 0), 1)
    self.otherStoreys = min(max(otherStoreys, 0), 1 - self.anywhere)
  }

  /// What is usual indoors, held in a hand (docs/experiments/height-prior.md).
  package static let indoors = HeightPrior(sigma: 1, storey: 3, otherStoreys: 0.15, anywhere: 0.15)
  /// All directions alike.
  package static let none = HeightPrior(sigma: 1, storey: 3, otherStoreys: 0, anywhere: 1)

  /// Mean of the height of a storey, metres, and its probability before the sphere truncates it.
  package var storeys: [(mean: Double, probability: Double)] {
    [
      (0, 1 - otherStoreys - anywhere), (-storey, otherStoreys / 3), (storey, otherStoreys / 3),
      (-2 * storey, otherStoreys / 6), (2 * storey, otherStoreys / 6),
    ]
  }

  /// M(d): the probability of all heights on a sphere of radius `distance`, metres.
  package func mass(distance: Double) -> Double {
    let scale = 1 / (2.0.squareRoot() * sigma)
    return storeys.reduce(anywhere) { sum, storey in
      sum + 0.5 * storey.probability * (erf(scale * (distance - storey.mean)) + erf(scale * (distance + storey.mean)))
    }
  }

  /// `p(h)` at a distance, 1/m; 0 beyond it.
  package func density(_ height: Double, distance: Double) -> Double {
    guard abs(height) <= distance, distance > 0 else { return 0 }
    let density = storeys.reduce(anywhere / (2 * distance)) { sum, storey in
      let z = (height - storey.mean) / sigma
      return sum + storey.probability * exp(-0.5 * z * z) / (sigma * (2 * .pi).squareRoot())
    }
    return density / mass(distance: distance)
  }
}
