import Foundation
import Geometry
import Ranging

/// The plane in which the antenna has moved, behind which the peer has a mirror image, and how much of a belief that it is on this side
/// and not on that one is to be trusted.
///
/// Two things are doubted. The path may have a step on the wrong side of its plane (`pathErrorShare`). And what tells the sides apart may be too little
/// for what is believed: between two places `h` metres off the plane on either side, right ranges collect a logarithm of the odds that is normal with
/// mean `I = telling h^2` and variance `2 I`. Nearly all of it lies below `I + 2 sqrt(2 I)`: hypotheses that believe more have taken something else for
/// the side, such as errors of the radio that come again at the same place. Places that the filter tracks are not even weighed against each other
/// by ranges alone: they share a trajectory, which is bent for the likelier one, and in minutes either wins. There it only counts which of them won,
/// and how often the wrong one does so with right odds.
/// Source of the law: log-likelihood ratio of two known signals in white Gaussian noise, Kay, "Fundamentals of Statistical
/// Signal Processing", vol. II, section 4.3.
package struct VerticalAmbiguity: Equatable, Sendable {
  /// What was known of the side when the search ended, and what has told of it since.
  package struct Tracking: Equatable, Sendable {
    /// Share of the hypotheses on the normal's side of the plane, 0...1.
    package let share: Double
    /// As `VerticalAmbiguity.telling`, since then, 1/m^2.
    package let telling: Double

    package init(share: Double, telling: Double) { (self.share, self.telling) = (share, telling) }
  }

  /// In which the antenna has moved.
  package let plane: ReflectionPlane
  /// Probability that the path's own error passes for its steps off the plane, 0...0.5.
  package let pathErrorShare: Double
  /// Mean of the logarithm of the odds of a side for a peer one metre off the plane, as long as hypotheses are searched, 1/m^2.
  package let telling: Double
  /// Nil while the search goes on.
  package let tracking: Tracking?

  package init(plane: ReflectionPlane, pathErrorShare: Double, telling: Double, tracking: Tracking? = nil) {
    (self.plane, self.pathErrorShare) = (plane, pathErrorShare)
    (self.telling, self.tracking) = (telling, tracking)
  }

  /// Probability that a peer `height` metres off the plane is taken for its mirror image, 0...1: more than a half where the search believed in
  /// the other side.
  package func doubt(atHeight height: Double) -> Double {
    let unproven = unproven(atHeight: height)
    return pathErrorShare + (1 - 2 * pathErrorShare) * unproven
  }

  private func unproven(atHeight height: Double) -> Double {
    let mean = telling * height * height
    let searched = 1 / (1 + exp(mean + 2 * (2 * mean).squareRoot()))
    guard let tracking else { return searched }
    let share = min(max(height < 0 ? 1 - tracking.share : tracking.share, searched), 1 - searched)
    let since = tracking.telling * height * height
    guard since > 1e-9 else { return 1 - share }
    // This side won: because it is right, or against odds of `since` and what was known before.
    let (prior, sigma) = (log(share / (1 - share)), (2 * since).squareRoot())
    let wrong = (1 - share) * AngleMarginal.cdf((prior - since) / sigma)
    let right = share * AngleMarginal.cdf((prior + since) / sigma)
    return right > 1e-300 ? wrong / (wrong + right) : 0.5
  }

  /// The Gaussians, and the images of those of which it is doubted on which side they are, where that makes a difference; the sum of the
  /// weights stays.
  func doubted(_ gaussians: [PositionGaussian]) -> [PositionGaussian] { plane.mirrored(gaussians, doubt: doubt(atHeight:)) }
}
