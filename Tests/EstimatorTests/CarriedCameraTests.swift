import Estimator
import Geometry
import Inertial
import Simulation
import TestSupport
import Testing
import Vision

/// A kept pose is the camera's: its errors follow from those of the state and of the mount.
@Suite struct CarriedCameraTests {
  @Test func jacobiansAreTheDerivatives() {
    var source = SeededRandom(seed: 21)
    for _ in 0..<20 {
      let state = InertialState(
        rotation: source.rotation(), position: source.gaussian3(), velocity: source.gaussian3(),
        gyroscopeBias: 0.01 * source.gaussian3(), accelerometerBias: 0.1 * source.gaussian3())
      let mount = CameraMount(
        imuFromCamera: Pose(rotation: source.rotation(), translation: 0.2 * source.gaussian3()),
        delay: 0.02 * source.gaussian())
      let rate = source.gaussian3()
      let carried = CarriedCamera(state, angularVelocity: rate, mount: mount)
      let numeric = FiniteDifferences.jacobian(inputs: 22) { (d: [Double]) -> [Double] in
        let moved = CarriedCamera(state.plus(Array(d[..<15])), angularVelocity: rate, mount: mount.plus(d[15...]))
        let turn = (moved.worldFromCamera.rotation * carried.worldFromCamera.rotation.inverse).log
        let way = moved.worldFromCamera.translation - carried.worldFromCamera.translation
        return [turn.x, turn.y, turn.z, way.x, way.y, way.z]
      }
      let analytic = (0..<6).map { i in
        Array(carried.byState[15 * i..<15 * i + 15]) + Array(carried.byMount[7 * i..<7 * i + 7])
      }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  @Test func mountPlusAndMinusAreInverse() {
    var source = SeededRandom(seed: 22)
    for _ in 0..<50 {
      let x = CameraMount(
        imuFromCamera: Pose(rotation: source.rotation(), translation: source.gaussian3()), delay: source.gaussian())
      let d = (0..<CameraMount.errorSize).map { _ in 0.5 * source.gaussian() }
      #expect(zip(x.plus(d[...]).minus(x), d).allSatisfy { abs($0 - $1) < 1e-12 })
    }
  }
}
