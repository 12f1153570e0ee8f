import EventLines

/// Limits of the service; every one is an option of the command.
package struct SessionLimits: Sendable {
  /// Sessions that are not finished.
  package var sessions = 100
  /// Bytes of a batch, unpacked.
  package var batchBytes = 4 << 20
  /// Bytes of a line.
  package var lineBytes = LineParser.longestLine
  /// Measurements a second and session.
  package var eventsPerSecond = 20_000.0
  /// Peers of a session.
  package var peers = 64
  /// Batches of a session that wait for the finder.
  package var waitingBatches = 64
  /// Seconds without a batch after which a session is suspended for its readers.
  package var idle = 10.0
  /// Seconds that a session is kept after its last call; nil: until it is deleted.
  package var retention: Double? = 86_400

  /// The defaults.
  package init() {}
}
