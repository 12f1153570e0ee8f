import Datasets
import SensorData

/// Seconds from the beginning of the recording, or of the run's output where that is not known.
struct TimeAxis {
  /// Its origin.
  let start: Timestamp
  /// First and last time of the run's output, seconds; equal for an empty run.
  let span: ClosedRange<Double>

  /// The axis of a run.
  init(_ run: RunFolder) {
    let stamps = run.updates.map(\.timestamp) + run.poses.map(\.timestamp)
    let first = stamps.min() ?? Timestamp(nanoseconds: 0)
    var start = first
    if case .integer(let nanoseconds)? = run.result?["start"] { start = Timestamp(nanoseconds: Int64(nanoseconds)) }
    self.start = start
    let last = (stamps.max() ?? first).seconds(since: start)
    // A run that began at least a second after the recording is drawn from its own beginning.
    let from = min(first.seconds(since: start), last)
    span = (from < 1 ? min(0, from) : from)...last
  }

  /// Seconds since the start.
  func seconds(_ time: Timestamp) -> Double { time.seconds(since: start) }
}
