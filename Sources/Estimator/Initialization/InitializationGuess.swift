import Geometry
import Inertial
import SensorData
import CameraGeometry

/// Velocity and vertical to begin the refinement with, in the axes of the first pose.
struct InitializationGuess {
  /// Of the IMU, m/s.
  var velocity: Vector3
  /// Any length.
  var up: Vector3

  /// The guesses worth trying.
  ///
  /// With little parallax the closed form can be far off, and the refinement would end in another valley: that the device
  /// hardly gained speed is a second guess, and the better end of the two counts.
  static func all(
    _ stretches: [IMUInterval], _ tracks: [FeatureTrack], _ calibration: IMUCalibration, _ camera: FilterCamera
  ) -> [InitializationGuess] {
    let weightless = InertialPropagation(gravityMagnitude: 0)
    var moments = [ClosedFormInitializer.Moment(seconds: 0, pose: .identity)]
    var state = InertialState()
    for stretch in stretches {
      state = stretch.propagated(state, weightless)
      moments.append(.init(seconds: moments[moments.count - 1].seconds + stretch.duration, pose: state.worldFromIMU))
    }
    let linear = ClosedFormInitializer(
      moments, tracks: tracks, imuFromCamera: camera.imuFromCamera, gravityMagnitude: calibration.gravityMagnitude,
      angularNoise: camera.pixelNoise / camera.lens.focalLength, gyroscopeBiasRate: SensorGrade(calibration).gyroscopeBias)
    var guesses: [InitializationGuess] = []
    if let linear { guesses.append(InitializationGuess(velocity: linear.velocity, up: -linear.gravity)) }
    // In free fall there is no up.
    if state.velocity.norm > 1e-3 { guesses.append(InitializationGuess(velocity: .zero, up: state.velocity)) }
    return guesses
  }

  /// The states that the samples make of it, in a level world that begins at the first pose; biases zero.
  func states(_ stretches: [IMUInterval], _ propagation: InertialPropagation) -> [InertialState] {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var states = [InertialState(rotation: level, velocity: level * velocity)]
    for stretch in stretches { states.append(stretch.propagated(states[states.count - 1], propagation)) }
    return states
  }
}
