import Foundation
import Geometry
import Inertial
import SensorData

/// An initial state and its covariance.
package struct InitialEstimate: Sendable {
  /// Time of the state.
  package var time: Timestamp
  /// The state of the IMU.
  package var state: InertialState
  /// Covariance of (theta, p, v, b_g, b_a), 15 x 15, row-major.
  package var covariance: [Double]
  /// Since when the device has been nearly still; nil if it moved or this is unknown.
  package var nearlyStillSince: Timestamp?

  /// From its parts.
  init(time: Timestamp, state: InertialState, covariance: [Double]) {
    self.time = time
    self.state = state
    self.covariance = covariance
  }

  /// From independent 1-sigmas; theta about the world's x, y and z axes.
  init(
    time: Timestamp, state: InertialState, theta: Vector3, position: Double, velocity: Double, gyroscopeBias: Double,
    accelerometerBias: Double
  ) {
    self.time = time
    self.state = state
    covariance = [Double](repeating: 0, count: 225)
    let sigmas =
      [theta.x, theta.y, theta.z]
      + [position, velocity, gyroscopeBias, accelerometerBias].flatMap { [$0, $0, $0] }
    for (i, sigma) in sigmas.enumerated() { covariance[16 * i] = sigma * sigma }
  }

  /// From a row of ground truth, whose world becomes the filter's. Missing values are zero with a large sigma.
  ///
  /// The velocity of the IMU differs from the body's by the lever arm's rotation at `angularVelocity` (IMU axes,
  /// rad/s).
  package init(truth: GroundTruthState, calibration: IMUCalibration, angularVelocity: Vector3) {
    let worldFromIMU = truth.worldFromBody * calibration.bodyFromIMU
    let leverArm = truth.worldFromBody.rotation * calibration.bodyFromIMU.translation
    let gyroscopeBias = truth.gyroscopeBias ?? .zero
    let worldRate = worldFromIMU.rotation * (angularVelocity - gyroscopeBias)
    let sigmas = Self.sigmas(of: truth, calibration: calibration)
    self.init(
      time: truth.timestamp,
      state: InertialState(
        rotation: worldFromIMU.rotation, position: worldFromIMU.translation,
        velocity: (truth.velocity ?? .zero) + worldRate.cross(leverArm), gyroscopeBias: gyroscopeBias,
        accelerometerBias: truth.accelerometerBias ?? .zero),
      theta: sigmas.theta, position: sigmas.position, velocity: sigmas.velocity,
      gyroscopeBias: sigmas.gyroscopeBias, accelerometerBias: sigmas.accelerometerBias)
  }

  /// 1-sigma of a row of ground truth: theta about the world's axes, radians; metres, m/s, rad/s and m/s^2 per axis.
  package static func sigmas(of truth: GroundTruthState, calibration: IMUCalibration) -> (
    theta: Vector3, position: Double, velocity: Double, gyroscopeBias: Double, accelerometerBias: Double
  ) {
    let grade = SensorGrade(calibration)
    return (
      Vector3(0.005, 0.005, 0.001), 0.001, truth.velocity == nil ? 0.5 : 0.02,
      (truth.gyroscopeBias == nil ? 1 : 0.1) * grade.gyroscopeBias,
      (truth.accelerometerBias == nil ? 1 : 0.1) * grade.accelerometerBias
    )
  }
}

/// Outcome of an initialisation attempt.
package enum InitializationOutcome: Sendable {
  /// A state was found.
  case ready(InitialEstimate)
  /// Not yet, with a machine-readable reason.
  case waiting(String)
}

/// Gauge of a new world: z up, with position and heading of a previous filter; zero if there was none.
struct GaugeChoice {
  /// Pose of the body when a previous filter was restarted.
  var origin = Pose.identity

  /// Pose of the IMU for a vertical `up` in its own axes.
  func worldFromIMU(up: Vector3, bodyFromIMU: Pose) -> Pose {
    let level = Rotation.carrying(up, into: Vector3(0, 0, 1))
    var rotation = level
    if origin != .identity {
      let relative = origin.rotation * bodyFromIMU.rotation * level.inverse
      rotation = Rotation.yaw(2 * atan2(relative.v.z, relative.w)) * level
    }
    let worldFromBody = Pose(rotation: rotation * bodyFromIMU.rotation.inverse, translation: origin.translation)
    return Pose(rotation: rotation, translation: (worldFromBody * bodyFromIMU).translation)
  }
}
