import CameraGeometry
import Estimator
import EstimatorTestSupport
import Geometry
import Inertial
import SensorData
import Testing

/// A start in motion is spread over frames, and loses none of them.
@Suite struct SpreadStartTests {
  /// The state after the start is, to the bit, that of a filter that is started at once from the same window and processes all frames
  /// since; and the window is some frames old.
  @Test(arguments: [2, 7, 12]) func theFramesSinceAreProcessed(seed: Int) throws {
    var world = StartWorld(seed: UInt64(seed))
    let samples = world.samples(2.9).samples
    let frames = (0...58).map { world.frame(Double($0) * 0.05) }
    let spread = VisualInertialEstimator(imu: world.imu, camera: StartWorld.camera)
    var next = 0, started: Int?
    for (n, frame) in frames.enumerated() where started == nil {
      while next < samples.count, samples[next].timestamp <= frame.timestamp {
        spread.add(samples[next])
        next += 1
      }
      let report = spread.process(frame)
      if report.treatment != .waiting { started = n }
    }
    let last = try #require(started), state = try #require(spread.navigation).state
    var found: [Int] = []
    for begun in 16..<last {
      let navigation = atOnce(world, begun, last, frames, Array(samples[..<next]))
      if navigation?.state == state { found.append(begun) }
    }
    #expect(found.count == 1 && found[0] < last - 2, "\(found) of \(last)")
  }

  /// The filter at frame `last`, started at frame `begun` in one piece.
  private func atOnce(
    _ world: StartWorld, _ begun: Int, _ last: Int, _ frames: [CameraFrame], _ samples: [IMUSample]
  ) -> InertialNavigation? {
    let estimator = VisualInertialEstimator(imu: world.imu, camera: StartWorld.camera)
    var window = InitializationWindow(), buffer = IMUBuffer()
    for sample in samples { _ = buffer.add(sample) }
    for frame in frames[...begun] {
      window.add(frame, at: frame.timestamp)
      _ = estimator.process(frame)
    }
    guard case .success(let estimate) = world.initializer.attempt(window, buffer) else { return nil }
    for sample in samples { estimator.add(sample) }
    guard estimator.start(from: estimate) else { return nil }
    for frame in frames[(begun + 1)...last] { _ = estimator.process(frame) }
    return estimator.navigation
  }
}
