import Foundation
import Geometry

/// The outputs that a belief supports, each judged on its own by the limits of the configuration.
package struct PublishableEstimate {
  /// Why there is no horizontal angle.
  package enum NoAngle: String {
    /// The 90 % interval is too wide.
    case wide
    /// Too much of the posterior lies elsewhere: a mirror image is alive.
    case mirror
    /// The latest ranges speak against all that is believed: the peer may be anywhere.
    case contradicted
    /// The peer is too close horizontally for an azimuth to mean anything.
    case near
  }

  package let distance: (mean: Double, sigma: Double)
  package let angle: NearbyObject.AngleEstimate?
  package let noAngle: NoAngle?
  /// Share of the posterior over 20 degrees away: from the angle, or from the direction as a whole.
  package let rivals: Double
  /// Unit vector in device axes.
  package let direction: Vector3?
  /// Half-angle of the cone about it that holds 90 %, radians.
  package let cone: Double
  package let vertical: (above: Double, below: Double, same: Double)
  /// The peer's mean position in the estimate's world, metres, and its covariance there, m^2.
  package let position: (mean: Vector3, covariance: Matrix3)
  /// Share of the posterior that is farther from it than a published position may be off; nil where the spread is too wide anyhow.
  package let positionFarOff: Double?
  /// True when that is good enough to be published.
  package let positionIsGood: Bool
  /// 1-sigma of the direction's best known axis, a sine: near 0.5 when nothing is known.
  package let bestAxis: Double
  /// Whether the place is spread wider sideways than upwards, as seen from the device.
  package let isWidestSideways: Bool
  /// How far the motion that is missing is done, 0...1: that towards an angle, or where there is one towards a place.
  package let progress: Double
  /// How far each of what a place needs beside an angle is done, 0...1.
  package let towards: (level: Double, rivals: Double, place: Double)

  /// - Parameter worldCovariance: of the peer's position in the estimate's world, the trajectory's own error included.
  package init(_ belief: PosteriorView, worldCovariance: Matrix3, _ configuration: FinderConfiguration) {
    distance = belief.distance
    let marginal = belief.horizontalAngle
    let towardsAngle: Double
    (angle, noAngle, towardsAngle) = Self.angle(marginal, belief, configuration)

    let mean: Vector3
    (mean, cone) = belief.direction
    let elsewhere = max(marginal.mass(beyond: .pi / 9), belief.share(beyond: .pi / 9, of: mean))
    rivals = elsewhere + (1 - elsewhere) * belief.doubt
    let inDevice = belief.worldFromDevice.rotation.inverse * mean
    direction = cone <= Angle.degrees(configuration.directionConeDegrees) ? inDevice : nil
    vertical = belief.verticalProbabilities(
      height: configuration.sameLevelHeight, elevation: Angle.degrees(configuration.sameLevelElevationDegrees))
    let relative = belief.position
    position = (relative.mean, worldCovariance)
    let (across, up) = Place.axes(mean)
    isWidestSideways = relative.covariance.form(across, across) > relative.covariance.form(up, up)
    let sigma = worldCovariance.trace.squareRoot()
    // Far off: asked only where the spread passes, and of what the spread leaves out.
    let isNarrow = sigma <= max(0.3, 0.15 * distance.mean)
    positionFarOff =
      isNarrow
      ? belief.share(beyond: configuration.positionLimit, ofMeanWith: worldCovariance - relative.covariance) : nil
    positionIsGood = isNarrow && positionFarOff! <= configuration.maxProbabilityBeyond20Degrees
    bestAxis = max(belief.directionScatter.smallestEigenvalue, 0).squareRoot()
    let level = max(vertical.above, vertical.below, vertical.same)
    towards = (
      Self.share(1 - level, to: 1 - configuration.verticalDecision), Self.share(rivals, to: configuration.maxProbabilityBeyond20Degrees),
      min(
        max(0.3, 0.15 * distance.mean) / max(sigma, 1e-9),
        positionFarOff.map { Self.share($0, to: configuration.maxProbabilityBeyond20Degrees) } ?? 1, 1)
    )
    progress =
      angle != nil
      ? min(towards.level, towards.rivals, towards.place)
      : bestAxis > configuration.directionSineSigmaLimit ? Self.share(bestAxis, to: configuration.directionSineSigmaLimit) : towardsAngle
  }

  /// How far something has come on its way down from a half to `limit`, in doublings, 0...1.
  private static func share(_ value: Double, to limit: Double) -> Double {
    guard value > limit else { return 1 }
    return max(log(0.5 / value) / log(0.5 / max(limit, 1e-12)), 0)
  }

  /// Nearer than this, horizontally, an azimuth means nothing, metres.
  private static let nearest = 0.5

  private static func angle(
    _ marginal: AngleMarginal, _ belief: PosteriorView, _ configuration: FinderConfiguration
  ) -> (NearbyObject.AngleEstimate?, NoAngle?, progress: Double) {
    // Who is surely too near is asked for no sweep, wherever the peer may be about the device.
    let horizontal = belief.horizontalDistance
    let nearness = min(horizontal.mean / max(nearest, 2 * horizontal.sigma), 1)
    if horizontal.mean + 2 * horizontal.sigma < nearest { return (nil, .near, nearness) }
    // Half the posterior elsewhere needs no quantiles.
    let centers = marginal.centers(beyond: .pi / 4)
    if centers > 2 * configuration.maxProbabilityBeyond45Degrees + 0.05 {
      return (nil, .mirror, share(centers, to: configuration.maxProbabilityBeyond45Degrees))
    }
    let elsewhere = marginal.mass(beyond: .pi / 4)
    if elsewhere > configuration.maxProbabilityBeyond45Degrees {
      return (nil, .mirror, share(elsewhere, to: configuration.maxProbabilityBeyond45Degrees))
    }
    if belief.doubt > configuration.maxProbabilityBeyond45Degrees { return (nil, .contradicted, 0) }
    let low = marginal.quantile(0.05)
    let high = marginal.quantile(0.95)
    let limit = Angle.degrees(configuration.angleHalfWidthDegrees)
    guard 0.5 * (high - low) <= limit else { return (nil, .wide, 2 * limit / (high - low)) }
    guard horizontal.mean >= nearest, horizontal.mean >= 2 * horizontal.sigma else { return (nil, .near, nearness) }
    let value = Angle.wrapped(marginal.mean)
    let start = Angle.wrapped(value + low)
    return (
      NearbyObject.AngleEstimate(
        value: value, standardDeviation: marginal.standardDeviation, low: start, high: start + (high - low)), nil, 1
    )
  }
}
