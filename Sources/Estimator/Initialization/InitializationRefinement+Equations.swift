import Geometry
import Inertial
import CameraGeometry

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
    addPriors(&result.system)
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

  private func addPriors(_ system: inout BlockSystem) {
    let state = states[fixed], at = blocks(of: fixed)
    func information(_ sigma: Double) -> Vector3 { Vector3(repeating: 1 / (sigma * sigma)) }
    let heading = (state.rotation * gauge.rotation.inverse).log.z
    system.addPrior(
      at[0], information: Vector3(0, 0, 1) * information(Self.gaugeSigma), target: Vector3(0, 0, -heading))
    system.addPrior(at[1], information: information(Self.gaugeSigma), target: gauge.translation - state.position)
    system.addPrior(at[2], information: information(Self.speed), target: -state.velocity)
    let last = blocks(of: states.count - 1), biases = states[states.count - 1], grade = SensorGrade(calibration)
    system.addPrior(last[3], information: information(grade.gyroscopeBias), target: -biases.gyroscopeBias)
    system.addPrior(last[4], information: information(grade.accelerometerBias), target: -biases.accelerometerBias)
    guard !isRigid else { return }
    let sigma = information(IMUIntrinsics.sigma(calibration))
    for (block, triple) in zip(axesBlocks, rig.intrinsics.triples) {
      system.addPrior(block, information: sigma, target: -triple)
    }
    let nominal = RigEstimate(mount: CameraMount(imuFromCamera: camera.imuFromCamera))
    let off = nominal.mount.minus(rig.mount) + [0, 0], sigmas = CameraMount.errorSigmas + [1, 1]
    for (i, block) in mountBlocks.enumerated() {
      func triple(_ a: [Double]) -> Vector3 { Vector3(a[3 * i], a[3 * i + 1], a[3 * i + 2]) }
      system.addPrior(block, information: 1 / (triple(sigmas) * triple(sigmas)), target: triple(off))
    }
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
