import CameraGeometry
import Estimator
import Geometry
import Inertial
import LeastSquares
import SensorData

/// A segment of a recording as one nonlinear least-squares problem. Unknowns: the states of its keyframes, the rig of
/// the camera, landmarks and peers. Factors: IMU, reprojection, zero velocity, ranges and priors.
package struct BatchProblem {
  /// A Gaussian prior with the rows `W (x [-] mean)`.
  package struct Prior<State: Sendable>: Sendable {
    /// The mean.
    package var mean: State
    /// W, row-major: see `SmallCholesky.inverseRoot`.
    package var weight: [Double]

    /// A prior from its parts.
    package init(mean: State, weight: [Double]) {
      self.mean = mean
      self.weight = weight
    }
  }

  /// The unknown states, in time order.
  package var keyframes: [Keyframe]
  /// The unknown rig of the camera.
  package var rig: RigEstimate
  /// The feature observations.
  package var tracks: [LandmarkTrack]
  /// IMU factor from each keyframe to the next, and its weight.
  package var motions: [(factor: InertialFactor, weight: [Double])]
  /// Prior of the first state.
  package var start: Prior<InertialState>
  /// Prior of the rig.
  package var rigPrior: Prior<RigEstimate>
  /// Links to static peers.
  package var links: [RangeLink] = []
  /// The reprojection model.
  package var reprojection: Reprojection
  /// Loss of an observation's error.
  package var loss: HuberLoss
  /// 1-sigma of the velocity of a device detected as stationary, m/s, as in the filter.
  private static let stillVelocity = 0.01

  /// A problem from its parts; one motion fewer than keyframes.
  package init(
    keyframes: [Keyframe], rig: RigEstimate, tracks: [LandmarkTrack],
    motions: [(factor: InertialFactor, weight: [Double])], start: Prior<InertialState>,
    rigPrior: Prior<RigEstimate>, reprojection: Reprojection,
    loss: HuberLoss = HuberLoss(threshold: 2.5)
  ) {
    precondition(!motions.isEmpty && motions.count + 1 == keyframes.count, "a motion between neighbours")
    self.keyframes = keyframes
    self.rig = rig
    self.tracks = tracks
    self.motions = motions
    self.start = start
    self.rigPrior = rigPrior
    self.reprojection = reprojection
    self.loss = loss
  }

  /// Poses of the camera at the keyframes.
  package var cameras: [Pose] { keyframes.map { $0.worldFromIMU(after: rig.mount.delay) * rig.mount.imuFromCamera } }

  /// Empty normal equations of this problem's shape; nil without memory.
  package func equations() -> NormalEquations? {
    let order = BlockOrder(self)
    return NormalEquations(sizes: order.sizes, first: order.first)
  }

  /// Linearises the problem at the present estimates.
  package func linearise(into equations: NormalEquations) {
    equations.reset()
    let order = BlockOrder(self)
    equations.add(
      blocks: [order.keyframes[0]], jacobian: keyframes[0].state.minusJacobian(start.mean),
      residual: keyframes[0].state.minus(start.mean), weight: start.weight)
    equations.add(
      blocks: [order.rig], jacobian: rig.minusJacobian(rigPrior.mean), residual: rig.minus(rigPrior.mean),
      weight: rigPrior.weight)
    for (k, motion) in motions.enumerated() {
      let (a, b) = (keyframes[k].state, keyframes[k + 1].state)
      equations.add(
        blocks: [order.keyframes[k], order.keyframes[k + 1], order.rig],
        jacobian: motion.factor.jacobian(a, b, rig.intrinsics),
        residual: motion.factor.residual(a, b, rig.intrinsics), weight: motion.weight)
    }
    for k in keyframes.indices where keyframes[k].isStill {
      var jacobian = [Double](repeating: 0, count: 3 * InertialState.errorSize)
      for i in 0..<3 { jacobian[i * InertialState.errorSize + 6 + i] = 1 / Self.stillVelocity }
      let v = keyframes[k].state.velocity / Self.stillVelocity
      equations.add(blocks: [order.keyframes[k]], jacobian: jacobian, residual: [v.x, v.y, v.z])
    }
    for (track, block) in zip(tracks, order.points) { add(track, block: block, order, to: equations) }
    for (link, block) in zip(links, order.peers) { add(link, block: block, order, to: equations) }
  }

  private func add(_ link: RangeLink, block: Int, _ order: BlockOrder, to equations: NormalEquations) {
    let size = StaticPeer.errorSize
    var prior = [Double](repeating: 0, count: 2 * size)
    prior[3] = 1 / StaticPeer.biasSigma
    prior[size + 4] = 1 / StaticPeer.scaleSigma
    equations.add(blocks: [block], jacobian: prior, residual: link.peer.priorResidual)
    for row in link.rows {
      let residual = link.residual(row, keyframes, gravity: gravity)
      let weight = RangeLink.loss.weight(residual).squareRoot()
      let scale = weight / row.sigma
      let now = row.range.jacobian(keyframes[row.range.keyframe].state, link.peer, gravity: gravity)
      var blocks = [order.keyframes[row.range.keyframe]], states = [now.state.map { scale * $0 }],
        peer = now.peer.map { scale * $0 }
      if let (before, correlation) = row.before {
        let previous = before.jacobian(keyframes[before.keyframe].state, link.peer, gravity: gravity)
        let part = previous.state.map { -scale * correlation * $0 }
        if before.keyframe == row.range.keyframe {
          states[0] = zip(states[0], part).map(+)
        } else {
          blocks.insert(order.keyframes[before.keyframe], at: 0)
          states.insert(part, at: 0)
        }
        peer = zip(peer, previous.peer).map { $0 - scale * correlation * $1 }
      }
      equations.add(blocks: blocks + [block], jacobian: states.flatMap { $0 } + peer, residual: [weight * residual])
    }
  }

  private var gravity: Vector3 { motions[0].factor.gravity }

  private func add(_ track: LandmarkTrack, block: Int?, _ order: BlockOrder, to equations: NormalEquations) {
    guard let landmark = track.landmark else { return }
    var blocks: [Int32] = []
    var pose: [Double] = [], common: [Double] = [], point: [Double] = [], residual: [Double] = []
    for observation in track.observations {
      guard
        let seen = reprojection.linearised(
          keyframes[observation.keyframe].view(rig.mount), landmark, pixel: observation.pixel)
      else { continue }
      let weight = loss.weight(seen.residual).squareRoot()
      func add(_ v: Vector3, to numbers: inout [Double]) { for i in 0..<3 { numbers.append(weight * v[i]) } }
      blocks.append(Int32(order.keyframes[observation.keyframe]))
      for row in [seen.rows.0, seen.rows.1] {
        add(row.theta, to: &pose)
        add(row.position, to: &pose)
        add(row.mountRotation, to: &common)
        add(row.mountTranslation, to: &common)
        common.append(weight * row.delay)
        for _ in 0..<IMUIntrinsics.count { common.append(0) }
        add(row.point, to: &point)
      }
      residual.append(weight * seen.residual.x)
      residual.append(weight * seen.residual.y)
    }
    guard !blocks.isEmpty else { return }
    equations.addPoint(
      blocks: blocks, point: block, shared: order.rig, pose: pose, common: common, byPoint: point, residual: residual,
      barrier: InverseDistanceBarrier.residual(landmark.inverseDistance))
  }

  /// Cost of all factors but the observations: IMU, zero velocity, ranges and priors.
  package var costWithoutObservations: Double {
    var cost = Self.cost(keyframes[0].state.minus(start.mean), start.weight)
    cost += Self.cost(rig.minus(rigPrior.mean), rigPrior.weight)
    for (k, motion) in motions.enumerated() {
      cost += Self.cost(
        motion.factor.residual(keyframes[k].state, keyframes[k + 1].state, rig.intrinsics), motion.weight)
    }
    for link in links {
      cost += 0.5 * link.peer.priorResidual.reduce(0) { $0 + $1 * $1 }
      for row in link.rows {
        let residual = link.residual(row, keyframes, gravity: gravity)
        cost += RangeLink.loss.cost(residual)
      }
    }
    for frame in keyframes where frame.isStill {
      cost += 0.5 * frame.state.velocity.squaredNorm / (Self.stillVelocity * Self.stillVelocity)
    }
    return cost
  }

  /// The problem after a step of all unknowns. Landmarks ignore their part of the step and move rigidly with the camera
  /// of their first observation; `refinePoints` then minimises over them, and `refinePeers` over the peers.
  package func moved(by step: [Double]) -> BatchProblem {
    let order = BlockOrder(self)
    var next = self
    for (k, block) in order.keyframes.enumerated() {
      next.keyframes[k].state = keyframes[k].state.plus(Array(order.part(block, of: step)))
    }
    next.rig = rig.plus(order.part(order.rig, of: step))
    for (i, block) in order.peers.enumerated() { next.links[i].peer = links[i].peer.plus(order.part(block, of: step)) }
    let old = cameras, new = next.cameras
    for i in tracks.indices {
      guard let anchor = tracks[i].observations.first?.keyframe else { continue }
      next.tracks[i].landmark = tracks[i].landmark?.carried(from: old[anchor], to: new[anchor])
    }
    return next
  }

  /// Minimises the cost in place; reports the fraction of the steps done to `progress`.
  ///
  /// - Parameters:
  ///   - steps: most steps, refused ones included.
  ///   - tolerance: relative decrease of the cost at convergence. Small: observations dominate the cost but do not observe
  ///     the scale, which may be wrong by several sigmas at a ten-thousandth of the cost.
  /// - Returns: nil when the equations cannot be set up (no memory).
  package mutating func minimise(
    steps: Int = 20, tolerance: Double = 1e-6, progress: (Double) -> Void = { _ in }
  ) -> LevenbergMarquardt.Ending? {
    guard let equations = equations() else { return nil }
    refinePeers()
    var cost = refinePoints() + costWithoutObservations
    guard cost.isFinite else { return .stuck }
    // Small: the scale of a long walk has far less information than local positions, and damping would hold it.
    let damping = LevenbergMarquardt.Damping(from: 1e-9, least: 1e-10, most: 1e6)
    var descent = LevenbergMarquardt(steps: steps, relative: tolerance, damping: damping), step = 0
    return descent.descend(&self, cost: &cost) { problem, damping in
      progress(Double(step) / Double(steps))
      step += 1
      problem.linearise(into: equations)
      guard let dx = equations.solve(damping: damping) else { return .refused }
      var candidate = problem.moved(by: dx)
      candidate.refinePeers()
      let next = candidate.refinePoints() + candidate.costWithoutObservations
      return .candidate(candidate, cost: next)
    }
  }

  /// Minimises the cost over all landmarks, all else fixed; returns the cost of the observations.
  package mutating func refinePoints() -> Double {
    let refinement = PointRefinement(reprojection: reprojection, loss: loss)
    let cameras = cameras
    var cost = 0.0
    for i in tracks.indices {
      guard let landmark = tracks[i].landmark else { continue }
      let better = refinement.refined(landmark, tracks[i].observations, cameras)
      tracks[i].landmark = better.landmark
      cost += better.cost
    }
    return cost
  }

  /// Minimises the cost over all peers, all else fixed.
  private mutating func refinePeers() {
    for i in links.indices { links[i].refine(keyframes, gravity: gravity) }
  }

  private static func cost(_ residual: [Double], _ weight: [Double]) -> Double {
    let n = residual.count
    var sum = 0.0
    for i in 0..<n {
      var row = 0.0
      for j in 0..<n { row += weight[i * n + j] * residual[j] }
      sum += row * row
    }
    return 0.5 * sum
  }
}

