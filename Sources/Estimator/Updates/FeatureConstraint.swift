internal import CLinearAlgebra
import CameraGeometry
import Geometry
import Inertial

/// MSCKF constraint of one tracked point on the clones that observed it, by null-space projection. For points that
/// become landmarks also the remaining rows: the point, given the clones.
///
/// `r = H_x dx + H_f df + n` is projected onto the left null space of H_f (Mourikis and Roumeliotis 2007,
/// doi:10.1109/ROBOT.2007.364024). The other three rows, `r_1 = H_1 dx + R df + n_1` with R triangular, are independent
/// of the projected ones and define the point: `df = R^-1 (r_1 - H_1 dx - n_1)` (delayed initialisation: Li and
/// Mourikis, "Optimization-based estimator design for vision-aided inertial navigation", RSS 2012). No observation is
/// used twice.
package struct FeatureConstraint {
  /// The projected rows, without the point: 2 observations - 3 rows, one more with a prior.
  package let rows: LinearisedRows
  /// The definition of the point; nil when its distance is unobservable.
  package let definition: Definition?
  private let unexplained: (residual: [Double], point: [Double])

  /// A point's error (d1, d2, rho) as a function of the errors of the constraint's blocks and independent noise.
  package struct Definition: Equatable, Sendable {
    /// Linearisation point, corrected by the residuals.
    package let point: AnchoredPoint
    /// 3 x columns of the constraint, row-major: d point / d clones, and lens.
    package let jacobian: [Double]
    /// 3 x 3, row-major: covariance for exact clones (and lens).
    package let independent: [Double]
  }

  /// - Parameters:
  ///   - observations: each from the clone of the same index; at least two. A clone appears twice where both cameras
  ///     observed.
  ///   - anchor: index of the clone that anchors the point.
  ///   - secondOrderNoise: noise due to the uncertain inverse distance; nil: none.
  ///   - prior: prior on the inverse distance. It goes into the filter; nil for points that do not become landmarks.
  /// - Returns: nil when the lens cannot project the point from a clone, or a number is not finite.
  package init?(
    observations: [FeatureTrack.Observation], clones: [Clone], anchor: Int, point: AnchoredPoint,
    secondOrderNoise: SecondOrderTrackNoise?, prior: InverseDistancePrior? = nil, cameras: [FilterCamera]
  ) {
    guard var full = Self.linearised(observations, clones, anchor: anchor, point, cameras) else { return nil }
    unexplained = observations.allSatisfy { $0.camera == 0 } ? (full.residual, full.point) : ([], [])
    if let secondOrderNoise {
      full.inflate { index, gradient in secondOrderNoise.variance(observation: index, gradient: gradient) }
    }
    if let prior { full.append(prior, point) }
    var (H, F, r) = (full.pose, full.point, full.residual)
    let blocks = Self.distinct(clones).map(\.block) + (Self.lensBlock(observations, cameras).map { [$0] } ?? [])
    let columns = full.pose.count / full.residual.count, top = AnchoredPoint.errorSize
    guard Int(fuse_la_project(&F, Int32(r.count), Int32(top), &H, Int32(columns), &r)) == FUSE_LA_OK else { return nil }
    rows = LinearisedRows(
      blocks: blocks, jacobian: Array(H[(top * columns)...]), residual: Array(r[top...]))
    definition = Definition(point, factor: F[..<9], residual: r[..<3], jacobian: H[..<(top * columns)])
  }

  /// Each clone once, in order; observations from one clone are adjacent.
  private static func distinct(_ clones: [Clone]) -> [Clone] {
    clones.indices.filter { $0 == 0 || clones[$0].id != clones[$0 - 1].id }.map { clones[$0] }
  }

  /// Block of the lens used by some of the observations, if it is a state.
  private static func lensBlock(_ observations: [FeatureTrack.Observation], _ cameras: [FilterCamera])
    -> ErrorCovariance.Block?
  {
    observations.lazy.compactMap { cameras[$0.camera].lensBlock }.first
  }

  /// The rows before projection, of n observations from m clones: `pose` is 2n x 6m, four columns wider if the lens is
  /// a state, `point` 2n x 3, `residual` 2n; one row more after `append`.
  package struct Linearised {
    package var pose: [Double]
    package var point: [Double]
    package var residual: [Double]
    /// 2n, see `ReprojectionJacobian`.
    var gradients: [Vector3]

    /// Adds to each row the given noise variance, in units of its own, by reducing its weight.
    mutating func inflate(by variance: (_ observation: Int, _ gradient: Vector3) -> Double) {
      let width = pose.count / residual.count
      for row in residual.indices {
        let weight = 1 / (1 + max(variance(row / 2, gradients[row]), 0)).squareRoot()
        for j in 0..<width { pose[row * width + j] *= weight }
        for j in 0..<3 { point[3 * row + j] *= weight }
        residual[row] *= weight
      }
    }

    /// Adds the prior as a measurement of the inverse distance.
    mutating func append(_ prior: InverseDistancePrior, _ at: AnchoredPoint) {
      pose += [Double](repeating: 0, count: pose.count / residual.count)
      point += [0, 0, 1 / prior.sigma]
      residual.append((prior.mean - at.inverseDistance) / prior.sigma)
    }
  }

  /// Residuals and Jacobians of all observations before projection; nil when the lens cannot project the point.
  package static func linearised(
    _ observations: [FeatureTrack.Observation], _ clones: [Clone], anchor: Int, _ point: AnchoredPoint,
    _ cameras: [FilterCamera]
  ) -> Linearised? {
    let n = observations.count
    var column: [Int] = []
    for i in 0..<n {
      column.append(i == 0 ? 0 : column[i - 1] + (clones[i].id == clones[i - 1].id ? 0 : Clone.errorSize))
    }
    let lens = column[n - 1] + Clone.errorSize
    let width = lens + (lensBlock(observations, cameras) == nil ? 0 : LensModel.errorSize)
    var result = Linearised(
      pose: [Double](repeating: 0, count: 2 * n * width), point: [], residual: [], gradients: [])
    result.point.reserveCapacity(6 * n + 3)
    result.residual.reserveCapacity(2 * n + 1)
    result.gradients.reserveCapacity(2 * n)
    for i in 0..<n {
      guard
        let observation = ReprojectionJacobian(
          observations[i].pixel, rowDelay: observations[i].rowDelay, from: clones[i], of: point,
          anchor: clones[anchor], camera: cameras[observations[i].camera])
      else { return nil }
      for row in observation.rows {
        let start = result.residual.count * width
        for axis in 0..<3 {
          // At the anchor itself the two parts cancel.
          result.pose[start + column[i] + axis] += row.rotation[axis]
          result.pose[start + column[i] + 3 + axis] += row.position[axis]
          result.pose[start + column[anchor] + axis] += row.anchorRotation[axis]
          result.pose[start + column[anchor] + 3 + axis] += row.anchorPosition[axis]
        }
        if cameras[observations[i].camera].lensBlock != nil {
          for k in 0..<LensModel.errorSize { result.pose[start + lens + k] = row.lens[k] }
        }
        result.point += [row.point.x, row.point.y, row.point.z]
        result.residual.append(row.residual)
        result.gradients.append(row.gradient)
      }
    }
    return result
  }
}

