internal import CLinearAlgebra
import CameraGeometry
import Geometry
import Inertial
import LeastSquares
import SensorData

/// Maximum a posteriori states and points of the initialisation window, with the covariance of the last state.
///
/// Unknowns: (theta, p, v, b_g, b_a) of every pose, the rig unless carefully calibrated, and the points, which are
/// eliminated (Schur complement). Factors: observations with Huber weights, inertial factors, priors on biases and rig,
/// and the gauge: position and heading are fixed at one pose. Levenberg-Marquardt.
/// Source: Triggs et al., "Bundle adjustment: a modern synthesis", 2000, doi:10.1007/3-540-44480-7_21.
package struct InitializationRefinement {
  /// Loss of an observation's residual, sigmas.
  static let loss = HuberLoss(threshold: 2.5)
  /// 1-sigma of the gauge prior on position and heading, m and rad.
  static let gaugeSigma = 1e-4
  /// Prior 1-sigma of the speed of a hand-held device, m/s.
  static let speed = 5.0

  /// States at the frames.
  package private(set) var states: [InertialState]
  /// Camera mount and IMU intrinsics.
  package private(set) var rig: RigEstimate
  /// The points.
  package private(set) var points: [InitializationPoint]

  let factors: [InertialFactor]
  var camera: FilterCamera
  let calibration: IMUCalibration
  /// Angular rate measured at the frames, IMU axes, rad/s.
  let rates: [Vector3]
  let prior: InverseDistancePrior
  let fixed: Int
  let gauge: Pose
  private(set) var linear: Linearisation

  /// - Parameters:
  ///   - fixed: index of the pose whose position and heading are fixed.
  ///   - rates: measured angular velocity at each state, IMU axes, rad/s.
  /// - Returns: nil when a point cannot be projected into a frame that observed it, or a number is not finite.
  package init?(
    states: [InertialState], rig: RigEstimate, fixed: Int, points: [InitializationPoint], factors: [InertialFactor],
    rates: [Vector3], camera: FilterCamera, calibration: IMUCalibration
  ) {
    precondition(
      states.count == factors.count + 1 && states.count == rates.count, "an interval between each two states")
    self.states = states
    self.rig = rig
    self.points = points
    self.factors = factors
    self.camera = camera
    self.calibration = calibration
    self.rates = rates
    // A prior shared by all points counts once, not once per point: otherwise many points would determine the scale.
    let common = InverseDistancePrior.handHeld
    prior = InverseDistancePrior(
      mean: common.mean, sigma: common.sigma * Double(max(points.count, 1)).squareRoot())
    self.fixed = fixed
    gauge = states[fixed].worldFromIMU
    linear = Linearisation(size: 0)
    guard let start = linearised() else { return nil }
    linear = start
  }

  /// Descends; true if converged within `rounds` steps. See `Descent`.
  package mutating func descend(rounds: Int, gain: Double? = nil) -> Bool {
    var descent = Descent(self, rounds: rounds, gain: gain)
    while true {
      let end = descent.step()
      self = descent.refinement
      if let end { return end }
    }
  }

  /// The present cost.
  package var cost: Double { linear.cost }

  /// The same with other points.
  package func with(_ points: [InitializationPoint]) -> InitializationRefinement? {
    InitializationRefinement(
      states: states, rig: rig, fixed: fixed, points: points, factors: factors, rates: rates, camera: camera,
      calibration: calibration)
  }

  /// The same with observation noise from the track noise model, for frames `spacing` seconds apart.
  package func with(_ noise: TrackNoise, spacing: Double) -> InitializationRefinement? {
    var result = self
    result.camera.effectiveNoise = camera.pixelNoise / noise.loneWeight(after: spacing)
    return result.relinearised()
  }

  /// The same with another gauge: the pose at `index` gets position and heading of `pose`, and is fixed.
  func withGauge(_ index: Int, at pose: Pose) -> InitializationRefinement? {
    let old = states[index].worldFromIMU
    let yaw = Rotation.yaw((pose.rotation * old.rotation.inverse).twistAboutZ)
    func moved(_ point: Vector3) -> Vector3 { pose.translation + yaw * (point - old.translation) }
    let newStates = states.map { old in
      var state = old
      state.rotation = yaw * old.rotation
      state.position = moved(old.position)
      state.velocity = yaw * old.velocity
      return state
    }
    let newPoints = points.map { old in
      var point = old
      point.place.origin = moved(old.place.origin)
      point.place.bearing = yaw * old.place.bearing
      return point
    }
    return InitializationRefinement(
      states: newStates, rig: rig, fixed: index, points: newPoints, factors: factors, rates: rates, camera: camera,
      calibration: calibration)
  }

  func moved(by step: Linearisation.Step) -> InitializationRefinement {
    var result = self
    func numbers(_ blocks: [Int]) -> [Double] { blocks.flatMap { i in (0..<3).map { step.states[i][$0] } } }
    for k in states.indices { result.states[k] = states[k].plus(numbers(blocks(of: k))) }
    if !isRigid { result.rig = rig.plus((numbers(mountBlocks).prefix(7) + numbers(axesBlocks))[...]) }
    for i in points.indices { result.points[i] = points[i].plus(step.points[i]) }
    return result
  }

  /// The first state and its propagation by the inertial samples.
  var carried: InitializationRefinement {
    var result = self
    for (k, factor) in factors.enumerated() {
      result.states[k + 1] = factor.carried(result.states[k], rig.intrinsics)
      (result.states[k + 1].gyroscopeBias, result.states[k + 1].accelerometerBias) = (
        states[k + 1].gyroscopeBias, states[k + 1].accelerometerBias
      )
    }
    result.refinePoints()
    return result
  }

  /// Optimises the points with the poses fixed.
  private mutating func refinePoints() {
    let views = views
    for i in points.indices {
      guard var term = pointTerm(points[i], from: views)?.term else { continue }
      for _ in 0..<3 {
        guard let step = term.square.inverse.map({ $0 * term.right }), step.isFinite else { break }
        let moved = points[i].plus(step)
        guard let next = pointTerm(moved, from: views)?.term, next.cost < term.cost else { break }
        (points[i], term) = (moved, next)
      }
    }
  }

  func relinearised() -> InitializationRefinement? {
    var result = self
    guard let linear = linearised() else { return nil }
    result.linear = linear
    return result
  }

  // Quality of the result.

  /// Covariance of the last state (theta, p, v, b_g, b_a), 15 x 15 row-major; nil if the system is singular.
  package var covariance: [Double]? {
    linear.reduced(damping: 0)?.system.covariance(of: blocks(of: states.count - 1))
  }

  /// Track noise estimated from the points' residuals; `times` are those of the states, seconds.
  package func trackNoise(_ times: [Double]) -> TrackNoise {
    let views = views, reprojection = reprojection, scale = camera.effectiveNoise / camera.pixelNoise
    var learner = TrackNoiseLearner()
    for point in points {
      let observations = point.observations.compactMap {
        reprojection.linearised(views[$0.poseID], point.place, pixel: $0.pixel)
      }
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
  var reducedCost: Double {
    let observations = points.reduce(0) { $0 + $1.observations.count }
    return linear.observationCost / Double(max(2 * observations - 3 * points.count - 11, 1))
  }

  /// Points whose mean squared residual is within twice the median, or within two if that is more. All residuals grow
  /// where the noise is stated too small and where outliers still have influence.
  package var residualInliers: [InitializationPoint] {
    let views = views, reprojection = reprojection
    let squares = points.map { point in
      let sum = point.observations.reduce(0.0) { sum, observation in
        let error = reprojection.residual(
          views[observation.poseID].worldFromCamera, point.place, pixel: observation.pixel)
        return sum + (error.map { ($0 * $0).sum() } ?? .infinity)
      }
      return sum / Double(2 * point.observations.count)
    }
    let limit = 2 * max(squares.median ?? 1, 1)
    return zip(points, squares).filter { $0.1 <= limit }.map(\.0)
  }

  /// Median angle, radians, between a point's first and last directions, with the poses' rotation removed.
  package var parallax: Double {
    let angles = points.map { point in
      let directions = [point.observations[0], point.observations[point.observations.count - 1]].map {
        states[$0.poseID].rotation * (camera.imuFromCamera.rotation * $0.direction)
      }
      return directions[0].cross(directions[1]).norm
    }
    return angles.median ?? 0
  }

  // Outlier removal by deletion residuals.

  /// Residual of a point's observations against their prediction from all other points.
  package struct DeletionResidual {
    /// Normalised and squared: chi-square of `freedom` degrees for a stationary point.
    package var square: Double
    /// Degrees of freedom: two per observation, less two.
    package var freedom: Int
  }

  /// Points consistent with all others, or nil if all are. The worst outliers are removed first, because they mask
  /// others.
  ///
  /// A slowly sliding point pulls the states towards itself, the more so the weaker the other information, and then has
  /// small residuals. Its deletion residual excludes that influence: 99.9 % of stationary points are within the limit.
  package var deletionInliers: [InitializationPoint]? {
    guard let all = deletionResiduals else { return nil }
    let scale = max(1, all.map { $0.square / Double($0.freedom) }.median ?? 1)
    let ratios = all.map { $0.square / (scale * ChiSquared.gate999($0.freedom)) }
    guard let worst = ratios.max(), worst > 1 else { return nil }
    return zip(points, ratios).filter { $0.1 < max(1, Self.jointRejectionRatio * worst) }.map(\.0)
  }

  /// Points above this fraction of the worst one's ratio, and above the limit, are removed together with it.
  private static let jointRejectionRatio = 0.6

  /// Deletion residual of every point; nil if the system is singular. With residuals r and covariance P of the states,
  /// both after elimination of the point, it is `r^T (I - H P H^T)^-1 r`: the squared residual of the point, normalised
  /// by its covariance, had the point not been used.
  ///
  /// O(s^3) for s states, and O(n^3) for each point of n observations. Source: Cook and Weisberg, "Residuals and
  /// Influence in Regression", 1982, section 2.2.
  package var deletionResiduals: [DeletionResidual]? {
    let size = linear.system.size, views = views
    guard let covariance = linear.reduced(damping: 0)?.system.covariance(of: Array(0..<size)) else { return nil }
    var result: [DeletionResidual] = []
    for point in points {
      guard let rows = projected(point, from: views) else { return nil }
      let (n, m) = (rows.residual.count, rows.unknowns.count)
      var spread = [Double](repeating: 0, count: n * m)  // H P
      for i in 0..<n {
        for (a, row) in rows.unknowns.enumerated() {
          let h = rows.jacobian[i * m + a], from = row * 3 * size
          if h != 0 {
            for (b, column) in rows.unknowns.enumerated() { spread[i * m + b] += h * covariance[from + column] }
          }
        }
      }
      var left = [Double](repeating: 0, count: n * n)  // I - H P H^T
      for i in 0..<n {
        for j in i..<n {
          let shared = (0..<m).reduce(0) { $0 + spread[i * m + $1] * rows.jacobian[j * m + $1] }
          left[i * n + j] = (i == j ? 1 : 0) - shared
        }
      }
      var solved = rows.residual
      guard Int(fuse_la_solve(left, Int32(n), &solved, 1)) == FUSE_LA_OK else { return nil }
      result.append(DeletionResidual(square: zip(rows.residual, solved).reduce(0) { $0 + $1.0 * $1.1 }, freedom: n))
    }
    return result
  }

  /// Null-space projection of a point's observations and its distance prior: rows over the states alone. `unknowns` are
  /// those of the states.
  private func projected(_ point: InitializationPoint, from views: [Reprojection.View])
    -> (unknowns: [Int], jacobian: [Double], residual: [Double])?
  {
    guard let (_, observations) = pointTerm(point, from: views) else { return nil }
    let blocks = zip(point.observations, observations).map { columns(of: $1.linear, pose: $0.poseID) }
    let indices = Set(blocks.joined().map(\.index)).sorted()
    let unknowns = indices.flatMap { 3 * $0..<3 * $0 + 3 }
    let rows = 2 * observations.count + 1, m = unknowns.count
    var H = [Double](repeating: 0, count: rows * m), F = [Double](repeating: 0, count: rows * 3)
    var r = [Double](repeating: 0, count: rows)
    for (k, (observation, own)) in zip(observations, blocks).enumerated() {
      let weight = observation.weight.squareRoot()
      let point = [observation.linear.rows.0.point, observation.linear.rows.1.point]
      for axis in 0..<2 {
        let row = 2 * k + axis
        r[row] = -weight * observation.linear.residual[axis]
        for c in 0..<3 { F[3 * row + c] = weight * point[axis][c] }
        for (index, pair) in own {
          guard let at = unknowns.firstIndex(of: 3 * index) else { continue }
          let values = axis == 0 ? pair.0 : pair.1
          for c in 0..<3 { H[row * m + at + c] = weight * values[c] }
        }
      }
    }
    r[rows - 1] = (prior.mean - point.place.inverseDistance) / prior.sigma
    F[3 * rows - 1] = 1 / prior.sigma
    guard Int(fuse_la_project(&F, Int32(rows), 3, &H, Int32(m), &r)) == FUSE_LA_OK else { return nil }
    return (unknowns, Array(H[(3 * m)...]), Array(r[3...]))
  }
}