/// Elimination order of the unknowns of a `BatchProblem`: keyframes in time order, every long-tracked point behind the
/// last keyframe that observed it, then the rig and the peers, on which all depend.
///
/// Eliminating a keyframe in this order couples the next keyframes and the points observed before and after it. This is
/// as in a filter with points in its state: three numbers per point, however long its track. If all points were
/// eliminated first, every keyframe would be coupled to all keyframes that share a point with it.
/// Source: George, Liu, "Computer Solution of Large Sparse Positive Definite Systems", Prentice-Hall 1981, chapter 4
/// (envelopes).
struct BlockOrder {
  /// A point observed over no more keyframes than this is eliminated first and couples them to each other: cheaper for
  /// the many short tracks.
  static let short = 24
  /// Block of each keyframe.
  private(set) var keyframes: [Int] = []
  /// Block of each track's point; nil where it is eliminated first or not triangulated.
  private(set) var points: [Int?]
  /// Block of the rig.
  private(set) var rig: Int
  /// Block of each link's peer.
  private(set) var peers: Range<Int>
  /// Dimension of each block.
  private(set) var sizes: [Int] = []
  /// Offset of each block in the vector of all unknowns.
  private(set) var offsets: [Int] = []
  /// The first block that each block is coupled to.
  private(set) var first: [Int] = []

