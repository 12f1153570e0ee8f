import CameraGeometry
import Geometry
import LeastSquares

/// A point and its observations in keyframes.
package struct LandmarkTrack: Sendable {
  /// One observation of it.
  package struct Observation: Sendable {
    /// Index of the keyframe.
    package var keyframe: Int
    /// Raw pixels.
    package var pixel: SIMD2<Double>
    /// Unit direction, camera axes.
    package var direction: SIMD3<Double>

    /// An observation from its parts.
    package init(keyframe: Int, pixel: SIMD2<Double>, direction: SIMD3<Double>) {
      self.keyframe = keyframe
      self.pixel = pixel
      self.direction = direction
    }
  }

  /// The track's id; a long track is split into several points with the same id.
  package var featureID: Int64
  /// Its observations, keyframes ascending.
  package var observations: [Observation]
  /// Its estimate; nil while it is not triangulated.
  package var landmark: InverseDistancePoint?

  /// A track from its parts.
  package init(featureID: Int64, observations: [Observation], landmark: InverseDistancePoint? = nil) {
    self.featureID = featureID
    self.observations = observations
    self.landmark = landmark
  }
}

/// Confines a point's inverse distance to a plausible range: not nearer than 20 cm, and not far behind the camera.
///
/// The cost is zero inside the range: weak priors of many points would add up and bias the scale. Without the barrier
/// the inverse distance of tracks without parallax is free. Each step of the poses changes it by much, good steps are
/// refused, and the scale does not converge to that of the IMU.
enum InverseDistanceBarrier {
  /// Range without cost, 1/m. Noise makes inverse distances of far points slightly negative; truncation at 0 is biased.
  package static let range = -0.5...5.0
  /// 1-sigma outside the range, 1/m.
  package static let sigma = 0.5

  /// Residual outside the range, in sigmas, and its derivative by the inverse distance.
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

/// Estimates a landmark from its observations, with the cameras fixed.
///
/// Applied after every step of the poses (variable projection).
/// Source: Golub and Pereyra 2003, doi:10.1088/0266-5611/19/2/201.
struct PointRefinement {
  /// The reprojection model.
  package let reprojection: Reprojection
  /// Loss of an error.
  package let loss: HuberLoss
  /// Cost of an observation of a point that cannot be projected: that of an error of thirty sigmas.
  private var impossible: Double { loss.cost(30) }

  /// A refinement from its parts.
  package init(reprojection: Reprojection, loss: HuberLoss) {
    self.reprojection = reprojection
    self.loss = loss
  }

  /// Cost of a landmark.
  package func cost(_ landmark: InverseDistancePoint, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose])
    -> Double
  {
    observations.reduce(InverseDistanceBarrier.cost(landmark.inverseDistance)) { sum, observation in
      let error = reprojection.residual(cameras[observation.keyframe], landmark, pixel: observation.pixel)
      return sum + (error.map { loss.cost($0) } ?? impossible)
    }
  }

  /// The refined landmark and its cost: Levenberg-Marquardt, at most `iterations` steps. O(observations).
  package func refined(
    _ start: InverseDistancePoint, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose], iterations: Int = 4
  ) -> (landmark: InverseDistancePoint, cost: Double) {
    var here = (landmark: start, equations: linearised(start, observations, cameras))
    var cost = here.equations.cost
    let damping = LevenbergMarquardt.Damping(from: 1e-6, raise: 100, leastRaised: 1e-4)
    var descent = LevenbergMarquardt(steps: iterations, absolute: 1e-7, relative: 1e-4, damping: damping)
    descent.descend(&here, cost: &cost) { here, damping in
      let matrix = here.equations.matrix
      let diagonal = Vector3(matrix[0, 0], matrix[1, 1], matrix[2, 2])
      // Unobservable coordinates stay unchanged.
      let floor = Vector3(repeating: 1e-9 * matrix.trace + 1e-12)
      guard let inverse = (matrix + Matrix3(diagonal: damping * diagonal + floor)).inverse else { return .singular }
      let step = -(inverse * here.equations.gradient)
      guard step.isFinite else { return .singular }
      let candidate = here.landmark.plus(step), next = linearised(candidate, observations, cameras)
      return .candidate((candidate, next), cost: next.cost)
    }
    return (here.landmark, cost)
  }

  private func linearised(
    _ landmark: InverseDistancePoint, _ observations: [LandmarkTrack.Observation], _ cameras: [Pose]
  ) -> (matrix: Matrix3, gradient: Vector3, cost: Double) {
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
      let weight = loss.weight(error)
      cost += loss.cost(error)
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
