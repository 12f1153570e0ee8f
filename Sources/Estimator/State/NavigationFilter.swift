import Geometry
import SensorData

/// Interface of a trajectory filter, inertial or driven by external odometry.
///
/// Error state: global, `R = Exp(theta) R_hat` with theta in the world frame; positions and everything else additive.
package protocol NavigationFilter: AnyObject {
  /// Covariance of the navigation state and what else the filter estimates.
  var covariance: ErrorCovariance { get }
  /// Time of the state.
  var time: Timestamp { get }
  /// Pose of the frame that the filter navigates: the IMU, or the odometry's sensor.
  var worldFromNavigation: Pose { get }
  /// Calibration: the body from the navigated frame.
  var bodyFromNavigation: Pose { get }
  /// The block that holds the pose's error: theta in rows 0..<3, position in rows 3..<6; more may follow.
  var poseBlock: ErrorCovariance.Block { get }

  /// 1-sigma of a component of the velocity, m/s; 0 for external odometry.
  var velocitySigma: Double { get }

  /// Since when the device had been nearly still at initialisation; nil if it moved or this is unknown.
  var nearlyStillSince: Timestamp? { get }

  /// Whether the velocity is known well enough for the trajectory to determine distances and directions.
  var isVelocityKnown: Bool { get }

  /// Whether the device's position is lost: earlier results are invalid, and no new ones are possible before recovery.
  var isPositionLost: Bool { get }

  /// Whether the trajectory is a measurement: truth plus an error independent of the truth. An estimate has an error
  /// independent of the estimate instead (Berkson, JASA 45(250), 1950, doi:10.1080/01621459.1950.10483349).
  var isExternalOdometry: Bool { get }

  /// Covariance of the origin of this filter's world in the trajectory's first world, m^2.
  var originCovariance: Matrix3 { get }

  /// Drift of the trajectory relative to itself since its start.
  var accumulatedDrift: AccumulatedDrift { get }

  /// Propagates state and covariance to `time`. False, with the state unchanged, if that is not possible (no data, or
  /// time in the past).
  func advance(to time: Timestamp) -> Bool
}

extension NavigationFilter {
  package var isPositionLost: Bool { false }
  package var nearlyStillSince: Timestamp? { nil }
  package var isVelocityKnown: Bool { true }
  package var isExternalOdometry: Bool { false }
  package var originCovariance: Matrix3 { .zero }

  /// Pose of the body in the world.
  package var worldFromBody: Pose { worldFromNavigation * bodyFromNavigation.inverse }

  /// Covariance of the pose of the body in the trajectory's first world.
  package var bodyCovariance: PoseCovariance {
    let n = covariance.size(of: poseBlock)
    let p = covariance.marginal([poseBlock])
    func block(_ row: Int, _ column: Int) -> Matrix3 { Matrix3(blockAt: row, column, of: p, size: n) }
    let navigation = PoseCovariance(
      rotation: block(0, 0), cross: block(0, 3), position: block(3, 3) + originCovariance)
    return navigation.moved(by: worldFromBody.translation - worldFromNavigation.translation)
  }
}
