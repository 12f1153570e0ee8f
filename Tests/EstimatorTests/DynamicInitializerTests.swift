import Estimator
import EstimatorTestSupport
import Geometry
import Inertial
import Simulation
import Testing

/// Initialisation in motion: correct, consistent, and refused where the motion leaves the state unobservable.
@Suite struct DynamicInitializerTests {
  /// Without noise and biases the refinement ends at the truth. The remaining interpolation error of the samples
  /// persists between frames and resembles track drift, so a velocity's sigma may be too large.
  @Test(arguments: 1...10) func exactWithoutNoise(seed: Int) throws {
    var world = StartWorld(seed: UInt64(seed))
    (world.isNoisy, world.gyroscopeBias, world.accelerometerBias) = (false, .zero, .zero)
    let estimate = try world.initializer.attempt(world.window(1.5), world.samples(1.55), isUrgent: true).get()
    let error = world.error(estimate).error
    #expect(error[0...1].allSatisfy { abs($0) < 2e-3 }, "tilt")
    #expect(error[2...4].allSatisfy { abs($0) < 5e-3 }, "velocity")
    #expect(error[5...7].allSatisfy { abs($0) < 1e-3 }, "gyroscope's bias")
    #expect(estimate.state.position.norm < 1 && estimate.time == world.time(1.5))
  }

  @Test func refusalsStateTheReason() {
    var world = StartWorld(seed: 3)
    let samples = world.samples(2)
    func reason(_ window: InitializationWindow, _ samples: IMUBuffer) -> DynamicInitializer.Refusal? {
      if case .failure(let reason) = world.initializer.attempt(window, samples) { reason } else { nil }
    }
    #expect(reason(InitializationWindow(), samples) == .frames)
    #expect(reason(world.window(0.3), samples) == .frames)
    #expect(reason(world.window(1, most: 5), samples) == .features)
    #expect(reason(world.window(1), IMUBuffer()) == .imu)
    var gappy = IMUBuffer()
    for sample in samples.samples where !(0.4..<0.6).contains(sample.timestamp.seconds(since: StartWorld.begin)) {
      _ = gappy.add(sample)
    }
    #expect(reason(world.window(1), gappy) == .imu)
    var other = StartWorld(seed: 4)
    #expect(reason(other.window(1), samples) == .residual)
  }

  /// For any input: a refusal or a finite state.
  @Test func survivesInvalidInput() {
    var source = SeededRandom(seed: 77)
    for seed in 1...40 {
      var world = StartWorld(seed: UInt64(300 + seed))
      var buffer = IMUBuffer()
      for var sample in world.samples(1.5).samples {
        if source.chance(0.02) { sample.specificForce = Vector3(repeating: source.uniform(-1e6...1e6)) }
        if source.chance(0.01) { sample.angularVelocity = Vector3(repeating: 1e150) }
        _ = buffer.add(sample)
      }
      var window = InitializationWindow()
      for i in 0..<20 {
        var frame = world.frame(Double(i) * 0.05)
        for k in frame.features.indices where source.chance(0.2) {
          frame.features[k].u = [Double.nan, .infinity, -1e300, 0, 1e9][Int(source.uniform(0...4.99))]
        }
        window.add(frame, at: frame.timestamp)
      }
      for samples in [buffer, world.samples(1.5)] {
        if case .success(let estimate) = world.initializer.attempt(window, samples, isUrgent: true) {
          #expect(estimate.state.isFinite && estimate.covariance.allSatisfy(\.isFinite))
        }
      }
    }
  }
}
