import Geometry
import Inertial
import SensorData
import Vision

/// Most probable states and points of the window of a start, and how well the last state is known.
///
/// Unknowns: (theta, p, v, b_g, b_a) of every pose, the rig where nobody calibrated it with care, and the points, which are
/// eliminated (Schur complement). Factors: sights with Huber's weights, inertial stretches, the priors of biases and rig, and the
/// free choice of place and heading: they are as given at one of the poses. Levenberg and Marquardt's method.
/// Source: Triggs et al., "Bundle adjustment: a modern synthesis", 2000, doi:10.1007/3-540-44480-7_21.
package struct StartRefinement {
  /// Residual of a sight, in sigmas, from which it counts less (Huber).
  static let doubtful = 2.5
  /// Place and heading are ours to choose: 1-sigma, m and rad.
  static let chosen = 1e-4
  /// Speed of a carried device, 1-sigma, m/s.
  static let speed = 5.0

  /// States at the frames.
  package private(set) var states: [InertialState]
  /// The camera on the inertial unit, and that one's axes.
  package private(set) var rig: RigEstimate
  /// The points.
  package private(set) var points: [StartPoint]

  private let factors: [InertialFactor]
  private var camera: FilterCamera
  private let calibration: IMUCalibration
  /// Measured at the frames, IMU axes, rad/s.
  private let rates: [Vector3]
  private let prior: InverseDistancePrior
  private let fixed: Int
  private let place: Pose
  private var linear: Linearisation

  /// - Parameters:
  ///   - fixed: the pose whose place and heading are kept.
  ///   - rates: measured angular velocity at each state, IMU axes, rad/s.
  /// - Returns: nil when a point cannot be seen from where it was seen, or a number is not finite.
  package init?(
    states: [InertialState], rig: RigEstimate, fixed: Int, points: [StartPoint], factors: [InertialFactor],
    rates: [Vector3], camera: FilterCamera, calibration: IMUCalibration
  ) {
    precondition(states.count == factors.count + 1 && states.count == rates.count, "a stretch between each two states")
    self.states = states
    self.rig = rig
    self.points = points
    self.factors = factors
    self.camera = camera
    self.calibration = calibration
    self.rates = rates
    // A prior that all points share counts once, not once for every point: else many points would fix the scale.
    let common = InverseDistancePrior.handHeld
    prior = InverseDistancePrior(
      mean: common.mean, sigma: common.sigma * Double(max(points.count, 1)).squareRoot())
    self.fixed = fixed
    place = states[fixed].worldFromIMU
    linear = Linearisation(size: 0)
    guard let start = linearised() else { return nil }
    linear = start
  }

  /// Descends; true when it came to rest within `rounds`.
  package mutating func descend(rounds: Int) -> Bool {
    var damping = 1e-5
    for _ in 0..<rounds {
      guard let step = linear.step(damping: damping) else { return false }
      // Far from the solution, poses that move each by its own step leave the narrow valley of what the inertial samples
      // allow; carrying the first state through them does not.
      let moved = moved(by: step)
      let candidates = [moved, moved.carried].compactMap { $0.relinearised() }
      guard let best = candidates.min(by: { $0.linear.cost < $1.linear.cost }), best.linear.cost <= linear.cost else {
        damping = max(damping * 30, 1e-3)
        if damping > 1e8 { return true }
        continue
      }
      let gain = linear.cost - best.linear.cost
      self = best
      damping = max(damping / 10, 1e-9)
      if gain < 1e-3 * Double(points.count) { return true }
    }
    return false
  }

  /// Covariance of the last state (theta, p, v, b_g, b_a), 15 x 15 row-major; nil when it is not determined.
  package var covariance: [Double]? {
    linear.reduced(damping: 0)?.system.covariance(of: blocks(of: states.count - 1))
  }

  /// The cost reached.
  package var cost: Double { linear.cost }

  /// The same with other points.
  package func with(_ points: [StartPoint]) -> StartRefinement? {
    StartRefinement(
      states: states, rig: rig, fixed: fixed, points: points, factors: factors, rates: rates, camera: camera,
      calibration: calibration)
  }

  /// The same with sights that err as `noise` says, frames being `spacing` seconds apart.
  package func with(_ noise: TrackNoise, spacing: Double) -> StartRefinement? {
    var result = self
    result.camera.effectiveNoise = camera.pixelNoise / noise.loneWeight(after: spacing)
    return result.relinearised()
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

  /// The same in the world in which the pose at `index` stands at the place and with the heading of `pose`, which become
  /// the fixed ones.
  package func placed(_ index: Int, at pose: Pose) -> StartRefinement? {
    let old = states[index].worldFromIMU
    let turn = Rotation.yaw((pose.rotation * old.rotation.inverse).twistAboutZ)
    func moved(_ point: Vector3) -> Vector3 { pose.translation + turn * (point - old.translation) }
    let newStates = states.map { old in
      var state = old
      state.rotation = turn * old.rotation
      state.position = moved(old.position)
      state.velocity = turn * old.velocity
      return state
    }
    let newPoints = points.map { old in
      var point = old
      point.anchor = moved(old.anchor)
      point.bearing = turn * old.bearing
      return point
    }
    return StartRefinement(
      states: newStates, rig: rig, fixed: index, points: newPoints, factors: factors, rates: rates, camera: camera,
      calibration: calibration)
  }

  /// Cost of the sights per degree of freedom: 1 where noise and model are right.
  package var misfit: Double {
    let sights = points.reduce(0) { $0 + $1.sights.count }
    return linear.sightCost / Double(max(2 * sights - 3 * points.count - 11, 1))
  }

  /// Points whose sights agree as well as those of most: mean squared residual within three times the median, or three
  /// where that is more. All residuals grow where the noise is stated too small, and where outliers still pull.
  package var agreeing: [StartPoint] {
    let views = views
    let squares = points.map { point in
      let sum = point.sights.reduce(0.0) { sum, sight in
        let error = point.linearised(sight, from: views[sight.poseID], camera)?.residual
        return sum + (error.map { ($0 * $0).sum() } ?? .infinity)
      }
      return sum / Double(2 * point.sights.count)
    }
    var sorted = squares
    let limit = 3 * max(Disparity.median(&sorted) ?? 1, 1)
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

  // MARK: The parts

  /// Where a state stands among the unknowns, and the rig: the triples of its axes, the camera's rotation and translation, and its
  /// delay, which is a block's first number.
  private func blocks(of state: Int) -> [Int] { Array(5 * state..<5 * state + 5) }
  private var axesBlocks: [Int] { isRigid ? [] : Array(5 * states.count..<5 * states.count + 5) }
  private var mountBlocks: [Int] { isRigid ? [] : Array(5 * states.count + 5..<5 * states.count + 8) }
  /// True for a device that was calibrated with care: the rig is what it is said to be.
  private var isRigid: Bool { !SensorGrade(calibration).isPhone }

  private var views: [StartView] {
    zip(states, rates).map { StartView($0, angularVelocity: $1 - $0.gyroscopeBias, mount: rig.mount) }
  }

  private func moved(by step: Linearisation.Step) -> StartRefinement {
    var result = self
    func numbers(_ blocks: [Int]) -> [Double] { blocks.flatMap { i in (0..<3).map { step.states[i][$0] } } }
    for k in states.indices { result.states[k] = states[k].plus(numbers(blocks(of: k))) }
    if !isRigid { result.rig = rig.plus((numbers(mountBlocks).prefix(7) + numbers(axesBlocks))[...]) }
    for i in points.indices { result.points[i] = points[i].plus(step.points[i]) }
    return result
  }

  /// The first state, and where the inertial samples carry it.
  private var carried: StartRefinement {
    var result = self
    for (k, factor) in factors.enumerated() {
      result.states[k + 1] = factor.carried(result.states[k], rig.intrinsics)
      (result.states[k + 1].gyroscopeBias, result.states[k + 1].accelerometerBias) = (
        states[k + 1].gyroscopeBias, states[k + 1].accelerometerBias
      )
    }
    result.settlePoints()
    return result
  }

  /// Moves the points to where the poses, as they are, see them.
  private mutating func settlePoints() {
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

  private func relinearised() -> StartRefinement? {
    var result = self
    guard let linear = linearised() else { return nil }
    result.linear = linear
    return result
  }

  private func linearised() -> Linearisation? {
    var result = Linearisation(size: 5 * states.count + axesBlocks.count + mountBlocks.count)
    for (k, factor) in factors.enumerated() {
      let columns = blocks(of: k) + blocks(of: k + 1) + axesBlocks
      factor.add(to: &result.system, columns: columns, states[k], states[k + 1], rig.intrinsics)
    }
    addPriors(&result.system)
    let views = views
    for point in points {
      guard var (term, sights) = pointTerm(point, from: views) else { return nil }
      for (sight, seen) in zip(point.sights, sights) {
        term.tie(seen.linear, weight: seen.weight, to: columns(of: seen.linear, pose: sight.poseID), &result.system)
      }
      result.sightCost += term.sightCost
      result.system.cost += term.cost
      result.points.append(term)
    }
    return result.system.cost.isFinite ? result : nil
  }

  /// What a sight depends on but its point.
  private func columns(of sight: StartPoint.LinearSight, pose: Int) -> [(index: Int, rows: (Vector3, Vector3))] {
    let (a, b) = sight.rows, pose = blocks(of: pose), mount = mountBlocks
    let own = [(pose[0], (a.theta, b.theta)), (pose[1], (a.position, b.position))]
    guard !isRigid else { return own }
    return own + [
      (mount[0], (a.mountRotation, b.mountRotation)), (mount[1], (a.mountTranslation, b.mountTranslation)),
      (mount[2], (Vector3(a.delay, 0, 0), Vector3(b.delay, 0, 0))),
    ]
  }

  private func addPriors(_ system: inout BlockSystem) {
    let state = states[fixed], at = blocks(of: fixed)
    func information(_ sigma: Double) -> Vector3 { Vector3(repeating: 1 / (sigma * sigma)) }
    let heading = (state.rotation * place.rotation.inverse).log.z
    system.addPrior(at[0], information: Vector3(0, 0, 1) * information(Self.chosen), target: Vector3(0, 0, -heading))
    system.addPrior(at[1], information: information(Self.chosen), target: place.translation - state.position)
    system.addPrior(at[2], information: information(Self.speed), target: -state.velocity)
    let last = blocks(of: states.count - 1), biases = states[states.count - 1], grade = SensorGrade(calibration)
    system.addPrior(last[3], information: information(grade.gyroscopeBias), target: -biases.gyroscopeBias)
    system.addPrior(last[4], information: information(grade.accelerometerBias), target: -biases.accelerometerBias)
    guard !isRigid else { return }
    let sigma = information(IMUIntrinsics.sigma(calibration))
    for (block, triple) in zip(axesBlocks, rig.intrinsics.triples) {
      system.addPrior(block, information: sigma, target: -triple)
    }
    let said = RigEstimate(mount: CameraMount(imuFromCamera: camera.imuFromCamera))
    let off = said.mount.minus(rig.mount) + [0, 0], sigmas = CameraMount.errorSigmas + [1, 1]
    for (i, block) in mountBlocks.enumerated() {
      func triple(_ a: [Double]) -> Vector3 { Vector3(a[3 * i], a[3 * i + 1], a[3 * i + 2]) }
      system.addPrior(block, information: 1 / (triple(sigmas) * triple(sigmas)), target: triple(off))
    }
  }

  /// A point's own equations, and its sights with their weights; nil where the lens cannot see it.
  private func pointTerm(_ point: StartPoint, from views: [StartView])
    -> (term: Linearisation.Point, sights: [(linear: StartPoint.LinearSight, weight: Double)])?
  {
    var term = Linearisation.Point()
    let pull = (prior.mean - point.inverseDistance) / prior.sigma
    term.square[2, 2] += 1 / (prior.sigma * prior.sigma)
    term.right.z += pull / prior.sigma
    term.cost = pull * pull
    var sights: [(linear: StartPoint.LinearSight, weight: Double)] = []
    sights.reserveCapacity(point.sights.count)
    for sight in point.sights {
      guard let linear = point.linearised(sight, from: views[sight.poseID], camera) else { return nil }
      sights.append((linear, term.add(linear, doubtful: Self.doubtful)))
    }
    term.cost += term.sightCost
    return (term, sights)
  }
}
