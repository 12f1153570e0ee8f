internal import CLinearAlgebra
import CameraGeometry
import Geometry
import Inertial
import LeastSquares

/// Linearisation.
extension InitializationRefinement {
  /// Blocks of a state among the unknowns, and of the rig: the triples of the intrinsics, then the camera's rotation,
  /// translation and delay (a block's first number).
  func blocks(of state: Int) -> [Int] { Array(5 * state..<5 * state + 5) }
  var axesBlocks: [Int] { isRigid ? [] : Array(5 * states.count..<5 * states.count + 5) }
  var mountBlocks: [Int] { isRigid ? [] : Array(5 * states.count + 5..<5 * states.count + 8) }
  /// True for a carefully calibrated device: the rig is not estimated.
  var isRigid: Bool { !SensorGrade(calibration).isPhone }

  var reprojection: Reprojection { Reprojection(lens: camera.lens, pixelNoise: camera.effectiveNoise) }

  var views: [Reprojection.View] {
    zip(states, rates).map { Reprojection.View($0, angularVelocity: $1 - $0.gyroscopeBias, mount: rig.mount) }
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
  func columns(of observation: Reprojection.Linearised, pose: Int)
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
    let views = views, reprojection = reprojection
    for point in points {
      let residual = (prior.mean - point.place.inverseDistance) / prior.sigma
      cost += residual * residual
      for observation in point.observations {
        guard
          let residual = reprojection.residual(
            views[observation.poseID].worldFromCamera, point.place, pixel: observation.pixel)
        else { return nil }
        cost += 2 * Self.loss.cost((residual * residual).sum().squareRoot())
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
  func pointTerm(_ point: InitializationPoint, from views: [Reprojection.View])
    -> (term: Linearisation.Point, observations: [(linear: Reprojection.Linearised, weight: Double)])?
  {
    var term = Linearisation.Point()
    let residual = (prior.mean - point.place.inverseDistance) / prior.sigma
    term.square[2, 2] += 1 / (prior.sigma * prior.sigma)
    term.right.z += residual / prior.sigma
    term.cost = residual * residual
    var observations: [(linear: Reprojection.Linearised, weight: Double)] = []
    observations.reserveCapacity(point.observations.count)
    let reprojection = reprojection
    for observation in point.observations {
      guard let linear = reprojection.linearised(views[observation.poseID], point.place, pixel: observation.pixel)
      else { return nil }
      observations.append((linear, term.add(linear)))
    }
    term.cost += term.observationCost
    return (term, observations)
  }

  /// Normal equations of states and points; the points are eliminated one by one.
  struct Linearisation: Sendable {
    /// A step of all unknowns: states by block, points as (e1, e2, inverse distance).
    struct Step {
      var states: [Vector3]
      var points: [Vector3]
    }

    /// Equations of one point.
    struct Point: Sendable {
      var square = Matrix3.zero
      var right = Vector3.zero
      var cost = 0.0
      var observationCost = 0.0
      /// Cross terms of the point with states: a state's block (rows) and the point (columns).
      var columns: [(index: Int, cross: Matrix3)] = []

      /// Adds an observation; returns its weight.
      mutating func add(_ observation: Reprojection.Linearised) -> Double {
        let size = (observation.residual * observation.residual).sum().squareRoot()
        let weight = InitializationRefinement.loss.weight(size)
        observationCost += 2 * InitializationRefinement.loss.cost(size)
        let (a, b) = (observation.rows.0.point, observation.rows.1.point)
        square += weight * (Matrix3(outer: a, a) + Matrix3(outer: b, b))
        right -= weight * (a * observation.residual.x + b * observation.residual.y)
        return weight
      }

      /// Adds the coupling of an observation to the states it depends on, each by its block and its two rows of the
      /// Jacobian.
      mutating func couple(
        _ observation: Reprojection.Linearised, weight: Double,
        to blocks: [(index: Int, rows: (Vector3, Vector3))], _ system: inout BlockSystem
      ) {
        func outer(_ a: (Vector3, Vector3), _ b: (Vector3, Vector3)) -> Matrix3 {
          weight * (Matrix3(outer: a.0, b.0) + Matrix3(outer: a.1, b.1))
        }
        let point = (observation.rows.0.point, observation.rows.1.point)
        for (i, a) in blocks.enumerated() {
          for b in blocks[i...] { system.add(a.index, b.index, outer(a.rows, b.rows)) }
          system.right[a.index] -= weight * (a.rows.0 * observation.residual.x + a.rows.1 * observation.residual.y)
          let cross = outer(a.rows, point)
          if let known = columns.firstIndex(where: { $0.index == a.index }) {
            columns[known].cross += cross
          } else {
            columns.append((a.index, cross))
          }
        }
      }
    }

    /// Of the states, points fixed.
    var system: BlockSystem
    /// Of the points.
    var points: [Point] = []
    /// The observations' part of the cost.
    var observationCost = 0.0

    init(size: Int) { system = BlockSystem(size: size) }

    var cost: Double { system.cost }

    /// The states' equations with the points eliminated, and each point's inverse; nil when a point's block is
    /// singular.
    func reduced(damping: Double) -> (system: BlockSystem, inverses: [Matrix3])? {
      var reduced = system
      reduced.damp(damping)
      var inverses: [Matrix3] = []
      for point in points {
        let diagonal = Vector3(point.square[0, 0], point.square[1, 1], point.square[2, 2])
        guard let inverse = (point.square + Matrix3(diagonal: damping * diagonal)).inverse else { return nil }
        inverses.append(inverse)
        let solved = inverse * point.right
        for (i, a) in point.columns.enumerated() {
          reduced.right[a.index] = reduced.right[a.index] - a.cross * solved
          let x = -(a.cross * inverse)
          for b in point.columns[i...] { reduced.add(a.index, b.index, x * b.cross.transpose) }
        }
      }
      return (reduced, inverses)
    }

    /// Decrease of the cost that the quadratic model predicts for a step: `x^T b`.
    func predictedGain(of step: Step) -> Double {
      var gain = 0.0
      for (x, b) in zip(step.states, system.right) { gain += x.dot(b) }
      for (x, point) in zip(step.points, points) { gain += x.dot(point.right) }
      return gain
    }

    /// Solves the damped equations; nil when they are not positive definite.
    func step(damping: Double) -> Step? {
      guard let (reduced, inverses) = reduced(damping: damping), let states = reduced.solved() else { return nil }
      let steps = zip(points, inverses).map { point, inverse in
        inverse * point.columns.reduce(point.right) { $0 - $1.cross.transpose * states[$1.index] }
      }
      return Step(states: states, points: steps)
    }
  }

  /// A Levenberg-Marquardt descent, step by step, so that it can be spread over frames.
  ///
  /// A step solves `(A + mu diag A) x = b` and takes the better of two candidates: the separate steps of all poses, and the first
  /// state's step carried on by the inertial samples. Far from the solution separate steps leave the narrow valley that the samples
  /// allow. The second is not tried where the first gained what the quadratic model predicts, `x^T b`.
  /// Source: Madsen, Nielsen and Tingleff, "Methods for non-linear least squares problems", 2004, section 3.2.
  struct Descent: Sendable {
    /// Decrease of the cost, in squared sigmas, below which a descent is thorough: a thirtieth of a sigma. Tilt and bias of a unit
    /// with a wide prior form a narrow valley, along which each step gains little and many are needed.
    static let leastGain = 1e-3
    /// Share of the predicted gain from which on the quadratic model is right.
    private static let goodShare = 0.75

    /// The present unknowns.
    private(set) var refinement: InitializationRefinement
    private var descent: LevenbergMarquardt

    /// Of at most `rounds` steps; converged once a step gains less than `gain`, by default 0.001 a point.
    init(_ refinement: InitializationRefinement, rounds: Int, gain: Double? = nil) {
      self.refinement = refinement
      descent = LevenbergMarquardt(
        steps: rounds, absolute: gain ?? 1e-3 * Double(refinement.points.count),
        damping: .init(from: 1e-5, raise: 30, leastRaised: 1e-3))
    }

    /// Takes a step. Nil while there is more to do; then whether the descent has converged.
    mutating func step() -> Bool? {
      var cost = refinement.cost
      let ending = descent.step(&refinement, cost: &cost) { refinement, damping in
        guard let step = refinement.linear.step(damping: damping) else { return .singular }
        return Self.next(refinement, step)?.relinearised().map { .candidate($0, cost: $0.cost) } ?? .refused
      }
      return ending.map { $0 != .stepsUsedUp && $0 != .singular }
    }

    /// The better candidate; nil where none has a lower cost.
    private static func next(_ refinement: InitializationRefinement, _ step: Linearisation.Step)
      -> InitializationRefinement?
    {
      let linear = refinement.linear, moved = refinement.moved(by: step)
      let movedCost = moved.costOnly() ?? .infinity
      if linear.cost - movedCost >= goodShare * linear.predictedGain(of: step) { return moved }
      let carried = moved.carried
      let carriedCost = carried.costOnly() ?? .infinity
      guard min(movedCost, carriedCost) <= linear.cost else { return nil }
      return carriedCost < movedCost ? carried : moved
    }
  }
}

/// Symmetric normal equations in blocks of three unknowns: `A x = b` and the cost at x = 0.
package struct BlockSystem: Sendable {
  /// Number of blocks.
  package let size: Int
  /// b, by block.
  package var right: [Vector3]
  /// The cost.
  package var cost = 0.0
  private var upper: [Matrix3]

  /// Zero.
  package init(size: Int) {
    self.size = size
    right = [Vector3](repeating: .zero, count: size)
    upper = [Matrix3](repeating: .zero, count: size * size)
  }

  /// Adds a block at (i, j), and its transpose at (j, i).
  package mutating func add(_ i: Int, _ j: Int, _ block: Matrix3) {
    if i <= j { upper[i * size + j] += block } else { upper[j * size + i] += block.transpose }
  }

  /// Adds information about one block alone: `(target - x)^T W (target - x)` with diagonal W.
  package mutating func addPrior(_ i: Int, information: Vector3, target: Vector3) {
    add(i, i, Matrix3(diagonal: information))
    right[i] += information * target
    cost += (information * target).dot(target)
  }

  /// Multiplies the diagonal by `1 + damping`.
  package mutating func damp(_ damping: Double) {
    for i in 0..<size {
      for k in 0..<3 { upper[i * size + i][k, k] *= 1 + damping }
    }
  }

  /// x by block; nil when A is not positive definite.
  package func solved() -> [Vector3]? {
    var x = right.flatMap { [$0.x, $0.y, $0.z] }
    guard Int(fuse_la_solve(dense, Int32(3 * size), &x, 1)) == FUSE_LA_OK else { return nil }
    return (0..<size).map { Vector3(x[3 * $0], x[3 * $0 + 1], x[3 * $0 + 2]) }
  }

  /// The rows and columns of A^-1 that belong to some blocks, row-major; nil when A is not positive definite.
  package func covariance(of blocks: [Int]) -> [Double]? {
    let rows = blocks.flatMap { [3 * $0, 3 * $0 + 1, 3 * $0 + 2] }
    var sides = [Double](repeating: 0, count: 3 * size * rows.count)
    for (column, row) in rows.enumerated() { sides[row * rows.count + column] = 1 }
    guard Int(fuse_la_solve(dense, Int32(3 * size), &sides, Int32(rows.count))) == FUSE_LA_OK else { return nil }
    return rows.flatMap { row in sides[(row * rows.count)..<((row + 1) * rows.count)] }
  }

  /// Row-major; the lower triangle stays empty.
  private var dense: [Double] {
    let n = 3 * size
    var matrix = [Double](repeating: 0, count: n * n)
    for i in 0..<size {
      for j in i..<size {
        let block = upper[i * size + j]
        for a in 0..<3 { for b in 0..<3 { matrix[(3 * i + a) * n + 3 * j + b] = block[a, b] } }
      }
    }
    return matrix
  }
}
