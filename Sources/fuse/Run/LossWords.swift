import PrecisionFinding
import RunResults
import SensorData

/// Input that a run read and could not use, one line per kind of loss. Damaged rows have their own lines:
/// `DamageWords`.
package struct LossWords {
  /// The finder's summary.
  package var summary: FinderSummary
  /// How many ranges were read.
  package var ranges: Int
  /// The finder's `reorderWindow`, seconds.
  package var window: Double
  /// Unused frames after the trajectory's beginning.
  package var frames: Int
  /// Values left out of the files.
  package var nonFinite: Int

  /// Losses from their parts.
  package init(_ summary: FinderSummary, ranges: Int, window: Double, frames: Int, nonFinite: Int) {
    self.summary = summary
    self.ranges = ranges
    self.window = window
    self.frames = frames
    self.nonFinite = nonFinite
  }

  /// Lines of text.
  package var lines: [String] {
    let others = summary.lateEvents - summary.lateRanges
    var lines = late
    if others > 0 { lines.append("\(Words.count(others, "other event")) came later than the reorder window: not used") }
    if summary.unusableEvents > 0 {
      lines.append("\(Words.count(summary.unusableEvents, "event")) came twice or without numbers: not used")
    }
    if frames > 0 { lines.append("\(Words.count(frames, "frame")) came while the trajectory was lost: not used") }
    if nonFinite > 0 { lines.append("\(Words.count(nonFinite, "result")) not finite: left out") }
    return lines
  }

  private var late: [String] {
    guard summary.lateRanges > 0 else { return [] }
    let text = "\(summary.lateRanges) of \(Words.count(ranges, "range")) came later than the reorder window"
    let (asked, worst) = (Words.fixed(1000 * window, 0), Words.fixed(1000 * summary.latestRange, 0))
    // Rounded up to 0.05 s, so that the advised window suffices.
    let needed = Words.fixed((summary.latestRange * 20).rounded(.up) / 20, 2)
    return [
      "\(text) of \(asked) ms: not used. The latest was late by \(worst) ms;",
      "  'reorderWindow: \(needed)' in a --config file waits for them",
    ]
  }
}

extension EventCounts {
  /// Dropped frames of the first camera after the trajectory's beginning.
  ///
  /// - Parameter offset: time offset of the camera's clock, seconds.
  func lostFrames(_ summary: FinderSummary, offset: Double) -> Int {
    guard let began = summary.trajectoryBegan else { return 0 }
    let early = frameTimes.count { $0.advanced(bySeconds: offset) < began }
    return max(summary.framesDropped - (frames - frameTimes.count) - early, 0)
  }
}
