import EventLines

/// Limits of the service; every one is an option of the command.
package struct SessionLimits: Sendable {
  /// Sessions that are open: neither finished nor parked.
  package var sessions = 100
  /// Sessions that are kept, in any state.
  package var keptSessions = 20_000
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
  /// Seconds without a batch after which a session's finder leaves memory.
  package var park = 120.0
  /// Seconds without data after which a session that never had any ends.
  package var empty = 300.0
  /// Updates a second and session, over the seconds of the clock.
  package var updatesPerSecond = 10_000.0
  /// Bytes of a session, of its batches and its updates.
  package var sessionBytes = 16 << 30
  /// Bytes of the disk that stay free; at most a twentieth of the disk.
  package var diskReserve = 64 << 20
  /// Seconds that a session is kept after its last call; nil: until it is deleted.
  package var retention: Double? = 86_400

  /// The defaults.
  package init() {}
}
