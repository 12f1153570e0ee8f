import Foundation
import Geometry

/// The ideal observer's posterior seen from the device's true pose: the exact posterior of the product's outputs.
package struct IdealView: Sendable {
  /// Circular mean of the horizontal angle, radians: 0 ahead, positive right, (-pi, pi].
  package let angle: Double
  /// The 90 % credible arc, radians relative to `angle`: 5 % of the posterior below it, 5 % above.
  package let arc: ClosedRange<Double>
  /// 1-sigma of the horizontal angle about its circular mean, radians.
  package let angleDeviation: Double
  /// P(horizontal angle over 20 degrees from the mean).
  package let beyond20: Double
  /// P(horizontal angle over 45 degrees from the mean).
  package let beyond45: Double
  /// P(direction over 20 degrees from the mean direction).
  package let directionBeyond20: Double
  /// Probability that the peer is above the device's level; on it; below it.
  package let levels: [TrueView.Level: Double]
  /// Distance from the device's origin, metres.
  package let distance: (mean: Double, sigma: Double)
  /// Horizontal distance from there, metres.
  package let horizontalDistance: (mean: Double, sigma: Double)
  /// P(position farther from the mean position than `PeerErrors.falsePosition` at the mean distance).
  package let positionFarOff: Double
  /// Position in the world, metres and m^2.
  package let position: (mean: Vector3, covariance: Matrix3)

  /// The view from a pose, z of the world up; nil before the first range.
  package init?(_ observer: IdealObserver, worldFromDevice: Pose) {
    guard let cells = observer.posterior else { return nil }
    let origin = worldFromDevice.translation
    // Mean direction, mean horizontal direction, mean position.
    var (direction, horizontal, mean) = (Vector3.zero, SIMD2<Double>.zero, Vector3.zero)
    for cell in cells {
      let d = cell.position - origin
      direction += cell.weight * d.normalized
      horizontal += cell.weight / max(d.horizontalNorm, 1e-9) * SIMD2(d.x, d.y)
      mean += cell.weight * cell.position
    }
    direction = direction.normalized
    let azimuth = atan2(horizontal.y, horizontal.x)
    let (ahead, across) = (Rotation.yaw(azimuth) * Vector3(1, 0, 0), Rotation.yaw(azimuth) * Vector3(0, 1, 0))
    let (slope, cone) = (tan(TrueView.levelAngle), cos(Angle.degrees(20)))
    let farOff = PeerErrors.falsePosition(at: (mean - origin).norm)

    var boxes: [SIMD3<Double>] = []
    boxes.reserveCapacity(cells.count)
    // Means and mean squares.
    var (near, level) = (SIMD2<Double>.zero, SIMD2<Double>.zero)
    var (above, below, elsewhere, far) = (0.0, 0.0, 0.0, 0.0)
    var covariance = Matrix3.zero
    for cell in cells {
      let d = cell.position - origin
      let (r, h) = (max(d.norm, 1e-9), max(d.horizontalNorm, 1e-9))
      near += cell.weight * SIMD2(r, r * r)
      level += cell.weight * SIMD2(h, h * h)
      covariance += Matrix3(outer: cell.weight * (cell.position - mean), cell.position - mean)
      // Positive right: against the azimuth.
      let offset = -atan2(d.dot(across), d.dot(ahead))
      boxes.append(SIMD3(offset, cell.width(along: Vector3(-d.y, d.x, 0) / (h * h)), cell.weight))

      // Probability of the part of the cell where `margin` is positive.
      func probability(_ margin: Double, _ gradient: Vector3) -> Double {
        let width = max(cell.width(along: gradient), 1e-12)
        return cell.weight * min(max(margin / width + 0.5, 0), 1)
      }
      let limit = max(TrueView.levelHeight, slope * h)
      let outwards = limit > TrueView.levelHeight ? Vector3(d.x, d.y, 0) * (-slope / h) : .zero
      above += probability(d.z - limit, outwards + Vector3(0, 0, 1))
      below += probability(-d.z - limit, outwards - Vector3(0, 0, 1))
      let cosine = direction.dot(d) / r
      let off = cell.position - mean
      far += probability(off.norm - farOff, off.normalized)
      elsewhere += probability(cone - cosine, (cosine * d / r - direction) / r)
    }
    let marginal = CellMarginal(boxes)
    angle = Angle.wrapped(HorizontalAngle.aheadAzimuth(worldFromDevice: worldFromDevice.rotation) - azimuth)
    arc = marginal.quantile(0.05)...marginal.quantile(0.95)
    angleDeviation = marginal.deviation
    (beyond20, beyond45) = (marginal.probability(beyond: .pi / 9), marginal.probability(beyond: .pi / 4))
    directionBeyond20 = elsewhere
    positionFarOff = far
    levels = [.above: above, .same: max(1 - above - below, 0), .below: below]
    distance = (near.x, max(near.y - near.x * near.x, 0).squareRoot())
    horizontalDistance = (level.x, max(level.y - level.x * level.x, 0).squareRoot())
    position = (mean, covariance)
  }

  /// Whether the arc contains a horizontal angle, radians.
  package func arcContains(_ trueAngle: Double) -> Bool { arc.contains(Angle.wrapped(trueAngle - angle)) }

  // The product's publication rules, by definition and without hysteresis.

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
  var publishesPosition: Bool {
    position.covariance.trace.squareRoot() <= max(0.3, 0.15 * distance.mean) && positionFarOff <= 0.001
  }

  /// Whether everything is published and P(over 20 degrees away) is at most 0.5 %, in angle and in direction.
  package var isConverged: Bool {
    publishedAngle != nil && decidedLevel != nil && publishesPosition && max(beyond20, directionBeyond20) <= 0.005
  }
}

