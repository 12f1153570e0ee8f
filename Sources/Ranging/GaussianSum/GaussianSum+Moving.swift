import Foundation
import Geometry

/// Components of a moving peer have its velocity in the world as three more states.
extension GaussianSum {
  /// The same components for a moving peer, once under each velocity model: velocities have its stationary prior.
  ///
  /// - Parameter models: with their probabilities, at least one.
  package func moving(_ models: [PeerVelocityModel.Candidate]) -> GaussianSum {
    var all = self
    all.velocityModels = models.map(\.model)
    if models.count > 1 {
      all.filter { _ in false }
      all.reserveCapacity(models.count * count)
      for (index, candidate) in models.enumerated() {
        for i in 0..<count {
          var component = self[i]
          component.velocityModel = index
          component.logWeight += log(candidate.probability)
          all.append(component)
        }
      }
    }
    var result = all.with(LinkLayout(antennas: layout, isMoving: true))
    result.velocityModels = all.velocityModels
    let velocity = result.layout.velocity
    let variances = models.map { $0.model.speed * $0.model.speed }
    result.forEachCell { p, _, first, _ in
      let own = Self.velocityModels(all.velocityModel, of: first)
      for (axis, k) in velocity.enumerated() {
        for lane in 0..<4 { p[Self.triangle(k) + k][lane] = variances[own[lane]][axis] }
      }
    }
    return result
  }

  /// Indices of the velocity models of a cell's four components, the first of which is `first`; those of unused lanes are 0.
  @inline(__always)
  fileprivate static func velocityModels(_ models: [Int32], of first: Int) -> SIMD4<Int> {
    var own = SIMD4<Int>.zero
    for lane in 0..<4 where first + 2 * lane < models.count { own[lane] = Int(models[first + 2 * lane]) }
    return own
  }

  /// The same components for a stationary peer.
  func stationary() -> GaussianSum { with(LinkLayout(antennas: layout, isMoving: false)) }

  /// The components with another layout: the common states are copied, the rest is zero.
  private func with(_ new: LinkLayout) -> GaussianSum {
    var result = GaussianSum(self, layout: new)
    // The velocity precedes the NLOS bias, which is last.
    let common = Array(0..<layout.velocity.lowerBound)
    let pairs = Array(zip(common + [layout.nlosBias], common + [new.nlosBias]))
    let (size, start) = (cellSize, covarianceOffset)
    cells.withUnsafeBufferPointer { cells in
      var cell = cells.baseAddress!
      result.forEachCell { p, x, _, _ in
        for k in 0..<(Self.scalarsOffset + 1) { (x - Self.scalarsOffset)[k] = cell[k] }
        for (a, b) in pairs {
          if a > 2 { x[b - 2] = cell[Self.scalarsOffset + a - 2] }
          for (c, d) in pairs where d <= b { p[Self.triangle(b) + d] = cell[start + Self.triangle(a) + c] }
        }
        cell += size
      }
    }
    return result
  }

