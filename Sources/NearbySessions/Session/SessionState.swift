/// State of a session's life cycle.
public enum SessionState: String, CaseIterable, Sendable {
  /// Never run.
  case idle
  /// Ranging, or waiting for the peer's first range.
  case running
  /// Paused by the app.
  case paused
  /// Suspended by the system: the app is in the background, or the resources are not available.
  case suspended
  /// The suspension is over; the app has not run the session again yet.
  case resumable
  /// The peer was removed; the app may run the session again.
  case inactive
  /// Ended permanently.
  case invalidated
}
