/// Options of reading a recording.
package struct ReadingOptions: Sendable {
  /// Every bad row ends the reading.
  package var strict: Bool
  /// Leave out measurements and arrivals before this; seconds from the recording's first timestamp.
  package var from: Double?
  /// Stop at the first arrival after this; seconds from the recording's first timestamp.
  package var to: Double?
  /// Only this peer's ranges and events.
  package var peer: String?
  /// Where the trajectory comes from: true odometry, false IMU and camera, nil the rule (IMU and camera where cam0
  /// has frames at 4 Hz or more).
  package var usesOdometry: Bool?
  /// Whether a recording without sensors for a trajectory is an error; false for inspection.
  package var needsTrajectory: Bool
  /// Tracking of images; nil: images are not read.
  package var tracking: ImageTrackingOptions?

  /// The defaults: all of it, by the rule, bad rows counted.
  package init(
    strict: Bool = false, from: Double? = nil, to: Double? = nil, peer: String? = nil, usesOdometry: Bool? = nil,
    needsTrajectory: Bool = true, tracking: ImageTrackingOptions? = nil
  ) {
    self.strict = strict
    self.from = from
    self.to = to
    self.peer = peer
    self.usesOdometry = usesOdometry
    self.needsTrajectory = needsTrajectory
    self.tracking = tracking
  }
}

/// Source of the trajectory.
package enum TrajectorySource: String, Equatable, Sendable {
  /// The estimator, from IMU and camera.
  case imuAndCamera
  /// External odometry.
  case odometry
}
