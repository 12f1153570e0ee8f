import Estimator
import Foundation
import Geometry

/// How far off a plane the device has been since a posterior began, beside how well its path is known: that tells the
/// peer from its mirror image behind the plane.
///
/// The hypotheses take the path's error for a random walk. While a hand sweeps level, a few millimetres of tremor and a centimetre
/// of error, lasting and alike in all ranges, would pass for a plane that is bent, and with many ranges for the side.
package struct PathAperture {
  /// Errors over the time in which a hand goes from the middle of a sweep to its end count, seconds.
  private static let quarterSweep = 1.0

  private var count = 0.0
  private var mean = Vector3.zero
  private var scatter = Matrix3.zero
  private var seconds = 0.0
  private var lost = 0.0
  /// An angle of arrival has been taken: it tells the side without a path.
  private var hasAngles = false

  /// No path yet.
  package init() {}

  /// Takes a place of the antenna in.
  ///
  /// - Parameters:
  ///   - place: in the world, metres.
  ///   - seconds: since the place before.
  ///   - drift: what the path lost meanwhile.
  ///   - hasAngles: an angle of arrival came with the range.
  package mutating func note(_ place: Vector3, seconds: Double, drift: AccumulatedDrift, hasAngles: Bool) {
    self.hasAngles = self.hasAngles || hasAngles
    if count > 0 {
      self.seconds += seconds
      lost += drift.position
    }
    count += 1
    let before = place - mean
    mean += before / count
    scatter += Matrix3(outer: before, place - mean)
  }

  /// Probability that the path's own error has the device on the wrong side of its plane where that tells the peer's side: `Phi(-e / s)` with
  /// the rms `e` off the plane that fits best and the path's 1-sigma `s` over a quarter of a sweep, 0...0.5. Where the path is known, 0.
  package var mirrorDoubt: Double {
    guard count >= 3, seconds > 0, lost > 0, !hasAngles else { return 0 }
    let off = max(Readout.smallestEigenvalue(scatter * (1 / count)), 0).squareRoot()
    return AngleMarginal.cdf(-off / (lost / seconds * Self.quarterSweep).squareRoot())
  }
}
