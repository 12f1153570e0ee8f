import Datasets
import Dispatch
import Estimator
import Foundation
import JSONText
import PrecisionFinding
import RunResults

/// Runs a recording repeatedly, as `fuse run` does but without files, story and judge, and measures its stages.
///
/// Every run does exactly the same work, so each stage's n-th time is the minimum of the n-th times of all runs. This
/// removes the effect of other processes on the caches and keeps rare long stages.
package struct MeasuredRun {
  private var shortest: [String: [Int]] = [:]
  private var cheapest = Int.max
  private var counts = EventCounts()
  private var updates = 0

  /// Figures of `repeats` runs over a folder; `line` gets every line of `updates.jsonl` of every run.
  package static func figures(
    of folder: String, repeats: Int, line: ([UInt8]) -> Void = { _ in }
  ) throws -> RecordingFigures {
    let recording = try Recording.open(
      URL(fileURLWithPath: folder), options: ReadingOptions(tracking: .frontEnd(readsAhead: false)))
    let began = (wall: DispatchTime.now().uptimeNanoseconds, cpu: StageClock.threadTime())
    let kernel = ReferenceKernel()
    var (update, loop, frame) = kernel.time(passes: 10)
    var run = MeasuredRun()
    for _ in 0..<repeats {
      try run.once(recording, line: line)
      let again = kernel.time(passes: 10)
      (update, loop, frame) = (min(update, again.update), min(loop, again.loop), min(frame, again.frame))
    }
    let wall = max(Double(DispatchTime.now().uptimeNanoseconds - began.wall), 1)
    let cpu = Double(StageClock.threadTime() - began.cpu)
    return RecordingFigures(
      recording: recording.name, seconds: try recording.lastTimestamp().seconds(since: recording.firstTimestamp),
      frames: run.counts.frames, ranges: run.counts.ranges, updates: run.updates, repeats: repeats,
      cpuSeconds: Double(run.cheapest) * 1e-9, waitedShare: min(max(1 - cpu / wall, 0), 1),
      peakMemoryBytes: ResourceUse(since: DispatchTime.now().uptimeNanoseconds).peakMemory,
      emptyStageMicroseconds: emptyStage(), kernel: .init(update: update, loop: loop, frame: frame),
      samples: run.shortest)
  }

  private mutating func once(_ recording: Recording, line: ([UInt8]) -> Void) throws {
    let clock = StageClock()
    let finder = PrecisionFinder(rig: recording.rig, useOdometry: recording.trajectorySource == .odometry)
    finder.attach(clock)
    var json = JSONWriter()
    (counts, updates) = (EventCounts(), 0)
    func write(_ outputs: [FinderOutput]) {
      for output in outputs {
        guard let record = UpdateRecord(output) else { continue }
        clock.measure("writing") {
          json.removeAll()
          record.write(to: &json)
        }
        updates += 1
        line(json.bytes)
      }
    }
    let began = StageClock.threadTime()
    let events = try recording.events()
    while let event = try clock.measure("reading", { try events.next() }) {
      counts.add(event.event)
      write(finder.process(event))
    }
    write(finder.finish())
    cheapest = min(cheapest, StageClock.threadTime() - began)
    shortest.merge(clock.samples) { old, new in
      precondition(old.count == new.count, "every run does the same work")
      return zip(old, new).map { min($0, $1) }
    }
  }

  /// Median time of an empty stage, microseconds.
  private static func emptyStage() -> Double {
    let clock = StageClock()
    for _ in 0..<1001 { clock.measure("empty") {} }
    return Spread(clock.samples["empty"]!, unit: 1e3).p50
  }
}

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

/// Processor time of every stage of a run: one value per execution.
///
/// A stage's time excludes that of nested stages, except for whole ones (`Stage.isWhole`). Time in which the thread
/// waits or another process has the core is excluded, too.
package final class StageClock: StageMeter {
  private struct Open {
    var stage: String
    var began: Int
    var inner = 0
  }
  private var open: [Open] = []
  private let now: () -> Int
  /// Nanoseconds by stage, in the order of ending.
  package private(set) var samples: [String: [Int]] = [:]

  /// - Parameter now: the time in nanoseconds; only differences count.
  package init(now: @escaping () -> Int = StageClock.threadTime) { self.now = now }

  /// Processor time of the calling thread, nanoseconds.
  package static func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  package func begin(_ stage: Stage) { begin(stage.rawValue) }
  package func end(_ stage: Stage) { end(stage.rawValue, isWhole: stage.isWhole) }

  /// Runs `work` as a stage outside the library.
  package func measure<Result>(_ stage: String, _ work: () throws -> Result) rethrows -> Result {
    begin(stage)
    defer { end(stage, isWhole: false) }
    return try work()
  }

  // The clock is read last at the begin and first at the end, so the bookkeeping counts for the enclosing stage.
  private func begin(_ stage: String) {
    open.append(Open(stage: stage, began: 0))
    open[open.count - 1].began = now()
  }

  private func end(_ stage: String, isWhole: Bool) {
    let time = now()
    guard let ended = open.popLast(), ended.stage == stage else { preconditionFailure("stages nest") }
    let whole = time - ended.began
    if !open.isEmpty { open[open.count - 1].inner += whole }
    samples[stage, default: []].append(isWhole ? whole : whole - ended.inner)
  }
}

/// Mean, median, 99th percentile (nearest rank) and maximum of a set of times, all in one unit.
package struct Spread: Codable, Equatable, Sendable {
  package var mean, p50, p99, worst: Double

  /// From times in nanoseconds, at least one, in units of `unit` nanoseconds.
  package init(_ nanoseconds: [Int], unit: Double) {
    precondition(!nanoseconds.isEmpty, "at least one time")
    let sorted = nanoseconds.sorted()
    func rank(_ percent: Int) -> Double { Double(sorted[(sorted.count * percent + 99) / 100 - 1]) / unit }
    mean = Double(sorted.reduce(0, +)) / Double(sorted.count) / unit
    (p50, p99, worst) = (rank(50), rank(99), rank(100))
  }
}
