import Estimator
import EstimatorTestSupport
import Geometry
import Testing

/// A single window may give a wrong velocity; two consistent windows seldom do.
@Suite struct InitializationConsistencyTests {
  /// The same velocity twice is admitted; once, a different one, or one long ago is not.
  @Test func aVelocityIsAdmittedWhenFoundTwice() throws {
    var world = StartWorld(seed: 5)
    let samples = world.samples(2), window = world.window(1.5)
    let initializer = world.initializer
    var found = try initializer.attempt(window, samples, isUrgent: true).get()
    let camera = FilterCamera(StartWorld.camera, imu: world.imu)
    func admits(_ estimate: InitialEstimate, _ agreement: inout InitializationConsistency) -> Bool {
      agreement.admits(estimate, samples, calibration: world.imu, camera: camera)
    }
    var agreement = InitializationConsistency()
    #expect(!admits(found, &agreement))
    #expect(admits(found, &agreement))
    // Five sigmas off along an axis: 3.5 sigmas of the difference of two independent windows.
    let sigma = found.covariance[16 * 6].squareRoot()
    let right = found.state.velocity
    found.state.velocity += Vector3(5 * sigma, 0, 0)
    #expect(!admits(found, &agreement))
    #expect(admits(found, &agreement))
    found.state.velocity = right
    #expect(!admits(found, &agreement))
    agreement.reset()
    #expect(!admits(found, &agreement))
    found.time = found.time.advanced(bySeconds: InitializationConsistency.memory + 0.01)
    #expect(!admits(found, &agreement))
  }
}
