import Datasets
import Evaluation
import RunResults
import SensorData
import Simulation

extension RedrawnRanges {
  /// Ranges of a scenario's radio along the true path, for the part of a recording that a run uses.
  ///
  /// - Throws: `CommandError` where that part has less than a second of true path, or a gap in it.
  init(_ recording: Recording, _ truth: TruthReading, _ options: RunOptions, radio: Scenario, seed: UInt64) throws {
    let begin = recording.firstTimestamp
    let part = (options.from ?? 0)...(options.to ?? .infinity)
    let states = truth.states.filter { part.contains($0.timestamp.seconds(since: begin)) }
    guard let first = states.first?.timestamp, let last = states.last?.timestamp, last.seconds(since: first) >= 1 else {
      throw CommandError("\(recording.name): less than a second of true path, expected one for --radio to range along")
    }
    if let gap = zip(states, states.dropFirst()).first(where: {
      $1.timestamp.seconds(since: $0.timestamp) > TruthTrajectory.longestGap
    }) {
      let seconds = gap.0.timestamp.seconds(since: begin)
      throw CommandError(
        "\(recording.name): a gap in the true path after \(Words.fixed(seconds, 1)) s, expected none for --radio")
    }
    let path = TruthTrajectory(states)
    let duration = last.seconds(since: first)
    self.init(radio, seed: seed, bodyFromDevice: recording.rig.bodyFromDevice, start: first, duration: duration) {
      // Within the rows and without a gap there is a pose.
      path.worldFromBody(at: min(max(first.advanced(bySeconds: $0), first), last))!
    }
  }
}