extension FeatureConstraint.Definition {
  /// From the three rows above the projected ones: `factor` R is 3 x 3, upper triangular.
  fileprivate init?(
    _ point: AnchoredPoint, factor: ArraySlice<Double>, residual: ArraySlice<Double>, jacobian H: ArraySlice<Double>
  ) {
    let R = Matrix3(
      rows: Vector3(factor[0], factor[1], factor[2]), Vector3(0, factor[4], factor[5]), Vector3(0, 0, factor[8]))
    let step = R.inverse.map { $0 * Vector3(residual[0], residual[1], residual[2]) }
    guard let inverse = R.inverse, let step, step.isFinite else { return nil }
    let columns = H.count / 3
    var jacobian = [Double](repeating: 0, count: H.count)
    for j in 0..<columns {
      let moved = inverse * Vector3(H[j], H[columns + j], H[2 * columns + j])
      for i in 0..<3 { jacobian[i * columns + j] = -moved[i] }
    }
    let spread = inverse * inverse.transpose
    self.jacobian = jacobian
    independent = (0..<9).map { spread[$0 / 3, $0 % 3] }
    self.point = point.plus(step)
  }
}

extension FeatureConstraint {
  /// Residuals of the observations from `clones`, in units of the stated noise, for the track noise; nil for tracks
  /// that are too short, or observed by two cameras.
  func sample(_ camera: FilterCamera, _ clones: [Clone]) -> TrackNoiseLearner.Sample? {
    guard clones.count >= TrackNoiseLearner.fewestObservations, !unexplained.residual.isEmpty else { return nil }
    let scale = camera.effectiveNoise / camera.pixelNoise
    return TrackNoiseLearner.Sample(
      residual: unexplained.residual.map { scale * $0 }, point: unexplained.point.map { scale * $0 },
      times: clones.map { $0.timestamp.seconds(since: clones[0].timestamp) })
  }
}

