import Datasets
import SensorData

/// The updates of a run, moment by moment.
final class MomentReader {
  private let reader: UpdateReader
  private var head: UpdateRecord?

  /// Opens the updates of a folder.
  init(_ run: RunFolder) throws(DatasetError) {
    reader = try UpdateReader(folder: run.path)
    head = try reader.next()
  }

  /// The time of the next updates; nil at the end.
  var time: Timestamp? { head?.timestamp }

  /// The updates of that time, in the file's order; empty where the next ones are later.
  ///
  /// - Throws: `DatasetError`, also for an update that is earlier than the one before it.
  func take(_ time: Timestamp) throws(DatasetError) -> [UpdateRecord] {
    var updates: [UpdateRecord] = []
    while let update = head, update.timestamp == time {
      updates.append(update)
      head = try reader.next()
      if let head, head.timestamp < time {
        throw DatasetError(
          file: reader.path, line: reader.line, found: "an update that is earlier than the one before it",
          expected: "updates in order of time")
      }
    }
    return updates
  }
}
