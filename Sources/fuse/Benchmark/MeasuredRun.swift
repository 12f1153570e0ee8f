import Datasets
import Dispatch
import Foundation
import JSONText
import PrecisionFinding
import RunResults
import SensorData

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
