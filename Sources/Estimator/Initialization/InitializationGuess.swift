import CameraGeometry
import Geometry
import Inertial
import SensorData

/// Initial guess for the refinement: velocity and vertical in the axes of the first pose.
struct InitializationGuess {
  /// Velocity of the IMU, m/s.
  var velocity: Vector3
  /// Vertical, of any length.
  var up: Vector3

  /// All initial guesses.
  ///
  /// With little parallax the closed form can be far off and the refinement would reach another local minimum. The
  /// second guess is that the device hardly accelerated. The result of lower cost is used.
  static func all(
    _ intervals: [IMUInterval], _ tracks: [FeatureTrack], _ calibration: IMUCalibration, _ camera: FilterCamera
  ) -> [InitializationGuess] {
    let weightless = InertialPropagation(gravityMagnitude: 0)
    var moments = [ClosedFormInitializer.Moment(seconds: 0, pose: .identity)]
    var state = InertialState()
    for interval in intervals {
      state = interval.propagated(state, weightless)
      moments.append(.init(seconds: moments[moments.count - 1].seconds + interval.duration, pose: state.worldFromIMU))
    }
    let linear = ClosedFormInitializer(
      moments, tracks: tracks, imuFromCamera: camera.imuFromCamera, gravityMagnitude: calibration.gravityMagnitude,
      angularNoise: camera.pixelNoise / camera.lens.focalLength,
      gyroscopeBiasRate: SensorGrade(calibration).gyroscopeBias)
    var guesses: [InitializationGuess] = []
    if let linear { guesses.append(InitializationGuess(velocity: linear.velocity, up: -linear.gravity)) }
    // In free fall the vertical is undefined.
    if state.velocity.norm > 1e-3 { guesses.append(InitializationGuess(velocity: .zero, up: state.velocity)) }
    return guesses
  }

  /// The states predicted from the guess by the samples, in a level world with origin at the first pose; biases zero.
  func states(_ intervals: [IMUInterval], _ propagation: InertialPropagation) -> [InertialState] {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var states = [InertialState(rotation: level, velocity: level * velocity)]
    for interval in intervals { states.append(interval.propagated(states[states.count - 1], propagation)) }
    return states
  }
}
