import Geometry
import Inertial
import Simulation
import Smoothing

extension SyntheticMotion {
  /// Rotation, displacement and velocity of an increment, the rotation from `from`.
  package static func rows(
    _ d: (rotation: Rotation, position: Vector3, velocity: Vector3, rotationChange: Vector3), _ from: Rotation
  ) -> [Double] {
    let rotationChange = (d.rotation * from.inverse).log
    return [rotationChange, d.position, d.velocity].flatMap { [$0.x, $0.y, $0.z] }
  }

  /// Its samples from 102 ms to 397 ms, integrated at the biases of `state`.
  package func integrated(
    _ state: InertialState, _ intrinsics: IMUIntrinsics = IMUIntrinsics()
  ) -> PreintegratedIMU? {
    PreintegratedIMU(
      samples, from: Self.time(102), to: Self.time(397),
      gyroscopeBias: state.gyroscopeBias, accelerometerBias: state.accelerometerBias, intrinsics: intrinsics,
      noise: InertialNoise(Self.imu))
  }

  /// IMU axes with errors of 2 %.
  package static func axes(_ source: inout SeededRandom) -> IMUIntrinsics {
    var axes = IMUIntrinsics()
    for k in axes.triples.indices { axes.triples[k] = 0.02 * source.gaussian3() }
    return axes
  }
}
