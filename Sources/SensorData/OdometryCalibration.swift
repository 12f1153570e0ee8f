import Geometry

/// Calibration of an external tracker (odometry): extrinsics and drift.
public struct OdometryCalibration: Equatable, Sendable {
  /// `T_BS`: the body from the tracker's sensor frame.
  public var bodyFromSensor: Pose
  /// Growth of the position error, m/sqrt(m travelled).
  public var positionRandomWalk: Double
  /// Growth of the heading error, rad/sqrt(s).
  public var yawRandomWalk: Double

  /// A calibration from its parts.
  public init(bodyFromSensor: Pose = .identity, positionRandomWalk: Double = 0.03, yawRandomWalk: Double = 0.01) {
    self.bodyFromSensor = bodyFromSensor
    self.positionRandomWalk = positionRandomWalk
    self.yawRandomWalk = yawRandomWalk
  }
}
