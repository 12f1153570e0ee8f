import SensorData

/// Reads all streams of a recording as one, in order of arrival, in bounded memory.
///
/// Ties of arrival go by timestamp, then by `SensorEvent.rank`, then by camera; rows of one file keep their order.
package final class EventReader {
  private let streams: [any EventStream]
  private var heads: [TimedEvent?] = []
  private let selection: EventSelection
  private var failure: DatasetError?
  /// Whether an event arrived after `ReadingOptions.to`: then the recording continues after the end of the reading.
  package private(set) var stoppedEarly = false

  /// Opens the streams of a recording; called by `Recording.events()`.
  init(_ recording: Recording) throws(DatasetError) {
    let options = recording.options
    streams = try EventStreams.open(
      recording.layout, rig: recording.rig, readsOdometry: recording.readsOdometry,
      tracking: recording.trajectorySource == .odometry ? nil : options.tracking, isStrict: options.strict)
    selection = EventSelection(
      from: options.from, to: options.to, peer: options.peer, first: recording.firstTimestamp)
  }

  /// The next event; nil at the end, or after the last arrival up to `ReadingOptions.to`.
  ///
  /// - Throws: `DatasetError` for damage beyond the limit; then every further call throws the same.
  package func next() throws(DatasetError) -> TimedEvent? {
    if let failure { throw failure }
    do throws(DatasetError) {
      return try nextWanted()
    } catch {
      failure = error
      throw error
    }
  }

  private func nextWanted() throws(DatasetError) -> TimedEvent? {
    if heads.isEmpty { for stream in streams { heads.append(try stream.next()) } }
    while let event = try earliest() {
      if selection.isOver(at: event) { stoppedEarly = true }
      if stoppedEarly { return nil }
      if selection.includes(event.event) { return event }
    }
    return nil
  }

  /// Rows read and skipped so far, per file, sorted by path.
  package var damage: [FileDamage] { streams.flatMap(\.damage).sorted { $0.path < $1.path } }

  private func earliest() throws(DatasetError) -> TimedEvent? {
    var best = -1
    for index in heads.indices {
      guard let head = heads[index] else { continue }
      if best < 0 || Self.precedes(head, heads[best]!) { best = index }
    }
    guard best >= 0, !stoppedEarly else { return nil }
    let event = heads[best]
    heads[best] = try streams[best].next()
    return event
  }

  /// Strict order; equals stay in the order of the streams.
  private static func precedes(_ a: TimedEvent, _ b: TimedEvent) -> Bool {
    if a.arrival != b.arrival { return a.arrival < b.arrival }
    let (first, second) = (a.event.timestamp, b.event.timestamp)
    if first != second { return first < second }
    return a.event.rank < b.event.rank
  }
}
