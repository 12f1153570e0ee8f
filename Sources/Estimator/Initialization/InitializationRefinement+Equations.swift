import CameraGeometry
import Geometry
import Inertial

/// Linearisation.
extension InitializationRefinement {
  /// Blocks of a state among the unknowns, and of the rig: the triples of the intrinsics, then the camera's rotation,
  /// translation and delay (a block's first number).
  func blocks(of state: Int) -> [Int] { Array(5 * state..<5 * state + 5) }
  var axesBlocks: [Int] { isRigid ? [] : Array(5 * states.count..<5 * states.count + 5) }
  var mountBlocks: [Int] { isRigid ? [] : Array(5 * states.count + 5..<5 * states.count + 8) }
  /// True for a carefully calibrated device: the rig is not estimated.
  var isRigid: Bool { !SensorGrade(calibration).isPhone }

  var views: [InitializationView] {
    zip(states, rates).map { InitializationView($0, angularVelocity: $1 - $0.gyroscopeBias, mount: rig.mount) }
  }

  func linearised() -> Linearisation? {
    var result = Linearisation(size: 5 * states.count + axesBlocks.count + mountBlocks.count)
    for (k, factor) in factors.enumerated() {
      let columns = blocks(of: k) + blocks(of: k + 1) + axesBlocks
      factor.add(to: &result.system, columns: columns, states[k], states[k + 1], rig.intrinsics)
    }
    for prior in priors { result.system.addPrior(prior.block, information: prior.information, target: prior.target) }
    let views = views
    for point in points {
      guard let (own, observations) = pointTerm(point, from: views) else { return nil }
      var term = own
      for (observation, seen) in zip(point.observations, observations) {
        term.couple(
          seen.linear, weight: seen.weight, to: columns(of: seen.linear, pose: observation.poseID), &result.system)
      }
      result.observationCost += term.observationCost
      result.system.cost += term.cost
      result.points.append(term)
    }
    return result.system.cost.isFinite ? result : nil
  }

  /// Jacobian of an observation by all unknowns except its point.
  func columns(of observation: InitializationPoint.LinearObservation, pose: Int)
    -> [(index: Int, rows: (Vector3, Vector3))]
  {
    let (a, b) = observation.rows, pose = blocks(of: pose), mount = mountBlocks
    let own = [(pose[0], (a.theta, b.theta)), (pose[1], (a.position, b.position))]
    guard !isRigid else { return own }
    return own + [
      (mount[0], (a.mountRotation, b.mountRotation)), (mount[1], (a.mountTranslation, b.mountTranslation)),
      (mount[2], (Vector3(a.delay, 0, 0), Vector3(b.delay, 0, 0))),
    ]
  }

  /// The cost alone: that of `linearised()`, without its derivatives; nil where it has none.
  package func costOnly() -> Double? {
    var cost = 0.0
    for (k, factor) in factors.enumerated() { cost += factor.cost(states[k], states[k + 1], rig.intrinsics) }
    for prior in priors { cost += (prior.information * prior.target).dot(prior.target) }
    let views = views
    for point in points {
      let residual = (prior.mean - point.inverseDistance) / prior.sigma
      cost += residual * residual
      for observation in point.observations {
        guard let residual = point.residual(observation, from: views[observation.poseID], camera) else { return nil }
        cost += Linearisation.Point.huber(residual, threshold: Self.huberThreshold).cost
      }
    }
    return cost.isFinite ? cost : nil
  }

  /// The priors, each on a block of unknowns: `(target - x)^T W (target - x)` with diagonal W.
  private var priors: [(block: Int, information: Vector3, target: Vector3)] {
    let state = states[fixed], at = blocks(of: fixed)
    func information(_ sigma: Double) -> Vector3 { Vector3(repeating: 1 / (sigma * sigma)) }
    let heading = (state.rotation * gauge.rotation.inverse).log.z
    let last = blocks(of: states.count - 1), biases = states[states.count - 1], grade = SensorGrade(calibration)
    let own = [
      (at[0], Vector3(0, 0, 1) * information(Self.gaugeSigma), Vector3(0, 0, -heading)),
      (at[1], information(Self.gaugeSigma), gauge.translation - state.position),
      (at[2], information(Self.speed), -state.velocity),
      (last[3], information(grade.gyroscopeBias), -biases.gyroscopeBias),
      (last[4], information(grade.accelerometerBias), -biases.accelerometerBias),
    ]
    guard !isRigid else { return own }
    let sigma = information(IMUIntrinsics.sigma(calibration))
    let axes = zip(axesBlocks, rig.intrinsics.triples).map { ($0, sigma, -$1) }
    let nominal = RigEstimate(mount: CameraMount(imuFromCamera: camera.imuFromCamera))
    let off = nominal.mount.minus(rig.mount) + [0, 0], sigmas = CameraMount.errorSigmas + [1, 1]
    let mount = mountBlocks.enumerated().map { i, block in
      func triple(_ a: [Double]) -> Vector3 { Vector3(a[3 * i], a[3 * i + 1], a[3 * i + 2]) }
      return (block, 1 / (triple(sigmas) * triple(sigmas)), triple(off))
    }
    return own + axes + mount
  }

  /// A point's own equations, and its observations with their weights; nil where the lens cannot project it.
  func pointTerm(_ point: InitializationPoint, from views: [InitializationView])
    -> (term: Linearisation.Point, observations: [(linear: InitializationPoint.LinearObservation, weight: Double)])?
  {
    var term = Linearisation.Point()
    let residual = (prior.mean - point.inverseDistance) / prior.sigma
    term.square[2, 2] += 1 / (prior.sigma * prior.sigma)
    term.right.z += residual / prior.sigma
    term.cost = residual * residual
    var observations: [(linear: InitializationPoint.LinearObservation, weight: Double)] = []
    observations.reserveCapacity(point.observations.count)
    for observation in point.observations {
      guard let linear = point.linearised(observation, from: views[observation.poseID], camera) else { return nil }
      observations.append((linear, term.add(linear, threshold: Self.huberThreshold)))
    }
    term.cost += term.observationCost
    return (term, observations)
  }
}