/// Linearised observation (reprojection) of an anchored point.
///
/// Camera i observes `q = R_i^T (R_a b - rho o)`, with o the displacement from the anchor's camera to camera i. With g
/// a gradient of the lens in world axes:
///
///     theta_i: g^T [R_a b - rho (p_i - p_a)]x      p_i: -rho g^T
///     theta_a: -g^T [R_a b]x                       p_a: +rho g^T
///     bearing: g^T R_a [e1 e2]                     rho: -g^T o
///     lens:    (u - c, f), see `LensModel`
///
/// p_i is the position of the clone's camera, which differs from camera i for a second camera, and for a row of a
/// rolling shutter (`Clone.worldFromCamera(_:rowDelay:)`). All are finite at rho = 0, where only rotations are observed.
///
/// First-estimates Jacobians (FEJ): derivatives by the poses are taken at their first estimates, so that rotation and
/// translation of the world cancel for any point. Derivatives by the point are taken at the present estimate. The
/// unobservable directions do not involve it (`AnchoredPoint`), and a first estimate of a short baseline that is off by
/// centimetres would give a wrong distance with a far too small covariance. The same holds for the lens.
package struct ReprojectionJacobian {
  /// One pixel coordinate, in units of its noise.
  package struct Row {
    /// Measured minus predicted, from the present estimates.
    package var residual: Double
    /// By theta and p of the observing clone.
    package var rotation, position: Vector3
    /// By theta and p of the anchor.
    package var anchorRotation, anchorPosition: Vector3
    /// By (d1, d2, rho).
    package var point: Vector3
    /// By the lens' error; not used unless the lens is a state.
    package var lens: SIMD4<Double>
    /// World axes: derivative of the coordinate by `rho` times the camera's position, negated.
    var gradient: Vector3
  }

  /// Column and row of the pixel.
  package let rows: [Row]
  /// Block of the lens' error, if it is a state.
  private let lensBlock: ErrorCovariance.Block?

  /// Nil when the lens cannot project the point.
  package init?(
    _ pixel: SIMD2<Double>, rowDelay: Double = 0, from clone: Clone, of point: AnchoredPoint, anchor: Clone,
    camera: FilterCamera
  ) {
    let cameraNow = clone.worldFromCamera(camera.keptFromCamera, rowDelay: rowDelay)
    let anchorNow = anchor.worldFromCamera
    let offsetNow = cameraNow.translation - anchorNow.translation
    let seen = cameraNow.rotation.inverse * point.scaled(from: offsetNow, worldFromAnchor: anchorNow.rotation)
    guard let projection = camera.lens.project(seen) else { return nil }

    let first = clone.firstWorldFromCamera, firstAnchor = anchor.firstWorldFromCamera
    let rho = point.inverseDistance
    let firstBearing = firstAnchor.rotation * point.bearing
    let scaledPoint = firstBearing - rho * (first.translation - firstAnchor.translation)
    let firstRotation = first.rotation * camera.keptFromCamera.rotation
    let (e1, e2) = point.tangents
    let (d1, d2) = (anchorNow.rotation * e1, anchorNow.rotation * e2)
    let error = (pixel - projection.pixel) / camera.effectiveNoise
    let byLens = camera.lens.errorGradients(at: projection.pixel)
    lensBlock = camera.lensBlock
    rows = [(error.x, projection.columnGradient, byLens.column), (error.y, projection.rowGradient, byLens.row)].map {
      residual, gradient, byLens in
      // Row vectors from the right: g^T [v]x = (g x v)^T.
      let g = firstRotation * gradient / camera.effectiveNoise
      let now = cameraNow.rotation * gradient / camera.effectiveNoise
      return Row(
        residual: residual, rotation: g.cross(scaledPoint), position: -rho * g, anchorRotation: -g.cross(firstBearing),
        anchorPosition: rho * g, point: Vector3(now.dot(d1), now.dot(d2), -now.dot(offsetNow)),
        lens: byLens / camera.effectiveNoise, gradient: now)
    }
  }

  /// The rows over the blocks of observing clone, anchor, landmark and, if it is a state, lens.
  ///
  /// Both errors of the product `rho (p_i - p_a)` are states; the second-order term is added to the noise,
  /// `repetitions` times (`SecondOrderLandmarkNoise`).
  func rows(clone: Clone, anchor: Clone, landmark: Landmark, repetitions: Double, _ covariance: ErrorCovariance)
    -> LinearisedRows
  {
    let own = clone.id == anchor.id
    let secondOrderNoise = SecondOrderLandmarkNoise(
      landmark, clone: clone, anchor: anchor, repetitions: repetitions, covariance)
    var result = LinearisedRows(
      blocks: own ? [clone.block, landmark.block] : [clone.block, anchor.block, landmark.block], jacobian: [],
      residual: [])
    if let lensBlock { result.blocks.append(lensBlock) }
    result.jacobian.reserveCapacity(2 * (2 * Clone.errorSize + AnchoredPoint.errorSize + LensModel.errorSize))
    result.residual.reserveCapacity(2)
    for row in rows {
      let weight = 1 / (1 + secondOrderNoise.variance(row.gradient)).squareRoot()
      let parts =
        own
        ? [row.rotation + row.anchorRotation, row.position + row.anchorPosition, row.point]
        : [row.rotation, row.position, row.anchorRotation, row.anchorPosition, row.point]
      for part in parts { for k in 0..<3 { result.jacobian.append(weight * part[k]) } }
      if lensBlock != nil { for k in 0..<LensModel.errorSize { result.jacobian.append(weight * row.lens[k]) } }
      result.residual.append(weight * row.residual)
    }
    return result
  }
}

