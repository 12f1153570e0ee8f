import Geometry
import Inertial
import Vision

/// Most probable states and points of the window of a start, and how well the last state is known.
///
/// Unknowns: (theta, p, v) of every pose, both biases, and the points, which are eliminated (Schur complement). Factors:
/// sights with Huber's weights, inertial stretches, the biases' prior, and the free choice of place and heading: they are as
/// given at one of the poses. Levenberg and Marquardt's method.
/// Source: Triggs et al., "Bundle adjustment: a modern synthesis", 2000, doi:10.1007/3-540-44480-7_21.
package struct StartRefinement {
  /// Residual of a sight, in sigmas, from which it counts less (Huber).
  static let doubtful = 2.5
  /// Place and heading are ours to choose: 1-sigma, m and rad.
  static let chosen = 1e-4
  /// Speed of a carried device, 1-sigma, m/s.
  static let speed = 5.0

  /// States at the frames; all have the same biases.
  package private(set) var states: [InertialState]
  /// The points.
  package private(set) var points: [StartPoint]

  private let factors: [InertialFactor]
  private let camera: FilterCamera
  private let grade: SensorGrade
  private let prior: InverseDistancePrior
  private let fixed: Int
  private let place: Pose
  private var linear: Linearisation

  /// - Parameter fixed: the pose whose place and heading are kept.
  /// - Returns: nil when a point cannot be seen from where it was seen, or a number is not finite.
  package init?(
    states: [InertialState], fixed: Int, points: [StartPoint], factors: [InertialFactor], camera: FilterCamera,
    grade: SensorGrade
  ) {
    precondition(states.count == factors.count + 1, "a stretch between each two states")
    self.states = states
    self.points = points
    self.factors = factors
    self.camera = camera
    self.grade = grade
    // A prior that all points share counts once, not once for every point: else many points would fix the scale.
    let common = InverseDistancePrior.handHeld
    prior = InverseDistancePrior(
      mean: common.mean, sigma: common.sigma * Double(max(points.count, 1)).squareRoot())
    self.fixed = fixed
    place = states[fixed].worldFromIMU
    linear = Linearisation(size: 3 * states.count + 2)
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
    let last = 3 * (states.count - 1)
    return linear.reduced(damping: 0)?.system.covariance(of: [
      last, last + 1, last + 2, 3 * states.count, 3 * states.count + 1,
    ])
  }

  /// The cost reached.
  package var cost: Double { linear.cost }

  /// The same with other points.
  package func with(_ points: [StartPoint]) -> StartRefinement? {
    StartRefinement(states: states, fixed: fixed, points: points, factors: factors, camera: camera, grade: grade)
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
      states: newStates, fixed: index, points: newPoints, factors: factors, camera: camera, grade: grade)
  }

  /// Cost of the sights per degree of freedom: 1 where noise and model are right.
  package var misfit: Double {
    let sights = points.reduce(0) { $0 + $1.sights.count }
    return linear.sightCost / Double(max(2 * sights - 3 * points.count - 11, 1))
  }

  /// Points whose sights agree as well as those of most: mean squared residual within three times the median, or three
  /// where that is more. All residuals grow where the noise is stated too small, and where outliers still pull.
  package var agreeing: [StartPoint] {
    let squares = points.map { point in
      let sum = point.sights.reduce(0.0) { sum, sight in
        let error = point.linearised(sight, from: states[sight.poseID].worldFromIMU, camera)?.residual
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

  private func moved(by step: Linearisation.Step) -> StartRefinement {
    var result = self
    let biases = 3 * states.count
    for k in states.indices {
      let parts = [3 * k, 3 * k + 1, 3 * k + 2, biases, biases + 1].flatMap { i -> [Double] in
        [step.states[i].x, step.states[i].y, step.states[i].z]
      }
      result.states[k] = states[k].plus(parts)
    }
    for i in points.indices { result.points[i] = points[i].plus(step.points[i]) }
    return result
  }

  /// The first state, and where the inertial samples carry it.
  private var carried: StartRefinement {
    var result = self
    for (k, factor) in factors.enumerated() { result.states[k + 1] = factor.carried(result.states[k]) }
    result.settlePoints()
    return result
  }

  /// Moves the points to where the poses, as they are, see them.
  private mutating func settlePoints() {
    for i in points.indices {
      guard var term = pointTerm(points[i], withPoses: false) else { continue }
      for _ in 0..<3 {
        guard let step = term.square.inverse.map({ $0 * term.right }), step.isFinite else { break }
        let moved = points[i].plus(step)
        guard let next = pointTerm(moved, withPoses: false), next.cost < term.cost else { break }
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
    let count = states.count, biases = 3 * count
    var result = Linearisation(size: biases + 2)
    for (k, factor) in factors.enumerated() {
      let columns = Array((3 * k)..<(3 * k + 6)) + [biases, biases + 1]
      factor.add(to: &result.system, columns: columns, states[k], states[k + 1])
    }
    addPriors(&result.system)
    for point in points {
      guard let term = pointTerm(point, withPoses: true) else { return nil }
      result.sightCost += term.sightCost
      result.system.cost += term.cost
      result.points.append(term)
    }
    return result.system.cost.isFinite ? result : nil
  }

  private func addPriors(_ system: inout BlockSystem) {
    let state = states[fixed], at = 3 * fixed
    func information(_ sigma: Double) -> Vector3 { Vector3(repeating: 1 / (sigma * sigma)) }
    let heading = (state.rotation * place.rotation.inverse).log.z
    system.addPrior(at, information: Vector3(0, 0, 1) * information(Self.chosen), target: Vector3(0, 0, -heading))
    system.addPrior(at + 1, information: information(Self.chosen), target: place.translation - state.position)
    system.addPrior(at + 2, information: information(Self.speed), target: -state.velocity)
    system.addPrior(
      3 * states.count, information: information(grade.gyroscopeBias), target: -state.gyroscopeBias)
    system.addPrior(
      3 * states.count + 1, information: information(grade.accelerometerBias), target: -state.accelerometerBias)
  }

  private func pointTerm(_ point: StartPoint, withPoses: Bool) -> Linearisation.Point? {
    var term = Linearisation.Point()
    if withPoses { term.poses.reserveCapacity(point.sights.count) }
    let pull = (prior.mean - point.inverseDistance) / prior.sigma
    term.square[2, 2] += 1 / (prior.sigma * prior.sigma)
    term.right.z += pull / prior.sigma
    term.cost = pull * pull
    for sight in point.sights {
      guard let linear = point.linearised(sight, from: states[sight.poseID].worldFromIMU, camera) else { return nil }
      term.add(linear, pose: withPoses ? sight.poseID : nil, doubtful: Self.doubtful)
    }
    term.cost += term.sightCost
    return term
  }
}
