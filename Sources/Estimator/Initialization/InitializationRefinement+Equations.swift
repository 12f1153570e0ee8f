import Geometry
import Inertial
import CameraGeometry

/// The linearised equations.
extension InitializationRefinement {
  /// Where a state stands among the unknowns, and the rig: the triples of its axes, the camera's rotation and translation, and its
  /// delay, which is a block's first number.
  func blocks(of state: Int) -> [Int] { Array(5 * state..<5 * state + 5) }
  var axesBlocks: [Int] { isRigid ? [] : Array(5 * states.count..<5 * states.count + 5) }
  var mountBlocks: [Int] { isRigid ? [] : Array(5 * states.count + 5..<5 * states.count + 8) }
  /// True for a device that was calibrated with care: the rig is what it is said to be.
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
      guard let (own, sights) = pointTerm(point, from: views) else { return nil }
      var term = own
      for (sight, seen) in zip(point.sights, sights) {
        term.tie(seen.linear, weight: seen.weight, to: columns(of: seen.linear, pose: sight.poseID), &result.system)
      }
      result.observationCost += term.observationCost
      result.system.cost += term.cost
      result.points.append(term)
    }
    return result.system.cost.isFinite ? result : nil
  }

  /// What a sight depends on but its point.
  func columns(of sight: InitializationPoint.LinearObservation, pose: Int) -> [(index: Int, rows: (Vector3, Vector3))] {
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
  func pointTerm(_ point: InitializationPoint, from views: [InitializationView])
    -> (term: Linearisation.Point, sights: [(linear: InitializationPoint.LinearObservation, weight: Double)])?
  {
    var term = Linearisation.Point()
    let pull = (prior.mean - point.inverseDistance) / prior.sigma
    term.square[2, 2] += 1 / (prior.sigma * prior.sigma)
    term.right.z += pull / prior.sigma
    term.cost = pull * pull
    var sights: [(linear: InitializationPoint.LinearObservation, weight: Double)] = []
    sights.reserveCapacity(point.sights.count)
    for sight in point.sights {
      guard let linear = point.linearised(sight, from: views[sight.poseID], camera) else { return nil }
      sights.append((linear, term.add(linear, doubtful: Self.doubtful)))
    }
    term.cost += term.observationCost
    return (term, sights)
  }
}
