import Geometry

/// Moves a landmark to where its sights want it, the cameras being given.
///
/// Done after every step of the poses, so that the landmarks need no unknowns of their own (variable projection: Golub and
/// Pereyra 2003, doi:10.1088/0266-5611/19/2/201).
package struct PointRefinement {
  /// Where a point lands.
  package let reprojection: Reprojection
  /// What an error costs.
  package let loss: HuberLoss
  /// Cost of a sight that the lens cannot have: as an error of thirty sigmas.
  private var impossible: Double { loss.cost(900) }

  /// A refinement from its parts.
  package init(reprojection: Reprojection, loss: HuberLoss) {
    self.reprojection = reprojection
    self.loss = loss
  }

  /// Cost of a landmark.
  package func cost(_ landmark: Landmark, _ sights: [LandmarkTrack.Sight], _ cameras: [Pose]) -> Double {
    sights.reduce(InverseDistanceBarrier.cost(landmark.inverseDistance)) { sum, sight in
      let error = reprojection.residual(cameras[sight.keyframe], landmark, pixel: sight.pixel)
      return sum + (error.map { loss.cost($0.x * $0.x + $0.y * $0.y) } ?? impossible)
    }
  }

  /// A better landmark and its cost; Levenberg-Marquardt, at most `iterations` steps. O(sights).
  package func refined(
    _ start: Landmark, _ sights: [LandmarkTrack.Sight], _ cameras: [Pose], iterations: Int = 4
  ) -> (landmark: Landmark, cost: Double) {
    var landmark = start
    var (matrix, gradient, cost) = linearised(landmark, sights, cameras)
    var damping = 1e-6
    for _ in 0..<iterations {
      let diagonal = Vector3(matrix[0, 0], matrix[1, 1], matrix[2, 2])
      // What nothing informs stays where it is.
      let floor = Vector3(repeating: 1e-9 * matrix.trace + 1e-12)
      guard let inverse = (matrix + Matrix3(diagonal: damping * diagonal + floor)).inverse else { break }
      let step = -(inverse * gradient)
      guard step.isFinite else { break }
      let candidate = landmark.plus(step)
      let next = linearised(candidate, sights, cameras)
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

  private func linearised(_ landmark: Landmark, _ sights: [LandmarkTrack.Sight], _ cameras: [Pose]) -> (
    matrix: Matrix3, gradient: Vector3, cost: Double
  ) {
    var matrix = Matrix3.zero, gradient = Vector3.zero, cost = 0.0
    let (e1, e2) = landmark.bearing.tangentBasis
    let wall = InverseDistanceBarrier.residual(landmark.inverseDistance)
    matrix[2, 2] += wall.slope * wall.slope
    gradient.z += wall.slope * wall.value
    cost += 0.5 * wall.value * wall.value
    for sight in sights {
      let camera = cameras[sight.keyframe]
      let back = camera.rotation.inverse
      guard let projection = reprojection.lens.project(back * landmark.scaled(from: camera.translation)) else {
        cost += impossible
        continue
      }
      let error = (projection.pixel - sight.pixel) / reprojection.pixelNoise
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
