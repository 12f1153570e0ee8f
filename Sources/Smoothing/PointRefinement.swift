import Geometry

/// Estimates a landmark from its observations, with the cameras fixed.
///
/// Applied after every step of the poses (variable projection).
/// Source: Golub and Pereyra 2003, doi:10.1088/0266-5611/19/2/201.
package struct PointRefinement {
  /// The reprojection model.
  package let reprojection: Reprojection
  /// Loss of an error.
  package let loss: HuberLoss
  /// Cost of an observation of a point that cannot be projected: that of an error of thirty sigmas.
  private var impossible: Double { loss.cost(900) }

  /// A refinement from its parts.
  package init(reprojection: Reprojection, loss: HuberLoss) {
    self.reprojection = reprojection
    self.loss = loss
  }

  /// Cost of a landmark.
  package func cost(_ landmark: Landmark, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose]) -> Double {
    observations.reduce(InverseDistanceBarrier.cost(landmark.inverseDistance)) { sum, observation in
      let error = reprojection.residual(cameras[observation.keyframe], landmark, pixel: observation.pixel)
      return sum + (error.map { loss.cost($0.x * $0.x + $0.y * $0.y) } ?? impossible)
    }
  }

  /// The refined landmark and its cost: Levenberg-Marquardt, at most `iterations` steps. O(observations).
  package func refined(
    _ start: Landmark, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose], iterations: Int = 4
  ) -> (landmark: Landmark, cost: Double) {
    var landmark = start
    var (matrix, gradient, cost) = linearised(landmark, observations, cameras)
    var damping = 1e-6
    for _ in 0..<iterations {
      let diagonal = Vector3(matrix[0, 0], matrix[1, 1], matrix[2, 2])
      // Unobservable coordinates stay unchanged.
      let floor = Vector3(repeating: 1e-9 * matrix.trace + 1e-12)
      guard let inverse = (matrix + Matrix3(diagonal: damping * diagonal + floor)).inverse else { break }
      let step = -(inverse * gradient)
      guard step.isFinite else { break }
      let candidate = landmark.plus(step)
      let next = linearised(candidate, observations, cameras)
      guard next.cost <= cost else {
        damping = max(damping * 100, 1e-4)
        continue
      }
      let gain = cost - next.cost
      (landmark, matrix, gradient, cost) = (candidate, next.matrix, next.gradient, next.cost)
      damping = max(damping / 10, 1e-9)
      if gain < 1e-4 * (1e-3 + cost) { break }
    }
    return (landmark, cost)
  }

  private func linearised(_ landmark: Landmark, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose]) -> (
    matrix: Matrix3, gradient: Vector3, cost: Double
  ) {
    var matrix = Matrix3.zero, gradient = Vector3.zero, cost = 0.0
    let (e1, e2) = landmark.bearing.tangentBasis
    let barrier = InverseDistanceBarrier.residual(landmark.inverseDistance)
    matrix[2, 2] += barrier.slope * barrier.slope
    gradient.z += barrier.slope * barrier.value
    cost += 0.5 * barrier.value * barrier.value
    for observation in observations {
      let camera = cameras[observation.keyframe]
      let back = camera.rotation.inverse
      guard let projection = reprojection.lens.project(back * landmark.scaled(from: camera.translation)) else {
        cost += impossible
        continue
      }
      let error = (projection.pixel - observation.pixel) / reprojection.pixelNoise
      let squared = error.x * error.x + error.y * error.y
      let weight = loss.weight(squared)
      cost += loss.cost(squared)
      let offset = camera.translation - landmark.origin
      for (k, raw) in [projection.columnGradient, projection.rowGradient].enumerated() {
        let g = camera.rotation * raw / reprojection.pixelNoise
        let row = Vector3(g.dot(e1), g.dot(e2), -g.dot(offset))
        matrix += Matrix3(outer: weight * row, row)
        gradient += weight * error[k] * row
      }
    }
    return (matrix, gradient, cost)
  }
}
