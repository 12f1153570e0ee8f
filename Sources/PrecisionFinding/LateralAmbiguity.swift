import Foundation
import Geometry
import Ranging

/// The left/right ambiguity of a nearly straight path: the vertical plane along the path, and the reliability of the
/// log odds of a side.
///
/// The hypotheses take the tracker's displacement as true up to its stated error. That holds where all motions are
/// equally likely a priori, or the tracker's estimate is better (`NavigationFilter.isExternalOdometry`). A straight
/// walk has hardly any lateral motion, and the tracker's lateral drift passes for it. With true lateral variance `S`
/// and drift variance `N`, the observed variance is `S + N` and the reliability ratio `S / (S + N)`. The log odds of a
/// side are multiplied by this ratio. That is right where the radio's noise is larger than the path's; where it is
/// smaller they deserve more.
/// Source: errors in variables, Fuller, "Measurement Error Models", 1987, section 1.1 (the reliability ratio).
package struct LateralAmbiguity: Equatable, Sendable {
  /// Vertical, along the path.
  package let plane: ReflectionPlane
  /// Reliability ratio of the lateral motion, 0...1.
  package let reliability: Double

  package init(plane: ReflectionPlane, reliability: Double) { (self.plane, self.reliability) = (plane, reliability) }

  /// The hypotheses have dropped components below this probability, and their true odds are not known.
  private static let forgotten = 1e-6

  /// The Gaussians in world coordinates, with reflection images of those on the side whose probability is reduced; the
  /// sum of the weights stays.
  func withImages(_ gaussians: [PositionGaussian]) -> [PositionGaussian] {
    let upperProbability = plane.upperProbability(of: gaussians)
    let likelier = min(max(upperProbability, 1 - upperProbability), 1 - Self.forgotten)
    let tempered = 1 / (1 + pow(1 / likelier - 1, reliability))
    let imageProbability = 1 - tempered / likelier
    return plane.withImages(gaussians) { ($0 > 0) == (upperProbability > 0.5) ? imageProbability : 0 }
  }
}
