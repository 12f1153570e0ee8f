import Geometry
import CameraGeometry

/// What came of it.
extension InitializationRefinement {
  /// Covariance of the last state (theta, p, v, b_g, b_a), 15 x 15 row-major; nil when it is not determined.
  package var covariance: [Double]? {
    linear.reduced(damping: 0)?.system.covariance(of: blocks(of: states.count - 1))
  }

  /// How tracks err by what the points leave unexplained; `times` are those of the states, seconds.
  package func trackNoise(_ times: [Double]) -> TrackNoise {
    let views = views, scale = camera.effectiveNoise / camera.pixelNoise
    var learner = TrackNoiseLearner()
    for point in points {
      let sights = point.sights.compactMap { point.linearised($0, from: views[$0.poseID], camera) }
      let rows = sights.flatMap { [$0.rows.0.point, $0.rows.1.point] }
      learner.add(
        TrackNoiseLearner.Sample(
          residual: sights.flatMap { [scale * $0.residual.x, scale * $0.residual.y] },
          point: rows.flatMap { [scale * $0.x, scale * $0.y, scale * $0.z] },
          times: point.sights.map { times[$0.poseID] }))
    }
    return learner.noise
  }

  /// Cost of the sights per degree of freedom: 1 where noise and model are right.
  package var misfit: Double {
    let sights = points.reduce(0) { $0 + $1.sights.count }
    return linear.observationCost / Double(max(2 * sights - 3 * points.count - 11, 1))
  }

  /// Points whose sights agree as well as those of most: mean squared residual within twice the median, or two
  /// where that is more. All residuals grow where the noise is stated too small, and where outliers still pull.
  package var agreeing: [InitializationPoint] {
    let views = views
    let squares = points.map { point in
      let sum = point.sights.reduce(0.0) { sum, sight in
        let error = point.linearised(sight, from: views[sight.poseID], camera)?.residual
        return sum + (error.map { ($0 * $0).sum() } ?? .infinity)
      }
      return sum / Double(2 * point.sights.count)
    }
    var sorted = squares
    let limit = 2 * max(Disparity.median(&sorted) ?? 1, 1)
    return zip(points, squares).filter { $0.1 <= limit }.map(\.0)
  }

  /// Root of the median squared angle, radians, between a point's first and last sights, their poses' turning removed.
  package var parallax: Double {
    var angles = points.map { point in
      let directions = [point.sights[0], point.sights[point.sights.count - 1]].map {
        states[$0.poseID].rotation * (camera.imuFromCamera.rotation * $0.direction)
      }
      return directions[0].cross(directions[1]).norm
    }
    return Disparity.median(&angles) ?? 0
  }
}
