/// Where a session is in its life.
public enum SessionState: String, CaseIterable, Sendable {
  /// Never run.
  case idle
  /// Ranging, or waiting for the peer to be heard.
  case running
  /// Paused by the app.
  case paused
  /// Suspended by the system: the app is in the background, or the resources are not to be had.
  case suspended
  /// The suspension is over; the app has not run the session again yet.
  case resumable
  /// The peer is gone; the app may run the session again.
  case inactive
  /// Over for good.
  case invalidated
}
