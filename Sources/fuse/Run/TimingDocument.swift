import Datasets
import JSONText
import RunResults

/// `timing.json`: the cost of the run. The only file that differs between two runs.
struct TimingDocument {
  /// The recording's folder: not a result, so it is stored here. Evaluations and reports find the ground truth by it.
  /// Nil for a stream.
  var recording: String?
  /// Resource use.
  var use: ResourceUse
  /// Events read.
  var counts: EventCounts
  /// The trajectory was smoothed over the whole recording.
  var isOffline: Bool
  /// Seconds of the recording that the run covers.
  var span: Double

  /// The document.
  var json: JSONValue {
    [
      "recording": .string(recording), "mode": .string(isOffline ? "offline" : "forward"),
      "wallSeconds": .number(use.wall), "cpuSeconds": .number(use.cpu), "recordingSeconds": .number(span),
      "timesRealTime": .number(timesRealTime),
      "framesPerSecond": .number(counts.frames > 0 ? Double(counts.frames) / use.wall : nil),
      "peakMemoryBytes": .integer(use.peakMemory),
    ]
  }

  /// The same as text.
  var words: String {
    "\(Words.fixed(span, 1)) s of recording in \(Words.fixed(use.wall, 2)) s, \(Words.fixed(timesRealTime, 0)) x real time, "
      + "\(Words.fixed(Double(use.peakMemory) / 1e6, 0)) MB"
  }

  private var timesRealTime: Double { use.wall > 0 ? span / use.wall : 0 }
}
