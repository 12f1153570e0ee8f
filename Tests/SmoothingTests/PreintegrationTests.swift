import Geometry
import Inertial
import Simulation
import Smoothing
import SmoothingTestSupport
import TestSupport
import Testing

@Suite struct PreintegrationTests {
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
      let state = motion.states[0].state, axes = SyntheticMotion.axes(&source)
      let whole = try #require(motion.integrated(state, axes))
      func moved(_ d: [Double]) -> (InertialState, IMUIntrinsics) {
        var other = axes
        for k in 0..<5 { other.triples[k] += Vector3(d[6 + 3 * k], d[7 + 3 * k], d[8 + 3 * k]) }
        return (state.plus([Double](repeating: 0, count: 9) + d[..<6]), other)
      }
      let reintegrated = FiniteDifferences.jacobian(inputs: 21) { d in
        let (state, axes) = moved(d)
        let other = motion.integrated(state, axes)!
        return SyntheticMotion.rows(other.delta(state, axes), whole.delta.rotation)
      }
      let firstOrder = FiniteDifferences.jacobian(inputs: 21) { d in
        let (state, axes) = moved(d)
        return SyntheticMotion.rows(whole.delta(state, axes), whole.delta.rotation)
      }
      #expect(FiniteDifferences.largestDifference(firstOrder, reintegrated) < 1e-6)
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
