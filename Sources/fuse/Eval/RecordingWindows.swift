import Datasets
import Foundation
import RunResults

/// Splits a recording into windows of one length, each run as a search of its own.
///
/// A recording gives one search per peer, whatever its number of updates; windows give dozens. They overlap and are not
/// independent: the confidence intervals are lower bounds.
struct RecordingWindows {
  /// Length of a window, seconds.
  var seconds: Double
  /// Time between beginnings, seconds.
  var every: Double

  /// Largest number of windows.
  private static let most = 100_000

  /// The windows that fit, in seconds from the first event.
  ///
  /// - Throws: `DatasetError`; `CommandError` where none fits.
  func windows(of folder: String, _ options: RunOptions) throws -> [ClosedRange<Double>] {
    let recording = try Recording.open(URL(fileURLWithPath: folder), options: options.reading)
    let length = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    guard length >= seconds else {
      throw CommandError(
        "\(folder): \(Words.fixed(length, 1)) s, expected at least one window of \(Words.fixed(seconds, 1)) s")
    }
    let last = (length - seconds) / every
    guard last < Double(Self.most) else {
      throw CommandError(
        "\(folder): \(Words.fixed(length, 1)) s, expected at most \(Self.most) windows: check its timestamps, or --every"
      )
    }
    return (0...Int(last)).map { k in
      let start = Double(k) * every
      return start...(start + seconds)
    }
  }
}
