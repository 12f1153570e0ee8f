/// Which data an update rests on.
public enum TrackingQuality: String, Sendable {
  /// Trajectory and ranges are fresh.
  case precise
  /// The trajectory continues, but no usable range came for a second.
  case drifting
  /// Ranges without a trajectory: only a distance.
  case imprecise
}
