/// What a recording cost: what `tools/benchmark` writes and compares.
package struct RecordingFigures: Codable, Equatable, Sendable {
  /// The reference kernel's time in the same process, microseconds.
  package struct Kernel: Codable, Equatable, Sendable {
    /// The covariance update in Eigen.
    package var update: Double
    /// The plain loop.
    package var loop: Double
    /// Both: the unit of every ratio.
    package var unit: Double
  }

  /// One stage.
  package struct Stage: Codable, Equatable, Sendable {
    /// How often it was gone through in one run.
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
  /// Frames per second of that; nil without frames.
  package var framesPerSecond: Double?
  /// Seconds of recording per second of that.
  package var timesRealTime: Double
  /// Largest resident memory of the process, bytes.
  package var peakMemoryBytes: Int
  /// What an empty stage measures: the clock's own time is in every figure, microseconds.
  package var emptyStageMicroseconds: Double
  /// The reference kernel.
  package var kernel: Kernel
  /// By name: those of `Estimator.Stage`, `reading` (an event from the files) and `writing` (a line of `updates.jsonl`).
  package var stages: [String: Stage]
}
