import Datasets
import Dispatch
import Evaluation
import Foundation
import Importing
import PrecisionFinding
import RunResults
import SensorData

/// A run from a recording's folder, or a stream, to a result folder.
struct RunExecution {
  /// The recording's folder; "-" for event lines on standard input.
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
    let input: any RunInput
    var recording: Recording?
    if folder == "-" {
      input = try StreamInput(options: options)
    } else {
      recording = try Recording.open(URL(fileURLWithPath: folder), options: options.reading)
      input = try FolderInput(recording!)
      if let shipped = ShippedRecording.folder(named: folder), !isQuiet {
        StandardError.line("\(folder): no such folder here, the recording that came with fuse: \(shipped)")
      }
    }
    let clocks = try recording?.spans().findings ?? []
    warn(clocks.map(\.words))
    let truth = try recording.map { try TruthReading($0) } ?? TruthReading(states: [], peers: [])
    let digest = try recording.map { try InputDigest($0) }
    let finder = try finder(for: input, recording, truth: truth)
    let offline = offlineTrajectory(finder, input)
    let files = try OutputFolder(path: output, inputs: recording?.inputPaths ?? [])
    let start = input.firstTimestamp
    var pipeline = RunPipeline(
      finder: finder, output: files,
      judge: truth.judge(
        input.rig,
        sharesWorld: options.initialization == .groundtruth && input.trajectorySource == .imuAndCamera),
      start: start, format: format,
      isQuiet: isQuiet, withholdsPoses: offline != nil,
      progress: ProgressLine(span: span(of: input), isQuiet: isQuiet))
    warn(input.takeWarnings())

    var truthTest = try recording.flatMap { try truth.test($0, rig: $0.rig) }
    var motion =
      input.trajectorySource == .odometry && input.rig.imu != nil
      ? MotionCheck(rig: input.rig, statesDevice: true) : nil
    while true {
      // What is published leaves before the wait for more.
      if !input.isReady {
        try pipeline.flush()
        warn(input.takeWarnings())
      }
      guard let event = try input.next() else { break }
      truthTest?.observe(event.event)
      motion?.add(event.event)
      offline?.observe(event.event)
      try pipeline.process(event)
    }
    // Output held back at `to` depends on later data: it is not emitted.
    if !input.stoppedEarly { try pipeline.recordingEnded() }
    let refined = offline?.poses { pipeline.show("smoothing", fraction: $0) }
    if let refined { try pipeline.record(refined.poses) }
    if let peer = options.peer, pipeline.counts.ranges == 0 {
      let known = try recording == nil ? [] : knownPeers()
      let near = Suggestion.text(for: peer, among: known)
      let expected = known.isEmpty ? "" : ", expected one of: \(known.joined(separator: " "))\(near)"
      throw CommandError("--peer \(peer): no ranges of that peer in this part of the recording\(expected)")
    }

    let errors = pipeline.judge?.errors()
    let besides = try (recording?.clockDiagnoses() ?? []) + (truthTest?.diagnoses(after: finder.diagnoses) ?? [])
    warn(input.takeWarnings())
    let damage = (input.damage + truth.damage).sorted { $0.path < $1.path }
    let document = ResultDocument(
      title: input.title, start: start, trajectorySource: input.trajectorySource, options: options, digest: digest,
      counts: pipeline.counts, damage: damage,
      summary: finder.summary, diagnoses: (motion?.explained(finder.diagnoses) ?? finder.diagnoses) + besides,
      calibration: finder.calibration,
      peers: pipeline.peers,
      written: (files.updateCount, files.poseCount),
      nonFinite: files.nonFiniteCount, errors: errors)
    let use = ResourceUse(since: began)
    let timing = TimingDocument(
      recording: input.path, use: use, counts: pipeline.counts, isOffline: offline != nil,
      span: span(of: input) ?? 0)
    try files.commit(result: document.json, timing: timing.json)
    warn(DamageWords.lines(damage) + (refined?.warnings ?? []))
    try pipeline.close(
      with: RunSummary.lines(
        peers: pipeline.peers, errors: errors, start: start, summary: finder.summary,
        besides: besides,
        losses: losses(finder.summary, pipeline.counts, input.rig, nonFinite: files.nonFiniteCount))
        + (finder.calibration.map { RunSummary.wrapped(CalibrationDocument.words($0)) } ?? [])
        + RunSummary.wrapped("written to \(output): " + timing.words)
        + RunSummary.wrapped(Self.verdictLine(document.verdict)))
    // Where no story ends with it.
    if isQuiet || format == .jsonl, document.verdict.findings.first != nil {
      StandardError.line(Self.verdictLine(document.verdict))
    }
  }

  /// The last line of every run.
  private static func verdictLine(_ verdict: RunVerdict) -> String { "verdict: \(verdict.line)" }

  /// The peers with ranges in this part of the recording.
  private func knownPeers() throws -> [String] {
    var reading = options.reading
    (reading.peer, reading.tracking) = (nil, nil)
    let events = try Recording.open(URL(fileURLWithPath: folder), options: reading).events()
    var names: Set<String> = []
    while let event = try events.next() { if case .range(let range) = event.event { names.insert(range.peer) } }
    return names.sorted()
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

  private func finder(
    for input: any RunInput, _ recording: Recording?, truth: TruthReading
  ) throws -> PrecisionFinder {
    let usesOdometry = input.trajectorySource == .odometry
    var initialState: GroundTruthState?
    if options.initialization == .groundtruth, let recording {
      if usesOdometry {
        warn(["--initialize groundtruth has no effect: the trajectory comes from odometry0, in its own world"])
      } else {
        initialState = try truth.firstState(of: recording)
      }
    }
    return PrecisionFinder(
      rig: input.rig, configuration: options.finder, useOdometry: usesOdometry, initialState: initialState)
  }

  private func offlineTrajectory(_ finder: PrecisionFinder, _ input: any RunInput) -> OfflineTrajectory? {
    guard options.isOffline else { return nil }
    if input.trajectorySource == .imuAndCamera {
      if options.finder.calibration.online {
        warn(["--offline uses the stated calibration: --calibrate changes the forward run only"])
      }
      return OfflineTrajectory(finder, input.rig)
    }
    warn(["--offline has no effect: the trajectory comes from odometry0"])
    return nil
  }

  /// Seconds of the recording that the run covers; nil where they are not known yet.
  private func span(of input: any RunInput) -> Double? {
    guard let whole = input.length else { return nil }
    return max(0, min(whole, options.to ?? whole) - max(0, options.from ?? 0))
  }

  private func warn(_ lines: [String]) {
    guard !isQuiet else { return }
    for line in lines { StandardError.warn(line) }
  }
}