  /// Predicts a moving peer over `seconds`. The step is linear in the world and the covariance is propagated exactly;
  /// the tangents rotate with the direction.
  package mutating func movePeer(seconds: Double) {
    guard seconds > 0 else { return }
    let steps = StepLanes(velocityModels, seconds: seconds)
    let (n, v) = (dimension, layout.velocity.lowerBound)
    // Position and velocity columns before and after the step, row by row.
    let old = UnsafeMutablePointer<Lanes>.allocate(capacity: 12 * n)
    old.initialize(repeating: .zero, count: 12 * n)
    defer { old.deallocate() }
    let new = old + 6 * n
    let models = velocityModel
    forEachCell { p, x, first, _ in
      let cell = x - Self.scalarsOffset
      let frame = LaneFrame(cell)
      let step = steps.of(models, first)
      let velocity = LaneVector(x + v - 2)
      Self.carry(cell, by: step.reach * velocity)
      let now = LaneFrame(cell)
      for k in 0..<3 { x[v + k - 2] *= step.phi }
      func entry(_ r: Int, _ c: Int) -> Lanes { p[Self.triangle(max(r, c)) + min(r, c)] }
      /// Position and velocity (six numbers) after the step; the position is mapped from the old tangents through the
      /// world to the new ones.
      func stepped(_ s: UnsafePointer<Lanes>, to t: UnsafeMutablePointer<Lanes>) {
        let position = frame.outward(LaneVector(s)) + step.reach * LaneVector(s + 3)
        now.inward(position).store(t)
        for k in 3..<6 { t[k] = step.phi * s[k] }
      }
      for r in 0..<n {
        for k in 0..<3 { (old[6 * r + k], old[6 * r + 3 + k]) = (entry(r, k), entry(r, v + k)) }
        stepped(old + 6 * r, to: new + 6 * r)
      }
      // Columns are done; now the rows of position and velocity.
      for c in 0..<6 {
        let column = c < 3 ? c : v + c - 3
        for k in 0..<3 { (old[k], old[3 + k]) = (new[6 * k + c], new[6 * (v + k) + c]) }
        stepped(old, to: old + 6)
        for k in 0..<6 {
          let row = k < 3 ? k : v + k - 3
          if row >= column { p[Self.triangle(row) + column] = old[6 + k] }
        }
      }
      for r in 0..<n where r > 2 && !(v..<(v + 3)).contains(r) {
        for k in 0..<3 {
          p[Self.triangle(r) + k] = new[6 * r + k]
          p[Self.triangle(max(r, v + k)) + min(r, v + k)] = new[6 * r + 3 + k]
        }
      }
      Self.add(step, p, velocity: v, now)
    }
  }

  /// Adds the process noise of a step.
  @inline(__always)
  private static func add(
    _ step: StepLanes.Four, _ p: UnsafeMutablePointer<Lanes>, velocity v: Int, _ frame: LaneFrame
  ) {
    for k in 0..<3 {
      let axis = frame.inward(LaneVector(repeating: Vector3(k == 0 ? 1 : 0, k == 1 ? 1 : 0, k == 2 ? 1 : 0)))
      let position = step.positionVariance.component(k) * axis
      p[0] += position.x * axis.x
      p[1] += position.y * axis.x
      p[2] += position.y * axis.y
      p[3] += position.z * axis.x
      p[4] += position.z * axis.y
      p[5] += position.z * axis.z
      let row = p + triangle(v + k)
      let cross = step.crossCovariance.component(k)
      row[0] += cross * axis.x
      row[1] += cross * axis.y
      row[2] += cross * axis.z
      row[v + k] += step.velocityVariance.component(k)
    }
  }

  /// Moves the positions of a cell by `displacement`, world, metres.
  @inline(__always)
  private static func carry(_ cell: UnsafeMutablePointer<Lanes>, by displacement: LaneVector) {
    var (u, e1) = (LaneVector(cell), LaneVector(cell + Self.tangentOffset))
    let along = (cell[Self.scalarsOffset] + displacement.dot(u)).atLeast(Self.nearest)
    let (a, b) = (displacement.dot(e1), displacement.dot(u.cross(e1)))
    Self.move(&u, &e1, a / along, b / along)
    u.store(cell)
    e1.store(cell + Self.tangentOffset)
    cell[Self.scalarsOffset] = (along * along + a * a + b * b).squareRoot()
  }
}

/// Steps of the velocity models, four components at a time.
struct StepLanes {
  /// The step of each of four components, as `PeerVelocityModel.Step`.
  struct Four {
    private(set) var reach = Lanes.zero, phi = Lanes.zero
    private(set) var positionVariance = LaneVector(repeating: .zero), velocityVariance = LaneVector(repeating: .zero)
    private(set) var crossCovariance = LaneVector(repeating: .zero)

