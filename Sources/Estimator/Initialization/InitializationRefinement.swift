import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Maximum a posteriori states and points of the initialisation window, with the covariance of the last state.
///
/// Unknowns: (theta, p, v, b_g, b_a) of every pose, the rig unless carefully calibrated, and the points, which are
/// eliminated (Schur complement). Factors: observations with Huber weights, inertial factors, priors on biases and rig,
/// and the gauge: position and heading are fixed at one pose. Levenberg-Marquardt.
/// Source: Triggs et al., "Bundle adjustment: a modern synthesis", 2000, doi:10.1007/3-540-44480-7_21.
package struct InitializationRefinement {
  /// Huber threshold on an observation's residual, in sigmas.
  static let huberThreshold = 2.5
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
  package func withGauge(_ index: Int, at pose: Pose) -> InitializationRefinement? {
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
      point.anchor = moved(old.anchor)
      point.bearing = yaw * old.bearing
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
}
