import Foundation
import Geometry
import Ranging

/// The upright plane along the way of a device, behind which the peer has a mirror image, and how much of what the hypotheses say of left and
/// right is to be trusted.
///
/// Hypotheses take the device to have moved as its tracker says, give or take the tracker's error. That is right where any motion is as likely
/// as any other, and where the tracker's motion is an estimate that knows better (`NavigationFilter.isExternalOdometry`). Who isMoving straight has moved
/// aside by next to nothing, and what the tracker made up passes for a way round to the side. Say that motion off the plane has the variance `S`
/// and the error `N`, so that `S + N` is what was seen of it: then `S / (S + N)` of that is real, and the logarithm of the odds of a side is worth
/// that share of what the hypotheses say, where the radio's noise is larger than the path's, and more where it is smaller.
/// Source: errors in variables, Fuller, "Measurement Error Models", 1987, section 1.1 (the reliability ratio).
package struct LateralAmbiguity: Equatable, Sendable {
  /// Upright, along the way.
  package let plane: ReflectionPlane
  /// Which share of the motion off the plane is real, 0...1.
  package let reliability: Double

  package init(plane: ReflectionPlane, reliability: Double) { (self.plane, self.reliability) = (plane, reliability) }

  /// The hypotheses have given up what is less likely than this, and nobody knows by how much.
  private static let forgotten = 1e-6

  /// The Gaussians in world coordinates, and the images of those on the side that is taken for too likely; the sum of the weights stays.
  func doubted(_ gaussians: [PositionGaussian]) -> [PositionGaussian] {
    let share = plane.share(of: gaussians)
    let likelier = min(max(share, 1 - share), 1 - Self.forgotten)
    let worth = 1 / (1 + pow(1 / likelier - 1, reliability))
    let doubt = 1 - worth / likelier
    return plane.mirrored(gaussians) { ($0 > 0) == (share > 0.5) ? doubt : 0 }
  }
}
