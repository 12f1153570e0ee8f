import Geometry
import SensorData

/// What the finder emits as data come in, in time order.
public enum FinderOutput: Equatable, Sendable {
  /// A peer's update.
  case update(NearbyUpdate)
  /// The session's own convergence (lighting, tracking) changed.
  case session(SessionUpdate)
  /// The body's pose in the estimate's world and how well it is known, one per frame or odometry row.
  case pose(Timestamp, worldFromBody: Pose, covariance: PoseCovariance)
}

/// A change of the session's own convergence.
public struct SessionUpdate: Equatable, Sendable {
  /// When the change occurred.
  public var timestamp: Timestamp
  /// The session's convergence.
  public var convergence: Convergence
  /// What the user should do now.
  public var guidance: String?
  /// Further details, as in `NearbyUpdate.details`.
  public var details: [String: NearbyUpdate.Detail]

  /// A change from its parts.
  public init(
    timestamp: Timestamp, convergence: Convergence, guidance: String? = nil,
    details: [String: NearbyUpdate.Detail] = [:]
  ) {
    self.timestamp = timestamp
    self.convergence = convergence
    self.guidance = guidance
    self.details = details
  }
}
