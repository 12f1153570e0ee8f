/// The cost of a recording, as `tools/benchmark` writes and compares it.
package struct RecordingFigures: Codable, Equatable, Sendable {
  /// The reference kernel's time in the same process, microseconds.
  package struct Kernel: Codable, Equatable, Sendable {
    /// The covariance update in Eigen.
    package var update: Double
    /// The plain loop.
    package var loop: Double
    /// Their sum: the unit of every ratio.
    package var unit: Double
    /// The work of a frame as published filters do it; nil in files of older versions.
    package var frame: Double?

    /// From times in nanoseconds.
    package init(update: Int, loop: Int, frame: Int) {
      self.update = Double(update) / 1e3
      self.loop = Double(loop) / 1e3
      unit = Double(update + loop) / 1e3
      self.frame = Double(frame) / 1e3
    }
  }

  /// One stage.
  package struct Stage: Codable, Equatable, Sendable {
    /// Executions in one run.
    package var count: Int
    /// Processor time, microseconds.
    package var microseconds: Spread
    /// The same as ratios to the reference kernel's time.
    package var kernels: Spread
  }

  /// The recording's name.
  package var recording: String
  /// Length of the recording, seconds.
  package var seconds: Double
  /// Events in it.
  package var frames, ranges, updates: Int
  /// Runs measured.
  package var repeats: Int
  /// Processor time of the cheapest run, reading and writing lines included, seconds.
  package var cpuSeconds: Double
  /// `frames` and `ranges` per second of that; nil where there are none.
  package var perSecond: [String: Double?]
  /// Seconds of recording per second of that.
  package var timesRealTime: Double
  /// Fraction of the time in which the process had no core, 0...1: on a busy machine caches are shared.
  package var waitedShare: Double
  /// Largest resident memory of the process, bytes.
  package var peakMemoryBytes: Int
  /// Time of an empty stage, microseconds: the clock's own time, included in every figure.
  package var emptyStageMicroseconds: Double
  /// The reference kernel.
  package var kernel: Kernel
  /// By name: those of `Estimator.Stage`, `reading` (an event from the files) and `writing` (a line of
  /// `updates.jsonl`).
  package var stages: [String: Stage]

  /// - Parameters:
  ///   - cpuSeconds: of the cheapest run.
  ///   - emptyStageMicroseconds: time of an empty stage.
  ///   - samples: processor time of every stage, nanoseconds.
  package init(
    recording: String, seconds: Double, frames: Int, ranges: Int, updates: Int, repeats: Int, cpuSeconds: Double,
    waitedShare: Double, peakMemoryBytes: Int, emptyStageMicroseconds: Double, kernel: Kernel, samples: [String: [Int]]
  ) {
    self.recording = recording
    self.seconds = seconds
    self.frames = frames
    self.ranges = ranges
    self.updates = updates
    self.repeats = repeats
    self.cpuSeconds = cpuSeconds
    perSecond = ["frames": frames, "ranges": ranges].mapValues { $0 > 0 ? Double($0) / cpuSeconds : nil }
    timesRealTime = seconds / cpuSeconds
    self.waitedShare = waitedShare
    self.peakMemoryBytes = peakMemoryBytes
    self.emptyStageMicroseconds = emptyStageMicroseconds
    self.kernel = kernel
    stages = samples.mapValues {
      Stage(count: $0.count, microseconds: Spread($0, unit: 1e3), kernels: Spread($0, unit: 1e3 * kernel.unit))
    }
  }
}
