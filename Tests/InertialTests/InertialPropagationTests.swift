import Geometry
import Inertial
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct InertialPropagationTests {
  let propagation = InertialPropagation(gravityMagnitude: 9.81)

  static func state(_ source: inout SeededRandom) -> InertialState {
    InertialState(
      rotation: source.rotation(), position: 5 * source.gaussian3(), velocity: 2 * source.gaussian3(),
      gyroscopeBias: 0.05 * source.gaussian3(), accelerometerBias: 0.5 * source.gaussian3())
  }

  @Test func plusAndMinusAreInverse() {
    var source = SeededRandom(seed: 1)
    for _ in 0..<100 {
      let x = Self.state(&source)
      let d = (0..<15).map { _ in 0.5 * source.gaussian() }
      #expect(zip(x.plus(d).minus(x), d).allSatisfy { abs($0 - $1) < 1e-12 })
    }
  }

  /// Classical Runge-Kutta in ten thousand small steps on the differential equation itself.
  @Test(arguments: [0.0, 1e-7, 1e-3, 0.5, 20, 90]) func agreesWithFineIntegration(rate: Double) {
    var source = SeededRandom(seed: 2)
    let dt = 0.05, steps = 10_000
    for _ in 0..<3 {
      let start = Self.state(&source)
      let omega = start.gyroscopeBias + rate * source.direction(), force = 10 * source.gaussian3()
      let a = force - start.accelerometerBias
      var rotation = start.rotation, velocity = start.velocity, position = start.position
      let h = dt / Double(steps)
      for _ in 0..<steps {
        let half = rotation * Rotation.exp((omega - start.gyroscopeBias) * (h / 2))
        let end = half * Rotation.exp((omega - start.gyroscopeBias) * (h / 2))
        let (a0, a1, a2) = (
          rotation * a + propagation.gravity, half * a + propagation.gravity, end * a + propagation.gravity
        )
        position += velocity * h + (a0 + 2 * a1) * (h * h / 6)
        velocity += (a0 + 4 * a1 + a2) * (h / 6)
        rotation = end
      }
      let found = propagation.propagated(start, angularVelocity: omega, specificForce: force, dt: dt)
      #expect((found.rotation * rotation.inverse).log.norm < 1e-11)
      #expect((found.velocity - velocity).norm < 1e-11)
      #expect((found.position - position).norm < 1e-11)
    }
  }

  /// Also across the switch between series and closed form (one radian per step).
  @Test(arguments: [0.0, 1e-6, 0.1, 19.9, 20.1, 60]) func transitionIsTheDerivative(rate: Double) {
    var source = SeededRandom(seed: 3)
    let dt = 0.05
    for _ in 0..<10 {
      let start = Self.state(&source)
      let omega = start.gyroscopeBias + rate * source.direction(), force = 10 * source.gaussian3()
      let next = propagation.propagated(start, angularVelocity: omega, specificForce: force, dt: dt)
      let numeric = FiniteDifferences.jacobian(inputs: 15) { d in
        propagation.propagated(start.plus(d), angularVelocity: omega, specificForce: force, dt: dt).minus(next)
      }
      let flat = propagation.transition(
        from: start, first: (start.position, start.velocity), to: next, angularVelocity: omega, specificForce: force,
        dt: dt
      ).matrix
      let analytic = (0..<15).map { i in (0..<15).map { flat[15 * i + $0] } }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-7)
    }
  }

  @Test func compositionIsTheMatrixProduct() {
    var source = SeededRandom(seed: 4)
    var total = InertialTransition.identity
    var product = (0..<225).map { $0 % 16 == 0 ? 1.0 : 0 }
    var noise = BlockMatrix15()
    for i in 0..<5 { noise[i, i] = Matrix3(diagonal: Vector3(1, 2, 3)) }
    for _ in 0..<5 {
      let start = Self.state(&source)
      let omega = source.gaussian3(), force = 10 * source.gaussian3()
      let next = propagation.propagated(start, angularVelocity: omega, specificForce: force, dt: 0.01)
      let step = propagation.transition(
        from: start, first: (start.position + source.gaussian3(), start.velocity), to: next, angularVelocity: omega,
        specificForce: force, dt: 0.01)
      total = step * total
      let m = step.matrix
      product = Self.times(m, product)
      #expect(zip(total.matrix, product).allSatisfy { abs($0 - $1) < 1e-12 })
      let carried = Self.times(Self.times(m, noise.rowMajor), Self.transpose(m))
      #expect(zip(step.carried(noise).rowMajor, carried).allSatisfy { abs($0 - $1) < 1e-10 })
    }
  }

  /// First-estimates Jacobians keep global translation and yaw unobservable, whatever updates are made in between.
  @Test func firstEstimatesKeepTheNullSpace() {
    var source = SeededRandom(seed: 5)
    var state = Self.state(&source)
    var first = state
    func directions(_ s: InertialState) -> [[Double]] {
      let up = Vector3(0, 0, 1)
      let p = -s.position.cross(up), v = -s.velocity.cross(up)
      return (0..<3).map { axis in (0..<15).map { $0 == 3 + axis ? 1 : 0 } }
        + [[0, 0, 1, p.x, p.y, p.z, v.x, v.y, v.z] + [Double](repeating: 0, count: 6)]
    }
    for _ in 0..<20 {
      let omega = source.gaussian3(), force = 10 * source.gaussian3()
      let next = propagation.propagated(state, angularVelocity: omega, specificForce: force, dt: 0.05)
      let phi = propagation.transition(
        from: state, first: (first.position, first.velocity), to: next, angularVelocity: omega, specificForce: force,
        dt: 0.05
      ).matrix
      for (from, to) in zip(directions(first), directions(next)) {
        let carried = (0..<15).map { i in (0..<15).reduce(0) { $0 + phi[15 * i + $1] * from[$1] } }
        #expect(zip(carried, to).allSatisfy { abs($0 - $1) < 1e-12 })
      }
      first = next
      state = next.plus((0..<15).map { _ in 0.05 * source.gaussian() })  // an update
    }
  }

  static func times(_ a: [Double], _ b: [Double]) -> [Double] {
    var c = [Double](repeating: 0, count: 225)
    for i in 0..<15 { for k in 0..<15 { for j in 0..<15 { c[15 * i + j] += a[15 * i + k] * b[15 * k + j] } } }
    return c
  }
  static func transpose(_ a: [Double]) -> [Double] { (0..<225).map { a[15 * ($0 % 15) + $0 / 15] } }
}
