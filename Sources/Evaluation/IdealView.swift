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
}
