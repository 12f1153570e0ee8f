import Geometry

/// The product's publication rules, by definition and without hysteresis.
extension IdealView {
  /// The horizontal angle where it may be published, radians. Its 90 % half-width is at most 15 degrees, P(over 45
  /// degrees away) at most 1 %, and the horizontal distance at least 0.5 m and two sigma.
  package var publishedAngle: Double? {
    let (mean, sigma) = horizontalDistance
    let isNarrow = 0.5 * (arc.upperBound - arc.lowerBound) <= Angle.degrees(15)
    return isNarrow && beyond45 <= 0.01 && mean >= max(0.5, 2 * sigma) ? angle : nil
  }

  /// The level with at least 95 % of the posterior; nil while none has.
  package var decidedLevel: TrueView.Level? { TrueView.Level.allCases.first { levels[$0, default: 0] >= 0.95 } }

  /// The level that may be published: withheld without an angle, as in Nearby Interaction.
  package var publishedLevel: TrueView.Level? { publishedAngle == nil ? nil : decidedLevel }

  /// Whether the position may be published. Its 3-D sigma is at most 0.3 m or 15 % of the distance, and P(error over
  /// `PeerErrors.falsePosition`) is at most 0.1 %.
  package var publishesPosition: Bool {
    position.covariance.trace.squareRoot() <= max(0.3, 0.15 * distance.mean) && positionFarOff <= 0.001
  }

  /// Whether everything is published and P(over 20 degrees away) is at most 0.5 %, in angle and in direction.
  package var isConverged: Bool {
    publishedAngle != nil && decidedLevel != nil && publishesPosition && max(beyond20, directionBeyond20) <= 0.005
  }
}
