import Geometry

/// Four Gaussians of a posterior side by side, relative to an origin, for SIMD evaluation.
@frozen @usableFromInline
package struct PositionGaussian4 {
  /// Weights; zero in unused lanes.
  @usableFromInline package var weight = Lanes.zero
  /// Position relative to the origin, metres, world axes.
  @usableFromInline package var position = LaneVector(repeating: Vector3(1, 0, 0))
  /// Rows of the covariance of that, m^2.
  @usableFromInline package var rows = (
    LaneVector(repeating: Vector3(1, 0, 0)), LaneVector(repeating: Vector3(0, 1, 0)),
    LaneVector(repeating: Vector3(0, 0, 1))
  )
  /// As in `PositionGaussian`.
  @usableFromInline package var scale = Lanes.zero, scaleVariance = Lanes.zero
  @usableFromInline package var scaleCovariance = LaneVector(repeating: .zero)

  /// Packs Gaussians by fours, relative to `origin`.
  package static func packed(_ gaussians: [PositionGaussian], from origin: Vector3) -> [PositionGaussian4] {
    var fours = [PositionGaussian4](repeating: PositionGaussian4(), count: (gaussians.count + 3) / 4)
    fours.withUnsafeMutableBufferPointer { fours in
      for (i, gaussian) in gaussians.enumerated() {
        let lane = i % 4
        fours[i / 4].weight[lane] = gaussian.weight
        fours[i / 4].position[lane] = gaussian.position - origin
        fours[i / 4].rows.0[lane] = gaussian.covariance.c0
        fours[i / 4].rows.1[lane] = gaussian.covariance.c1
        fours[i / 4].rows.2[lane] = gaussian.covariance.c2
        fours[i / 4].scale[lane] = gaussian.scale
        fours[i / 4].scaleVariance[lane] = gaussian.scaleVariance
        fours[i / 4].scaleCovariance[lane] = gaussian.scaleCovariance
      }
    }
    return fours
  }

  /// One of them relative to the world's origin.
  func gaussian(_ lane: Int, weight: Double, from origin: Vector3) -> PositionGaussian {
    var one = PositionGaussian(
      weight: weight, position: origin + position[lane],
      covariance: Matrix3(columns: rows.0[lane], rows.1[lane], rows.2[lane]))
    one.scale = scale[lane]
    one.scaleCovariance = scaleCovariance[lane]
    one.scaleVariance = scaleVariance[lane]
    return one
  }

  /// Product of the covariance with a vector.
  @inlinable @inline(__always)
  package func spread(_ v: LaneVector) -> LaneVector {
    LaneVector(rows.0.dot(v), rows.1.dot(v), rows.2.dot(v))
  }

  /// Variance along a vector, never negative.
  @inlinable @inline(__always)
  package func variance(_ v: LaneVector) -> Lanes { v.dot(spread(v)).atLeast(0) }
}