/// Camera pose at the time of a frame, from an inertial state and the mount, with its Jacobians.
///
/// The IMU has angular rate w and angular acceleration a (its axes), velocity v and acceleration f; d is the camera's
/// delay. `R_d = R Exp(w d) Exp(a d^2 / 2)`, `w_d = Exp(-a d^2 / 2) w + a d` and `v_d = v + f d`:
///
///     R_C = R_d R_IC                        theta_C = theta + R_d w_d delta + R_C phi
///     p_C = p + v d + f d^2 / 2 + R_d t     dp_C = dp + d dv - [R_d t]x (theta + R_d w_d delta) + v_d delta + R_d tau
package struct CameraPoseFromIMU {
  /// The camera pose.
  package let worldFromCamera: Pose
  private let lever, rate, velocity: Vector3
  private let worldFromDelayed: Rotation
  private let delay: Double
  private let secondDerivative: (rotation: Vector3, position: Vector3)

  /// - Parameters:
  ///   - angularVelocity: of the IMU, its own axes, rad/s.
  ///   - angularAcceleration: of the IMU, its own axes, rad/s^2. May be omitted for small delays, as may the
  ///     acceleration.
  ///   - acceleration: of the IMU, world axes, m/s^2.
  package init(
    _ state: InertialState, angularVelocity: Vector3, angularAcceleration: Vector3 = .zero,
    acceleration: Vector3 = .zero, mount: CameraMount
  ) {
    delay = mount.delay
    velocity = state.velocity + acceleration * delay
    let accelerationRotation = Rotation.exp(angularAcceleration * (0.5 * delay * delay))
    worldFromDelayed = state.rotation * Rotation.exp(angularVelocity * delay) * accelerationRotation
    let displacement = state.velocity * delay + acceleration * (0.5 * delay * delay)
    let delayed = Pose(rotation: worldFromDelayed, translation: state.position + displacement)
    worldFromCamera = delayed * mount.imuFromCamera
    lever = worldFromDelayed * mount.imuFromCamera.translation
    rate = worldFromDelayed * (accelerationRotation.inverse * angularVelocity + angularAcceleration * delay)
    let worldAngularAcceleration = worldFromDelayed * angularAcceleration
    secondDerivative = (
      worldAngularAcceleration,
      acceleration - lever.cross(worldAngularAcceleration) + rate.cross(rate.cross(lever))
    )
  }

  /// Second-order effect of an uncertain delay on the pose: covariance of `secondDerivative delta^2 / 2` for a Gaussian
  /// delta, 6 x 6, row-major. A linear filter neglects it, and the same delta affects all frames.
  package func secondOrderCovariance(delayVariance: Double) -> [Double] {
    let b = [secondDerivative.rotation, secondDerivative.position].flatMap { [$0.x, $0.y, $0.z] }
    let fourth = 0.75 * delayVariance * delayVariance
    return b.flatMap { row in b.map { fourth * row * $0 } }
  }

  /// Velocity of the camera, world axes, m/s.
  var cameraVelocity: Vector3 { velocity - lever.cross(rate) }

  /// Jacobian of (theta_C, dp_C) by the inertial error state, 6 x 15, row-major.
  package var byState: [Double] {
    let width = InertialState.errorSize, minusLeverSkew = -1.0 * lever.skew
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      result[i * width + i] = 1
      for j in 0..<3 { result[(3 + i) * width + j] = minusLeverSkew[i, j] }
      result[(3 + i) * width + 3 + i] = 1
      result[(3 + i) * width + 6 + i] = delay
    }
    return result
  }

  /// Jacobian of (theta_C, dp_C) by the mount's (phi, tau, delta), 6 x 7, row-major.
  package var byMount: [Double] {
    let width = CameraMount.errorSize
    let cameraAxes = worldFromCamera.rotation.matrix, imuAxes = worldFromDelayed.matrix
    let byDelay = cameraVelocity
    var result = [Double](repeating: 0, count: Clone.errorSize * width)
    for i in 0..<3 {
      for j in 0..<3 {
        result[i * width + j] = cameraAxes[i, j]
        result[(3 + i) * width + 3 + j] = imuAxes[i, j]
      }
      result[i * width + 6] = rate[i]
      result[(3 + i) * width + 6] = byDelay[i]
    }
    return result
  }
}
