import CameraGeometry
import Geometry

/// Quality of the result.
extension InitializationRefinement {
  /// Covariance of the last state (theta, p, v, b_g, b_a), 15 x 15 row-major; nil if the system is singular.
  package var covariance: [Double]? {
    linear.reduced(damping: 0)?.system.covariance(of: blocks(of: states.count - 1))
  }

  /// Track noise estimated from the points' residuals; `times` are those of the states, seconds.
  package func trackNoise(_ times: [Double]) -> TrackNoise {
    let views = views, scale = camera.effectiveNoise / camera.pixelNoise
    var learner = TrackNoiseLearner()
    for point in points {
      let observations = point.observations.compactMap { point.linearised($0, from: views[$0.poseID], camera) }
      let rows = observations.flatMap { [$0.rows.0.point, $0.rows.1.point] }
      learner.add(
        TrackNoiseLearner.Sample(
          residual: observations.flatMap { [scale * $0.residual.x, scale * $0.residual.y] },
          point: rows.flatMap { [scale * $0.x, scale * $0.y, scale * $0.z] },
          times: point.observations.map { times[$0.poseID] }))
    }
    return learner.noise
  }

  /// Reduced chi-square of the observations: 1 if noise and model are right.
  package var reducedCost: Double {
    let observations = points.reduce(0) { $0 + $1.observations.count }
    return linear.observationCost / Double(max(2 * observations - 3 * points.count - 11, 1))
  }

  /// Points whose mean squared residual is within twice the median, or within two if that is more. All residuals grow
  /// where the noise is stated too small and where outliers still have influence.
  package var residualInliers: [InitializationPoint] {
    let views = views
    let squares = points.map { point in
      let sum = point.observations.reduce(0.0) { sum, observation in
        let error = point.linearised(observation, from: views[observation.poseID], camera)?.residual
        return sum + (error.map { ($0 * $0).sum() } ?? .infinity)
      }
      return sum / Double(2 * point.observations.count)
    }
    var sorted = squares
    let limit = 2 * max(Disparity.median(&sorted) ?? 1, 1)
    return zip(points, squares).filter { $0.1 <= limit }.map(\.0)
  }

  /// Median angle, radians, between a point's first and last directions, with the poses' rotation removed.
  package var parallax: Double {
    var angles = points.map { point in
      let directions = [point.observations[0], point.observations[point.observations.count - 1]].map {
        states[$0.poseID].rotation * (camera.imuFromCamera.rotation * $0.direction)
      }
      return directions[0].cross(directions[1]).norm
    }
    return Disparity.median(&angles) ?? 0
  }
}
