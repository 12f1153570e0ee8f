/// Keeps a point's inverse distance where a scene can be: nothing is nearer than 20 cm, and nothing lies far behind what
/// sees it.
///
/// Flat in between, so that many points do not add up to an opinion about the scale, as weak priors would. Without walls, tracks
/// without parallax take any inverse distance; each step of the poses throws theirs far, good steps
/// are refused for it, and the scale never gets where the inertial unit wants it.
package enum InverseDistanceBarrier {
  /// Where the walls begin, 1/m. Noise makes inverse distances of far points slightly negative; cutting those would bias the rest.
  package static let range = -0.5...5.0
  /// How steep they are, 1-sigma, 1/m.
  package static let sigma = 0.5

  /// What a point's inverse distance costs beyond its walls: residual in sigmas, and its slope by the inverse distance.
  package static func residual(_ inverseDistance: Double) -> (value: Double, slope: Double) {
    let beyond = inverseDistance - min(max(inverseDistance, range.lowerBound), range.upperBound)
    return beyond == 0 ? (0, 0) : (beyond / sigma, 1 / sigma)
  }

  /// Half the squared residual.
  package static func cost(_ inverseDistance: Double) -> Double {
    let value = residual(inverseDistance).value
    return 0.5 * value * value
  }
}