  /// The order of a problem's unknowns.
  init(_ problem: BatchProblem) {
    var endings = [[Int]](repeating: [], count: problem.keyframes.count)
    var earliest = problem.keyframes.indices.map { max($0 - 1, 0) }
    for (i, track) in problem.tracks.enumerated() where track.landmark != nil {
      guard let begin = track.observations.first?.keyframe, let end = track.observations.last?.keyframe
      else { continue }
      if end - begin > Self.short {
        endings[end].append(i)
      } else {
        for k in begin...end { earliest[k] = min(earliest[k], begin) }
      }
    }
    for row in problem.links.flatMap(\.rows) {
      guard let before = row.before?.range.keyframe else { continue }
      earliest[row.range.keyframe] = min(earliest[row.range.keyframe], before)
    }
    points = [Int?](repeating: nil, count: problem.tracks.count)
    for k in endings.indices {
      keyframes.append(sizes.count)
      first.append(keyframes[earliest[k]])
      sizes.append(InertialState.errorSize)
      for i in endings[k] {
        first.append(keyframes[problem.tracks[i].observations[0].keyframe])
        points[i] = sizes.count
        sizes.append(InverseDistancePoint.errorSize)
      }
    }
    rig = sizes.count
    peers = rig + 1..<rig + 1 + problem.links.count
    sizes += [RigEstimate.errorSize] + problem.links.map { _ in StaticPeer.errorSize }
    first += [Int](repeating: 0, count: 1 + problem.links.count)
    var total = 0
    for size in sizes {
      offsets.append(total)
      total += size
    }
  }

