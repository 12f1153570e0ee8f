import CameraGeometry
import Estimator
import Geometry
import Inertial
import Simulation
import TestSupport
import Testing

/// The clone is a camera pose: its errors follow from those of the state and of the mount.
@Suite struct CameraPoseFromIMUTests {
  @Test func jacobiansAreTheDerivatives() {
    var source = SeededRandom(seed: 21)
    for _ in 0..<20 {
      let state = InertialState(
        rotation: source.rotation(), position: source.gaussian3(), velocity: source.gaussian3(),
        gyroscopeBias: 0.01 * source.gaussian3(), accelerometerBias: 0.1 * source.gaussian3())
      let mount = CameraMount(
        imuFromCamera: Pose(rotation: source.rotation(), translation: 0.2 * source.gaussian3()),
        delay: 0.02 * source.gaussian())
      let rate = source.gaussian3(), faster = 3 * source.gaussian3(), force = 3 * source.gaussian3()
      let carried = CameraPoseFromIMU(
        state, angularVelocity: rate, angularAcceleration: faster, acceleration: force, mount: mount)
      let numeric = FiniteDifferences.jacobian(inputs: 22) { (d: [Double]) -> [Double] in
        let moved = CameraPoseFromIMU(
          state.plus(Array(d[..<15])), angularVelocity: rate, angularAcceleration: faster, acceleration: force,
          mount: mount.plus(d[15...]))
        let rotation = (moved.worldFromCamera.rotation * carried.worldFromCamera.rotation.inverse).log
        let translation = moved.worldFromCamera.translation - carried.worldFromCamera.translation
        return [rotation.x, rotation.y, rotation.z, translation.x, translation.y, translation.z]
      }
      let analytic = (0..<6).map { i in
        Array(carried.byState[15 * i..<15 * i + 15]) + Array(carried.byMount[7 * i..<7 * i + 7])
      }
      #expect(FiniteDifferences.largestDifference(analytic, numeric) < 1e-6)
    }
  }

  /// The neglected term of the pose for a delay error delta is the second derivative times delta^2 / 2. Its second
  /// moment is that of a Gaussian delta's square.
  @Test func theCurvatureIsTheSecondDerivative() {
    var source = SeededRandom(seed: 23)
    for _ in 0..<10 {
      let state = InertialState(rotation: source.rotation(), velocity: source.gaussian3())
      var mount = CameraMount(imuFromCamera: Pose(rotation: source.rotation(), translation: 0.1 * source.gaussian3()))
      let rate = source.gaussian3(), faster = 3 * source.gaussian3(), force = 3 * source.gaussian3()
      func pose(_ delay: Double) -> Pose {
        mount.delay = delay
        return CameraPoseFromIMU(
          state, angularVelocity: rate, angularAcceleration: faster, acceleration: force, mount: mount
        ).worldFromCamera
      }
      let h = 1e-3, (before, now, after) = (pose(-h), pose(0), pose(h))
      let rotation =
        ((after.rotation * now.rotation.inverse).log + (before.rotation * now.rotation.inverse).log) / (h * h)
      let translation = (after.translation + before.translation - 2 * now.translation) / (h * h)
      let curvature = [rotation.x, rotation.y, rotation.z, translation.x, translation.y, translation.z]
      mount.delay = 0
      let carried = CameraPoseFromIMU(
        state, angularVelocity: rate, angularAcceleration: faster, acceleration: force, mount: mount)
      let variance = 4e-4
      let moments = carried.secondOrderCovariance(delayVariance: variance)
      for i in 0..<6 {
        for j in 0..<6 {
          #expect(abs(moments[6 * i + j] - 0.25 * curvature[i] * curvature[j] * 3 * variance * variance) < 1e-10)
        }
      }
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
