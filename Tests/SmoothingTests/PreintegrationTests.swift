import Geometry
import Inertial
import SensorData
import Simulation
import Smoothing
import TestSupport
import Testing

@Suite struct PreintegrationTests {
  static func rows(
    _ d: (rotation: Rotation, position: Vector3, velocity: Vector3, rotationChange: Vector3), _ from: Rotation
  ) -> [Double] {
    let rotationChange = (d.rotation * from.inverse).log
    return [rotationChange, d.position, d.velocity].flatMap { [$0.x, $0.y, $0.z] }
  }

  static func integrated(
    _ motion: SyntheticMotion, _ state: InertialState, _ intrinsics: IMUIntrinsics = IMUIntrinsics()
  ) -> PreintegratedIMU? {
    PreintegratedIMU(
      motion.samples, from: SyntheticMotion.time(102), to: SyntheticMotion.time(397),
      gyroscopeBias: state.gyroscopeBias, accelerometerBias: state.accelerometerBias, intrinsics: intrinsics,
      noise: InertialNoise(SyntheticMotion.imu))
  }

  static func axes(_ source: inout SeededRandom) -> IMUIntrinsics {
    var axes = IMUIntrinsics()
    for k in axes.triples.indices { axes.triples[k] = 0.02 * source.gaussian3() }
    return axes
  }

  /// With gravity and the first state restored, it equals the propagation sample by sample.
  @Test func carriesAStateAsThePropagationDoes() throws {
    var source = SeededRandom(seed: 1)
    for _ in 0..<5 {
      let motion = SyntheticMotion(&source)
      for (a, b) in zip(motion.states, motion.states.dropFirst()) {
        let whole = try #require(
          PreintegratedIMU(
            motion.samples, from: a.time, to: b.time, gyroscopeBias: a.state.gyroscopeBias,
            accelerometerBias: a.state.accelerometerBias, noise: InertialNoise(SyntheticMotion.imu)))
        let error = b.state.minus(whole.carried(a.state, gravity: SyntheticMotion.gravity))
        #expect(error.allSatisfy { abs($0) < 1e-12 })
      }
    }
  }

  /// Against integrating again at other biases and intrinsics.
  @Test func dependenceOnBiasesAndAxesIsTheDerivative() throws {
    var source = SeededRandom(seed: 2)
    for _ in 0..<5 {
      let motion = SyntheticMotion(&source)
      let state = motion.states[0].state, axes = Self.axes(&source)
      let whole = try #require(Self.integrated(motion, state, axes))
      func moved(_ d: [Double]) -> (InertialState, IMUIntrinsics) {
        var other = axes
        for k in 0..<5 { other.triples[k] += Vector3(d[6 + 3 * k], d[7 + 3 * k], d[8 + 3 * k]) }
        return (state.plus([Double](repeating: 0, count: 9) + d[..<6]), other)
      }
      let reintegrated = FiniteDifferences.jacobian(inputs: 21) { d in
        let (state, axes) = moved(d)
        let other = Self.integrated(motion, state, axes)!
        return Self.rows(other.delta(state, axes), whole.delta.rotation)
      }
      let firstOrder = FiniteDifferences.jacobian(inputs: 21) { d in
        let (state, axes) = moved(d)
        return Self.rows(whole.delta(state, axes), whole.delta.rotation)
      }
      #expect(FiniteDifferences.largestDifference(firstOrder, reintegrated) < 1e-6)
    }
  }

  /// The covariance is the sample covariance over noisy samples.
  @Test func covarianceIsTheSpreadOfNoisySamples() throws {
    var source = SeededRandom(seed: 3)
    let motion = SyntheticMotion(&source)
    let state = motion.states[0].state
    let exact = try #require(Self.integrated(motion, state))
    let imu = SyntheticMotion.imu, rate = 200.0.squareRoot()
    let trials = 3000
    var sums = [Double](repeating: 0, count: 9)
    for _ in 0..<trials {
      var noisy = motion
      noisy.samples = IMUBuffer()
      for sample in motion.samples.samples {
        _ = noisy.samples.add(
          IMUSample(
            timestamp: sample.timestamp,
            angularVelocity: sample.angularVelocity + imu.gyroscopeNoiseDensity * rate * source.gaussian3(),
            specificForce: sample.specificForce + imu.accelerometerNoiseDensity * rate * source.gaussian3()))
      }
      let other = try #require(Self.integrated(noisy, state))
      var change = other.delta(state, IMUIntrinsics())
      change.position -= exact.delta.position
      change.velocity -= exact.delta.velocity
      let error = Self.rows(change, exact.delta.rotation)
      for i in 0..<9 { sums[i] += error[i] * error[i] }
    }
    for i in 0..<9 {
      let ratio = sums[i] / Double(trials) / exact.covariance[16 * i]
      // Three sigmas of 3000 draws are 8 %; the rest is the averaging of samples at the ends.
      #expect(abs(ratio - 1) < 0.12, "row \(i): \(ratio)")
    }
  }

  @Test func refusesWhatTheSamplesDoNotCover() {
    var source = SeededRandom(seed: 4)
    let motion = SyntheticMotion(&source)
    func tried(_ from: Int, _ to: Int) -> PreintegratedIMU? {
      PreintegratedIMU(
        motion.samples, from: SyntheticMotion.time(from), to: SyntheticMotion.time(to), gyroscopeBias: .zero,
        accelerometerBias: .zero, noise: InertialNoise(SyntheticMotion.imu))
    }
    #expect(tried(1000, 1000) == nil)
    #expect(tried(1000, 900) == nil)
    #expect(tried(1000, 3000) == nil)
    #expect(tried(-500, 100) == nil)
    #expect(tried(1000, 1001) != nil)
  }
}