    fileprivate init(_ step: (Int) -> PeerVelocityModel.Step) {
      for lane in 0..<4 {
        let step = step(lane)
        (reach[lane], phi[lane]) = (step.reach, step.phi)
        positionVariance[lane] = step.positionVariance
        velocityVariance[lane] = step.velocityVariance
        crossCovariance[lane] = step.crossCovariance
      }
    }
  }

  private let steps: [PeerVelocityModel.Step]
  /// Of four components with the same model, by model.
  private let uniform: [Four]

  /// - Parameter models: at least one.
  init(_ models: [PeerVelocityModel], seconds: Double) {
    precondition(!models.isEmpty, "a moving peer has a velocity model")
    let steps = models.map { $0.step(seconds) }
    self.steps = steps
    uniform = steps.map { step in Four { _ in step } }
  }

  /// The steps of the four components of a cell, the first of which is `first`, the others two apart.
  ///
  /// - Parameter models: the index of each component's model.
  @inline(__always)
  func of(_ models: [Int32], _ first: Int) -> Four {
    guard steps.count > 1 else { return uniform[0] }
    let own = GaussianSum.velocityModels(models, of: first)
    return own == SIMD4(repeating: own[0]) ? uniform[own[0]] : Four { steps[own[$0]] }
  }
}

/// Velocity model of a moving peer: an Ornstein-Uhlenbeck (first-order Gauss-Markov) process in each axis.
///
/// With stationary 1-sigma s, correlation time tau, `phi = exp(-t / tau)` and the reach `b = tau (1 - phi)`, after t
/// seconds
///
///     p' = p + b v + e_p,  v' = phi v + e_v,
///     Var(e_v) = s^2 (1 - phi^2),  Cov(e_p, e_v) = s^2 tau (1 - phi)^2,
///     Var(e_p) = s^2 tau^2 (2 t / tau - 3 + 4 phi - phi^2).
///
/// Steps compose exactly. Source: Uhlenbeck and Ornstein, Physical Review 36, 1930, doi:10.1103/PhysRev.36.823.
package struct PeerVelocityModel: Equatable, Sendable {
  /// Stationary 1-sigma of the velocity in each axis of the world, m/s.
  package let speed: Vector3
  /// Correlation time of the velocity, seconds.
  package let memory: Double

  /// One of the models that a moving peer may have, and its prior probability, above 0.
  package struct Candidate: Equatable, Sendable {
    package let model: PeerVelocityModel
    package let probability: Double

    package init(model: PeerVelocityModel, probability: Double) {
      (self.model, self.probability) = (model, probability)
    }
  }

  package init(speed: Vector3, memory: Double) {
    self.speed = speed
    self.memory = memory
  }

  /// Transition and process noise over an interval.
  package struct Step: Equatable, Sendable {
    /// Displacement per velocity, `b`, seconds.
    package let reach: Double
    /// Decay of the velocity, 0...1.
    package let phi: Double
    /// Process noise per axis: variance of the position (m^2), of the velocity (m^2/s^2), and their covariance (m^2/s).
    package let positionVariance, velocityVariance, crossCovariance: Vector3
  }

  /// The step of `seconds`, at least 0.
  package func step(_ seconds: Double) -> Step {
    let x = max(seconds, 0) / memory
    let phi = exp(-x)
    let forgotten = -expm1(-x)
    // 2 x - 3 + 4 phi - phi^2 cancels where x is small: there it is 2/3 x^3 - 1/2 x^4 + 7/30 x^5.
    let spread = x > 0.01 ? 2 * x - 3 + 4 * phi - phi * phi : x * x * x * (2.0 / 3 - x / 2 + 7 * x * x / 30)
    let square = speed * speed
    return Step(
      reach: memory * forgotten, phi: phi, positionVariance: memory * memory * spread * square,
      velocityVariance: forgotten * (1 + phi) * square, crossCovariance: memory * forgotten * forgotten * square)
  }
}
