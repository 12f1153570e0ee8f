import Foundation
import Geometry
import LeastSquares
import SensorData

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
    return sigma * (z * erf(z / 2.0.squareRoot()) + 2 * NormalDistribution.density(z) - 1 / Double.pi.squareRoot())
  }
}

/// The published angle of a peer some seconds after the device began to move.
package struct AngleCheckpoint: Equatable, Sendable {
  /// The evaluated moments, seconds after the motion began.
  package static let seconds: [Double] = [2, 3, 6, 12]
  /// Those at which proper scores price the whole answer.
  package static let scored: [Double] = [6, 10, 20, 28]
  /// Both.
  package static let moments = Set(seconds + scored).sorted()
  /// An update older than this does not represent a moment, seconds.
  static let maxUpdateAge = 0.5
  /// Displacement from the position at the peer's first update that counts as motion, metres.
  static let motion = 0.05
  /// Seconds between the moments at which it is looked for.
  private static let spacing = 0.05

  /// Seconds after the motion began.
  package var seconds: Double
  /// Error of the published angle, radians, not negative; nil where none was published.
  package var error: Double?
  /// Whether the status was `converged`.
  package var isConverged: Bool
  /// Whether the angle's 90 % interval contained the truth; nil without one.
  var containsTruth: Bool?
  /// Its price; the prior's where no angle was published, nil where the truth is not known.
  package var score: AngleScore?

  /// When the device began to move, after `start`, in steps of `spacing`; nil when it never does while its path is known.
  ///
  /// Cost: that of the rows and of the time that they cover; where there are none, however long, nothing is searched.
  package static func motionBegan(
    after start: Timestamp, until end: Timestamp, truth: TruthTrajectory, bodyFromDevice: Pose
  ) -> Timestamp? {
    guard let origin = truth.worldFromBody(at: start) else { return nil }
    let begin = (origin * bodyFromDevice).translation
    var time = start
    while time <= end {
      if let pose = truth.worldFromBody(at: time), ((pose * bodyFromDevice).translation - begin).norm >= motion {
        return time
      }
      let following = time.advanced(bySeconds: spacing)
      // The end of the clock is the end of the search.
      guard following > time, let next = truth.firstTime(notBefore: following) else { return nil }
      time = following
      let ahead = next.seconds(since: time) - TruthTrajectory.longestGap
      if ahead > 0 { time = time.advanced(bySeconds: (ahead / spacing).rounded(.down) * spacing) }
    }
    return nil
  }
}

/// Error and reported half-width of an angle at one moment.
package struct AngleMoment: Equatable, Sendable {
  /// Interval, in seconds after the device began to move, in which product and ideal observer are compared.
  static let comparisonInterval = 2.0...12.0
  /// The angle counts as observable where the ideal observer's 90 % half-width is at most this, radians.
  static let observableHalfWidth = Angle.degrees(15)
  /// An interval of at most this half-width is narrow, radians.
  static let narrowHalfWidth = Angle.degrees(10)

  /// When.
  package var timestamp: Timestamp
  /// Error of the angle, radians, not negative.
  package var error: Double
  /// Half the width of its 90 % interval, radians.
  package var halfWidth: Double

  /// A moment from its parts.
  package init(timestamp: Timestamp, error: Double, halfWidth: Double) {
    self.timestamp = timestamp
    self.error = error
    self.halfWidth = halfWidth
  }
}
