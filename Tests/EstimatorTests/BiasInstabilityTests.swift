import CameraGeometry
import Estimator
import Geometry
import Inertial
import SensorData
import Testing

/// A phone's accelerometer in the filter: its bias is a Gauss-Markov process about a mean that is estimated with it.
@Suite struct BiasInstabilityTests {
  /// After ten correlation times without updates the bias is its mean, with the mean's variance plus that of the
  /// instability.
  @Test func withoutUpdatesTheBiasReturnsToItsMean() throws {
    let calibration = IMUCalibration(
      gyroscopeNoiseDensity: 1e-3, gyroscopeRandomWalk: 1e-4, accelerometerNoiseDensity: 0.02,
      accelerometerRandomWalk: 0)
    let instability = try #require(AccelerometerInstability(calibration))
    let start = Vector3(0.3, -0.2, 0.1), first = Timestamp(nanoseconds: 0)
    let navigation = try #require(
      InertialNavigation(
        calibration: calibration, mount: CameraMount(imuFromCamera: .identity), time: first,
        state: InertialState(accelerometerBias: start),
        initialCovariance: ErrorCovariance.diagonal([Double](repeating: 0.01, count: InertialState.errorSize))))
    let mean = try #require(navigation.meanBiasBlock)
    for k in 0...1000 {
      let time = first.advanced(bySeconds: 0.1 * Double(k))
      _ = navigation.samples.add(
        IMUSample(timestamp: time, angularVelocity: .zero, specificForce: Vector3(0, 0, 9.81) + start))
      #expect(navigation.advance(to: time))
      if k == 10 {
        // A correction moves the mean by its covariance with the bias: at first all but the deviation, which was
        // unknown.
        let size = navigation.covariance.size(of: navigation.poseBlock)
        var row = [Double](repeating: 0, count: size)
        row[12] = 1
        let result = navigation.covariance.update(
          jacobian: [(navigation.poseBlock, row)], residual: [0.1], noise: [1e-6])
        guard case .accepted(_, let correction) = result else {
          Issue.record("refused")
          return
        }
        navigation.apply(correction)
        let left = instability.left(after: 1), deviation = instability.variance
        let shared = 0.01 + (1 - left) * deviation
        let own = 0.01 + (1 - left) * (1 - left) * deviation + instability.variance(after: 1)
        #expect(abs(navigation.meanBias.x - start.x - 0.1 * shared / own) < 1e-3)
        #expect(navigation.state.accelerometerBias.x - start.x > 0.099)
      }
    }
    #expect((navigation.state.accelerometerBias - navigation.meanBias).norm < 1e-4)
    let p = navigation.covariance.marginal([navigation.poseBlock, mean]), n = InertialState.errorSize + 3
    for i in 0..<3 {
      let bias = p[(12 + i) * (n + 1)], itsMean = p[(15 + i) * (n + 1)]
      #expect(abs(bias - itsMean - instability.variance) < 1e-3 * instability.variance)
    }
  }

  /// A well-calibrated IMU has no such state.
  @Test func anIndustrialIMUHasARandomWalkOnly() throws {
    let calibration = IMUCalibration(
      gyroscopeNoiseDensity: 1e-4, gyroscopeRandomWalk: 1e-5, accelerometerNoiseDensity: 0.002,
      accelerometerRandomWalk: 1e-3)
    let navigation = try #require(
      InertialNavigation(
        calibration: calibration, mount: CameraMount(imuFromCamera: .identity), time: Timestamp(nanoseconds: 0),
        state: InertialState(),
        initialCovariance: ErrorCovariance.diagonal([Double](repeating: 0.01, count: InertialState.errorSize))))
    #expect(navigation.meanBiasBlock == nil)
  }
}
