import Geometry

/// The product's rules of what is published and when, by definition and without hysteresis.
extension IdealView {
  /// The horizontal angle where it may be published, radians: its 90 % half-width is at most 15 degrees, at most 1 % of the
  /// posterior lies over 45 degrees away, and the peer is horizontally at least 0.5 m and two sigma off.
  package var publishedAngle: Double? {
    let (mean, sigma) = horizontalDistance
    let isNarrow = 0.5 * (arc.upperBound - arc.lowerBound) <= Angle.degrees(15)
    return isNarrow && beyond45 <= 0.01 && mean >= max(0.5, 2 * sigma) ? angle : nil
  }

  /// The level that has 95 % of the posterior; nil while none has.
  package var decidedLevel: TrueView.Level? { TrueView.Level.allCases.first { levels[$0, default: 0] >= 0.95 } }

  /// The level that may be published: a motion that is missing for the angle withholds it, as Nearby Interaction does.
  package var publishedLevel: TrueView.Level? { publishedAngle == nil ? nil : decidedLevel }

  /// Whether the place may be published: its 3-D sigma is at most 0.3 m or 15 % of the distance, and at most 0.1 % of the posterior
  /// is so far from it that it would be false.
  package var publishesPosition: Bool {
    position.covariance.trace.squareRoot() <= max(0.3, 0.15 * distance.mean) && placeFarOff <= 0.001
  }

  /// Whether everything is published and at most 0.1 % of the posterior, in angle or in direction, lies over 20 degrees away.
  package var isConverged: Bool {
    publishedAngle != nil && decidedLevel != nil && publishesPosition && max(beyond20, directionBeyond20) <= 0.001
  }
}