  /// The part of a block in the vector of all unknowns.
  func part(_ block: Int, of step: [Double]) -> ArraySlice<Double> {
    step[offsets[block]..<offsets[block] + sizes[block]]
  }
}

extension InertialState {
  /// Derivative of `x.plus(d).minus(y)` by d at 0, 15 x 15, row-major: the inverse left Jacobian for the rotation, the
  /// identity for the rest.
  package func minusJacobian(_ y: InertialState) -> [Double] {
    let m = Rotation.leftJacobian((rotation * y.rotation.inverse).log).inverse ?? .identity
    var result = SquareMatrix.identity(Self.errorSize)
    for i in 0..<3 { for j in 0..<3 { result[i, j] = m[i, j] } }
    return result.numbers
  }
}

extension RigEstimate {
  /// Derivative of `x.plus(d).minus(y)` by d at 0, 22 x 22, row-major: the inverse right Jacobian for the rotation, the
  /// identity for the rest.
  package func minusJacobian(_ y: RigEstimate) -> [Double] {
    let phi = (y.mount.imuFromCamera.rotation.inverse * mount.imuFromCamera.rotation).log
    let m = Rotation.leftJacobian(-phi).inverse ?? .identity
    var result = SquareMatrix.identity(Self.errorSize)
    for i in 0..<3 { for j in 0..<3 { result[i, j] = m[i, j] } }
    return result.numbers
  }
}

/// A camera frame whose state is estimated.
package struct Keyframe: Sendable {
  /// Time on the IMU's clock, by the calibrated offset.
  package var timestamp: Timestamp
  /// The estimate.
  package var state: InertialState
  /// The filter detected the device as stationary.
  package var isStill: Bool
  /// Angular velocity at that time, bias removed, IMU axes, rad/s. Like `velocity` it is constant during the
  /// optimisation: it only moves the camera by its delay of a few milliseconds.
  package var angularVelocity: Vector3
  /// Velocity at that time, world, m/s; see `angularVelocity`.
  package var velocity: Vector3

  /// A keyframe from its parts; `measuredRate` is the angular rate, IMU axes, rad/s, bias included.
  package init(timestamp: Timestamp, state: InertialState, isStill: Bool = false, measuredRate: Vector3) {
    self.timestamp = timestamp
    self.state = state
    self.isStill = isStill
    angularVelocity = measuredRate - state.gyroscopeBias
    velocity = state.velocity
  }

  /// Pose of the IMU `delay` seconds later.
  package func worldFromIMU(after delay: Double) -> Pose {
    guard delay != 0 else { return state.worldFromIMU }
    return Pose(
      rotation: state.rotation * Rotation.exp(delay * angularVelocity), translation: state.position + delay * velocity)
  }

  /// Camera and IMU when the frame was taken.
  package func view(_ mount: CameraMount) -> Reprojection.View {
    let imu = worldFromIMU(after: mount.delay)
    return Reprojection.View(
      worldFromIMU: imu, imuFromCamera: mount.imuFromCamera, rate: imu.rotation * angularVelocity, velocity: velocity)
  }
}
