/// What an update rests on.
public enum TrackingQuality: String, Sendable {
  /// Trajectory and ranges are fresh.
  case precise
  /// The trajectory goes on, but no usable range came for a second.
  case drifting
  /// Ranges without a trajectory: a distance is all there is.
  case imprecise
}
