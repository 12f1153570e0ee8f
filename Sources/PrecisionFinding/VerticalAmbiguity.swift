import Foundation
import Geometry
import LeastSquares
import Ranging

/// The ambiguity about the plane in which the antenna has moved: its reflection image of the peer, and the probability
/// of each side.
///
/// Two effects limit the resolution. The path may have a displacement on the wrong side of its plane
/// (`pathErrorProbability`). And the ranges may hold too little information for the odds of the hypotheses. For a peer
/// `h` metres off the plane, correct log odds are normal with mean `I = expectedInformation h^2` and variance `2 I`.
/// Nearly all of them lie below `I + 2 sqrt(2 I)`. Larger odds come from something else, such as radio errors that
/// recur at a position.
///
/// Modes that the filter tracks are not compared by ranges alone. They share a trajectory, which is bent towards the
/// likelier one, and within minutes either wins. There only the winner counts, and how often the wrong one wins with
/// correct odds.
/// Source of the law: log-likelihood ratio of two known signals in white Gaussian noise, Kay, "Fundamentals of
/// Statistical Signal Processing", vol. II, section 4.3.
package struct VerticalAmbiguity: Equatable, Sendable {
  /// Probability of the side at the end of the search, and the information about it since.
  package struct Tracking: Equatable, Sendable {
    /// Probability of the normal's side of the plane, 0...1.
    package let upperProbability: Double
    /// As `VerticalAmbiguity.expectedInformation`, since then, 1/m^2.
    package let expectedInformation: Double

    package init(upperProbability: Double, expectedInformation: Double) {
      (self.upperProbability, self.expectedInformation) = (upperProbability, expectedInformation)
    }
  }

  /// The plane in which the antenna has moved.
  package let plane: ReflectionPlane
  /// Probability that the path's error passes for its displacement off the plane, 0...0.5.
  package let pathErrorProbability: Double
  /// Mean log odds of the side for a peer one metre off the plane, during the search, 1/m^2.
  package let expectedInformation: Double
  /// Nil during the search.
  package let tracking: Tracking?

  package init(
    plane: ReflectionPlane, pathErrorProbability: Double, expectedInformation: Double, tracking: Tracking? = nil
  ) {
    (self.plane, self.pathErrorProbability) = (plane, pathErrorProbability)
    (self.expectedInformation, self.tracking) = (expectedInformation, tracking)
  }

  /// Probability that a peer `offset` metres off the plane is taken for its image, 0...1: over a half where the search
  /// preferred the other side.
  package func imageProbability(atOffset offset: Double) -> Double {
    let unproven = unproven(atOffset: offset)
    return pathErrorProbability + (1 - 2 * pathErrorProbability) * unproven
  }

  private func unproven(atOffset offset: Double) -> Double {
    let mean = expectedInformation * offset * offset
    let searched = 1 / (1 + exp(mean + 2 * (2 * mean).squareRoot()))
    guard let tracking else { return searched }
    let ownSide = min(
      max(offset < 0 ? 1 - tracking.upperProbability : tracking.upperProbability, searched), 1 - searched)
    let since = tracking.expectedInformation * offset * offset
    guard since > 1e-9 else { return 1 - ownSide }
    // This side won: because it is right, or against odds of `since` and the prior.
    let (prior, sigma) = (log(ownSide / (1 - ownSide)), (2 * since).squareRoot())
    let wrong = (1 - ownSide) * NormalDistribution.cumulative((prior - since) / sigma)
    let right = ownSide * NormalDistribution.cumulative((prior + since) / sigma)
    return right > 1e-300 ? wrong / (wrong + right) : 0.5
  }

  /// The Gaussians, with reflection images of the ambiguous ones where that makes a difference; the sum of the weights
  /// stays.
  func withImages(_ gaussians: [PositionGaussian]) -> [PositionGaussian] {
    plane.withImages(gaussians, imageProbability: imageProbability(atOffset:))
  }
}
