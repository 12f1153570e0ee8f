import Foundation
import Geometry

/// What an answer about an angle costs: proper scores, which price silence, width and error alike. Radians, less is better.
///
/// An answer is taken for a normal distribution about the published angle, wrapped on the circle, whose 90 % interval is
/// as wide as the published one; without an interval for a point. Who is silent has the prior's score: nothing is known,
/// every angle is as likely.
package struct AngleScore: Equatable, Sendable {
  /// Continuous ranked probability score with the distance on the circle: `E d(A, a) - E d(A, A') / 2`; that of a point
  /// is its error. Source: Grimit et al., QJRMS 132, 2006, doi:10.1256/qj.05.235.
  package var crps: Double
  /// Interval score at 90 %: the width, and 20 times what the truth is beyond an end. Source: Gneiting and Raftery, JASA
  /// 102, 2007, doi:10.1198/016214506000001437, section 6.2.
  package var interval: Double

  /// One minus the level of the interval.
  private static let alpha = 0.1

  /// The scores of a uniform distribution: pi/2 - pi/4; 90 % of the circle, of the rest the truth is half of it away in
  /// the mean.
  static let prior = AngleScore(crps: .pi / 4, interval: 2 * .pi * (1 - alpha / 2))

  private init(crps: Double, interval: Double) { (self.crps, self.interval) = (crps, interval) }

  /// The scores of a published angle.
  ///
  /// - Parameters:
  ///   - error: of the angle, radians.
  ///   - width: of its 90 % interval, radians; nil: none was published.
  ///   - miss: distance of the truth beyond the interval's ends, radians, negative inside.
  init(error: Double, width: Double?, miss: Double?) {
    let width = width ?? 0
    // Nine tenths of the circle hold the truth with 90 % whatever it is: nothing is said.
    guard width < 1.8 * .pi else {
      self = .prior
      return
    }
    crps = Self.crps(abs(Angle.wrapped(error)), sigma: width / 2 / NinetyPercent.halfWidth(1))
    interval = width + 2 / Self.alpha * max(miss ?? abs(Angle.wrapped(error)), 0)
  }

  /// By the Fourier series of the distance on the circle, `pi/2 - 4/pi sum cos(k x) / k^2` over odd k.
  private static func crps(_ error: Double, sigma: Double) -> Double {
    // So narrow, only answers on the far side of the circle are wrapped: nearly the line's.
    guard sigma > 2e-3 else { return linear(error, sigma) }
    var sum = 0.0, k = 1.0
    while true {
      let spread = exp(-0.5 * k * k * sigma * sigma)
      sum += spread * (cos(k * error) - 0.5 * spread) / (k * k)
      if spread < 1e-12 { break }
      k += 2
    }
    return max(.pi / 4 - 4 / .pi * sum, 0)
  }

  /// On the line, closed form: Gneiting et al., Mon. Weather Rev. 133, 2005, doi:10.1175/MWR2904.1, equation 5.
  private static func linear(_ error: Double, _ sigma: Double) -> Double {
    guard sigma > 0 else { return error }
    let z = error / sigma
    let density = exp(-0.5 * z * z) / (2 * Double.pi).squareRoot()
    return sigma * (z * erf(z / 2.0.squareRoot()) + 2 * density - 1 / Double.pi.squareRoot())
  }
}
