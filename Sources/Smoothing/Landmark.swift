import CameraGeometry
import Estimator
import Geometry

/// A point of the world as a bearing and an inverse distance from a fixed origin:
/// `f = origin + bearing / inverseDistance`.
///
/// With little parallax the inverse distance may be slightly negative; clamping it would introduce a bias.
/// Source: Civera, Davison, Montiel 2008, doi:10.1109/TRO.2008.2003276.
package struct Landmark: Equatable, Sendable {
  /// Origin of the parametrisation, world, metres: near a camera that observed the point.
  package var origin: Vector3
  /// Unit vector from the origin to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from the origin, 1/m; 0 at infinity.
  package var inverseDistance: Double

  /// Size of its error state: (e1, e2, inverse distance).
  package static let errorSize = 3

  /// A landmark from its parts.
  package init(origin: Vector3, bearing: Vector3, inverseDistance: Double) {
    self.origin = origin
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// Vector from a position to the point, times the inverse distance: finite also at infinity.
  package func scaled(from position: Vector3) -> Vector3 { bearing - inverseDistance * (position - origin) }

  /// Updated by (e1, e2, inverse distance), with e1, e2 the bearing's tangent basis.
  package func plus(_ step: Vector3) -> Landmark {
    let (e1, e2) = bearing.tangentBasis
    return Landmark(
      origin: origin, bearing: (bearing + step.x * e1 + step.y * e2).normalized,
      inverseDistance: inverseDistance + step.z)
  }

  /// Moved rigidly with a camera: its observation from `new` is that from `old`.
  package func carried(from old: Pose, to new: Pose) -> Landmark {
    let rotation = new.rotation * old.rotation.inverse
    return Landmark(
      origin: new.translation + rotation * (origin - old.translation), bearing: (rotation * bearing).normalized,
      inverseDistance: inverseDistance)
  }
}

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
  package var landmark: Landmark?

  /// A track from its parts.
  package init(featureID: Int64, observations: [Observation], landmark: Landmark? = nil) {
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
package enum InverseDistanceBarrier {
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

/// Reprojection error of a landmark in the camera of a keyframe, in sigmas of the pixel noise.
///
/// The camera is `R_C = R Exp(w d) R_IC`, `c = p + v d + R Exp(w d) t_IC`, with d its delay and w, v the keyframe's
/// angular and linear velocity. The predicted pixel is the projection of `R_C^T q`, `q = b - rho (c - o)`.
package struct Reprojection {
  /// The linearised residual of one observation, in sigmas.
  package struct Linearised {
    /// Predicted minus measured.
    package var residual: SIMD2<Double>
    /// By the keyframe's (theta, p): 2 x 6, row-major.
    package var pose: [Double]
    /// By the rig's first seven errors (phi, tau, delta): 2 x 7, row-major.
    package var mount: [Double]
    /// By the landmark's (e1, e2, inverse distance): 2 x 3, row-major.
    package var point: [Double]
  }

  /// Projection of directions to pixels.
  package let lens: LensModel
  /// 1-sigma of a coordinate, pixels.
  package var pixelNoise: Double

  /// - Parameter pixelNoise: 1-sigma of a coordinate, pixels.
  package init(lens: LensModel, pixelNoise: Double) {
    self.lens = lens
    self.pixelNoise = pixelNoise
  }

  /// Predicted minus measured, in sigmas; nil where the point cannot be projected.
  package func residual(_ camera: Pose, _ landmark: Landmark, pixel: SIMD2<Double>) -> SIMD2<Double>? {
    let seen = camera.rotation.inverse * landmark.scaled(from: camera.translation)
    return lens.project(seen).map { ($0.pixel - pixel) / pixelNoise }
  }

  /// The same with its Jacobians.
  package func linearised(
    _ frame: Keyframe, _ rig: RigEstimate, _ landmark: Landmark, pixel: SIMD2<Double>
  ) -> Linearised? {
    let imu = frame.worldFromIMU(after: rig.mount.delay)
    let camera = imu * rig.mount.imuFromCamera
    let q = landmark.scaled(from: camera.translation)
    let seen = camera.rotation.inverse * q
    guard let projection = lens.project(seen) else { return nil }
    let (e1, e2) = landmark.bearing.tangentBasis
    let rho = landmark.inverseDistance
    let fromIMU = landmark.scaled(from: imu.translation)
    let rate = imu.rotation * frame.angularVelocity
    var result = Linearised(
      residual: (projection.pixel - pixel) / pixelNoise, pose: [], mount: [], point: [])
    for gradient in [projection.columnGradient / pixelNoise, projection.rowGradient / pixelNoise] {
      // Row vectors from the right: g^T R_C^T = (R_C g)^T, and g^T [q]x = (g x q)^T.
      let g = camera.rotation * gradient
      let theta = g.cross(fromIMU), position = -rho * g
      let phi = gradient.cross(seen), tau = imu.rotation.inverse * position
      let delay = theta.dot(rate) + position.dot(frame.velocity)
      result.pose += [theta.x, theta.y, theta.z, position.x, position.y, position.z]
      result.mount += [phi.x, phi.y, phi.z, tau.x, tau.y, tau.z, delay]
      result.point += [g.dot(e1), g.dot(e2), -g.dot(camera.translation - landmark.origin)]
    }
    return result
  }
}

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
