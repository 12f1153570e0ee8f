import Datasets
import Foundation

/// Cuts a recording into searches of one length.
///
/// A recording of a minute has one beginning and, for each of its peers, one search: a handful of draws, whatever its number of updates. Begun anew every few
/// seconds it has dozens. They overlap, so they are not independent: what the confidence intervals say of them is a lower bound of the doubt.
struct RecordingWindows {
  /// Length of a window, seconds.
  var seconds: Double
  /// From one beginning to the next, seconds.
  var every: Double

  /// The windows that fit, in seconds from the first event.
  ///
  /// - Throws: `DatasetError`; `CommandError` where none fits.
  func cuts(of folder: String, _ options: RunOptions) throws -> [ClosedRange<Double>] {
    let recording = try Recording.open(URL(fileURLWithPath: folder), options: options.reading)
    let length = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    guard length >= seconds else {
      throw CommandError(
        "\(folder): \(Words.fixed(length, 1)) s, expected at least one window of \(Words.fixed(seconds, 1)) s")
    }
    return (0...Int((length - seconds) / every)).map { k in
      let start = Double(k) * every
      return start...(start + seconds)
    }
  }
}
