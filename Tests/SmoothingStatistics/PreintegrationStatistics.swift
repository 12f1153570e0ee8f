import Inertial
import SensorData
import Simulation
import SmoothingTestSupport
import Testing

/// The covariance of a preintegrated motion against draws.
@Suite struct PreintegrationStatistics {
  /// The covariance is the sample covariance over noisy samples.
  @Test func covarianceIsTheSpreadOfNoisySamples() throws {
    var source = SeededRandom(seed: 3)
    let motion = SyntheticMotion(&source)
    let state = motion.states[0].state
    let exact = try #require(motion.integrated(state))
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
      let other = try #require(noisy.integrated(state))
      var change = other.delta(state, IMUIntrinsics())
      change.position -= exact.delta.position
      change.velocity -= exact.delta.velocity
      let error = SyntheticMotion.rows(change, exact.delta.rotation)
      for i in 0..<9 { sums[i] += error[i] * error[i] }
    }
    for i in 0..<9 {
      let ratio = sums[i] / Double(trials) / exact.covariance[16 * i]
      // Three sigmas of 3000 draws are 8 %; the rest is the averaging of samples at the ends.
      #expect(abs(ratio - 1) < 0.12, "row \(i): \(ratio)")
    }
  }
}