/// Cramer-Rao bound of the direction of a far peer from ranges along a path, in closed form.
///
/// S is the scatter of the antenna positions, `S = mean (p - p_mean)(p - p_mean)^T`; U is an orthonormal basis across
/// the line of sight. The bound of `z = rho + b - u . (p - p_mean) + n` is `Cov(U^T u) = (sigma^2 / N) (U^T S U)^-1`.
/// It depends neither on the distance nor on a constant bias. It holds for one mode and does not cover reflection
/// images. n is white; coloured noise corresponds to a smaller N.
package struct DirectionBound: Equatable, Sendable {
  /// Scatter of the antenna positions about their mean, m^2.
  package let scatter: Matrix3
  /// `sigma^2 / N`, m^2.
  package let variance: Double

  /// The bound for ranges of white noise `sigma` (metres) at the given positions (world, metres); nil for fewer than
  /// two.
  package init?(antennas: [Vector3], sigma: Double) {
    guard antennas.count > 1, antennas.allSatisfy(\.isFinite) else { return nil }
    let weight = 1 / Double(antennas.count)
    let mean = antennas.reduce(.zero, +) * weight
    scatter = antennas.reduce(.zero) { $0 + weight * Matrix3(outer: $1 - mean, $1 - mean) }
    variance = sigma * sigma * weight
  }

  /// 1-sigma of azimuth and elevation of a peer in direction `u` (unit, world), radians; nil where the motion does not
  /// observe both directions across it.
  package func angles(toward u: Vector3) -> (azimuth: Double, elevation: Double)? {
    let (level, up) = u.tangentBasis
    let (a, b, c) = (scatter.form(level, level), scatter.form(level, up), scatter.form(up, up))
    let determinant = a * c - b * b
    guard u.horizontalNorm > 1e-6, determinant > 1e-9 * (a + c) * (a + c) else { return nil }
    return (
      (variance * c / determinant).squareRoot() / u.horizontalNorm, (variance * a / determinant).squareRoot()
    )
  }

  /// 1-sigma of the cosine between the direction and the only axis (unit, world) of the motion, `sigma / (sqrt(N) a)`
  /// with the rms aperture a; nil without motion.
  package func cosine(along axis: Vector3) -> Double? {
    let square = scatter.form(axis, axis)
    return square > 0 ? (variance / square).squareRoot() : nil
  }
}
