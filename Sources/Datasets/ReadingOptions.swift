/// How a recording is to be read.
package struct ReadingOptions: Sendable {
  /// Every bad row ends the reading.
  package var strict: Bool
  /// Leave out what was measured or became known earlier; seconds from the recording's first stamp.
  package var from: Double?
  /// Stop at what became known later; seconds from the recording's first stamp.
  package var to: Double?
  /// Only this peer's ranges and events.
  package var peer: String?
  /// Where the trajectory comes from: true odometry, false IMU and camera, nil the rule (IMU and camera where cam0
  /// has frames at 4 Hz or more).
  package var usesOdometry: Bool?
  /// A recording from which no trajectory can be made is an error; false for looking at one only.
  package var needsTrajectory: Bool
  /// How images become tracks; nil: images are not looked at.
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

/// What the trajectory is made from.
package enum TrajectorySource: String, Equatable, Sendable {
  /// The estimator makes it.
  case imuAndCamera
  /// Another tracker made it.
  case odometry
}
