import Datasets
import Dispatch
import Evaluation
import Foundation
import PrecisionFinding
import SensorData

/// A run from a recording's folder to a result folder.
struct RunExecution {
  /// The recording's folder.
  var folder: String
  /// The result's folder.
  var output: String
  /// Options that affect the results.
  var options: RunOptions
  /// Format of stdout.
  var format: RunPipeline.Format
  /// No story, no progress.
  var isQuiet: Bool

  /// Runs; an error leaves an older result as it was.
  func run() throws {
    let began = DispatchTime.now().uptimeNanoseconds
    let recording = try Recording.open(URL(fileURLWithPath: folder), options: options.reading)
    let truth = try TruthReading(recording)
    let digest = try InputDigest(recording)
    let finder = try finder(for: recording, truth: truth)
    let offline = offlineTrajectory(finder, recording)
    let files = try OutputFolder(path: output)
    let start = recording.firstTimestamp
    var pipeline = RunPipeline(
      finder: finder, output: files,
      judge: truth.judge(
        recording.rig,
        sharesWorld: options.initialization == .groundtruth && recording.trajectorySource == .imuAndCamera),
      start: start, format: format,
      isQuiet: isQuiet, withholdsPoses: offline != nil,
      progress: ProgressLine(span: try span(of: recording), isQuiet: isQuiet))
    warn(recording.warnings)

    let events = try recording.events()
    var truthTest = try truth.test(recording, rig: recording.rig)
    while let event = try events.next() {
      truthTest?.observe(event.event)
      offline?.observe(event.event)
      try pipeline.process(event)
    }
    // Output held back at `to` depends on later data: it is not emitted.
    if !events.stoppedEarly { try pipeline.recordingEnded() }
    let refined = offline?.poses { pipeline.show("smoothing", fraction: $0) }
    if let refined { try pipeline.record(refined.poses) }
    if let peer = options.peer, pipeline.counts.ranges == 0 {
      throw CommandError("--peer \(peer): no ranges of that peer in this part of the recording")
    }

    let errors = pipeline.judge?.errors()
    let truthDiagnoses = truthTest?.diagnoses(after: finder.diagnoses) ?? []
    let damage = (events.damage + truth.damage).sorted { $0.path < $1.path }
    let document = ResultDocument(
      recording: recording, options: options, digest: digest, counts: pipeline.counts, damage: damage,
      summary: finder.summary, diagnoses: finder.diagnoses + truthDiagnoses, calibration: finder.calibration, peers: pipeline.peers,
      written: (files.updateCount, files.poseCount),
      nonFinite: files.nonFiniteCount, errors: errors)
    let use = ResourceUse(since: began)
    let timing = TimingDocument(
      recording: URL(fileURLWithPath: folder).standardizedFileURL.path, use: use, counts: pipeline.counts,
      isOffline: offline != nil, span: try span(of: recording))
    try files.commit(result: document.json, timing: timing.json)
    warn(DamageWords.lines(damage) + (refined?.warnings ?? []))
    try pipeline.close(
      with: RunSummary.lines(
        peers: pipeline.peers, errors: errors, start: start, summary: finder.summary,
        truthDiagnoses: truthDiagnoses, losses: losses(finder.summary, pipeline.counts, recording.rig, nonFinite: files.nonFiniteCount))
        + (finder.calibration.map { [CalibrationDocument.words($0)] } ?? [])
        + ["written to \(output): " + timing.words])
  }

  private func losses(
    _ summary: FinderSummary, _ counts: EventCounts, _ rig: RigCalibration, nonFinite: Int
  ) -> [String] {
    let offset = rig.cameras.first?.timeOffset ?? 0
    return LossWords(
      summary, ranges: counts.ranges, window: options.finder.reorderWindow,
      frames: counts.lostFrames(summary, offset: offset), nonFinite: nonFinite
    ).lines
  }

  private func finder(for recording: Recording, truth: TruthReading) throws -> PrecisionFinder {
    let usesOdometry = recording.trajectorySource == .odometry
    var initialState: GroundTruthState?
    if options.initialization == .groundtruth {
      if usesOdometry {
        warn(["--initialize groundtruth has no effect: the trajectory comes from odometry0, in its own world"])
      } else {
        initialState = try truth.firstState(of: recording)
      }
    }
    return PrecisionFinder(
      rig: recording.rig, configuration: options.finder, useOdometry: usesOdometry, initialState: initialState)
  }

  private func offlineTrajectory(_ finder: PrecisionFinder, _ recording: Recording) -> OfflineTrajectory? {
    guard options.isOffline else { return nil }
    if recording.trajectorySource == .imuAndCamera {
      if options.finder.calibration.online {
        warn(["--offline uses the stated calibration: --calibrate changes the forward run only"])
      }
      return OfflineTrajectory(finder, recording.rig)
    }
    warn(["--offline has no effect: the trajectory comes from odometry0"])
    return nil
  }

  /// Seconds of the recording that the run covers.
  private func span(of recording: Recording) throws -> Double {
    let whole = try recording.lastTimestamp().seconds(since: recording.firstTimestamp)
    return max(0, min(whole, options.to ?? whole) - max(0, options.from ?? 0))
  }

  private func warn(_ lines: [String]) {
    guard !isQuiet else { return }
    for line in lines { StandardError.warn(line) }
  }
}
