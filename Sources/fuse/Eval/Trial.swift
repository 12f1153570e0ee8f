import Datasets
import Evaluation
import Foundation
import PrecisionFinding
import SensorData
import Simulation
import Smoothing

/// One run to be judged: a recording, the output of a run, or a scenario with a seed. Works without writing anything.
struct Trial {
  /// What is run or read.
  enum Source {
    case recording(String)
    /// A recording with ranges of a scenario's radio in place of its own.
    case redrawn(String, radio: Scenario, seed: UInt64)
    case run(String)
    case scenario(Scenario, seed: UInt64)
  }

  /// What is run or read.
  var source: Source
  /// What may change the results of a run.
  var options: RunOptions
  /// Where the truth of an output folder stands, if the user says.
  var truth: String?
  /// Whether the ideal observer is asked too.
  var asksIdeal: Bool
  /// Whether a scenario's start from the truth errs as the filter expects.
  var drawsStart = false
  /// Who holds the phone in a scenario.
  var user = SimulatedUser.script

  /// Runs and judges. Takes seconds; touches nothing shared.
  ///
  /// - Throws: `DatasetError`, `ScenarioError`, `CommandError`.
  func verdict() throws -> Judge.Verdict {
    switch source {
    case .recording(let path): try judgeRecording(path)
    case .redrawn(let path, let radio, let seed): try judgeRecording(path, radio: (radio, seed))
    case .run(let path): try judgeRun(path)
    case .scenario(let scenario, let seed): try judgeScenario(scenario, seed)
    }
  }

  private func judgeRecording(_ path: String, radio: (scenario: Scenario, seed: UInt64)? = nil) throws -> Judge.Verdict {
    let recording = try Recording.open(URL(fileURLWithPath: path), options: options.reading)
    var (rig, truth) = (recording.rig, try TruthReading(recording))
    let redrawn = try radio.map { try RedrawnRanges(recording, truth, options, radio: $0.scenario, seed: $0.seed) }
    if let redrawn { (rig.radio, truth) = (redrawn.radio, TruthReading(states: truth.states, peers: redrawn.peers)) }
    let usesOdometry = recording.trajectorySource == .odometry
    let startsFromTruth = options.initialization == .groundtruth && !usesOdometry
    guard var judge = truth.judge(rig, sharesWorld: startsFromTruth) else { throw Self.noTruth(path) }
    let finder = PrecisionFinder(
      rig: rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth ? try truth.firstState(of: recording) : nil)
    let offline = options.isOffline && !usesOdometry ? OfflineTrajectory(finder, rig) : nil
    let events = try RecordedEvents(recording, ranges: redrawn?.events)
    var ranges: [RangeMeasurement] = []
    while let event = try events.next() {
      guard options.takes(event.event) else { continue }
      if case .range(let range) = event.event { ranges.append(range) }
      offline?.hear(event.event)
      for said in finder.process(event) { judge.note(said, withPoses: offline == nil) }
    }
    if !events.stoppedEarly { for said in finder.finish() { judge.note(said, withPoses: offline == nil) } }
    judge.note(offline)
    return withIdeal(judge, ranges, rig, truth, radio.map { RangeErrorModel($0.scenario.radio) }, redrawn?.impaired)
  }

  private func judgeScenario(_ scenario: Scenario, _ seed: UInt64) throws -> Judge.Verdict {
    let followed = options.forcesOdometry ? scenario.followedByOdometry : scenario
    let simulator = try Simulator(scenario: user.played(followed, seed: seed, options.finder), seed: seed)
    let contents = simulator.recording()
    let events = options.cut(contents.events)
    let truth = TruthReading(states: contents.truth, peers: contents.peers)
    let startsFromTruth = options.initialization == .groundtruth
    let usesOdometry = contents.rig.cameras.isEmpty || contents.rig.imu == nil
    guard var judge = truth.judge(contents.rig, sharesWorld: startsFromTruth) else { throw Self.noTruth(scenario.name) }
    let finder = PrecisionFinder(
      rig: contents.rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth && !usesOdometry ? start(truth.firstState(from: events), contents.rig, seed) : nil)
    let offline = options.isOffline && !usesOdometry ? OfflineTrajectory(finder, contents.rig) : nil
    for event in events {
      offline?.hear(event.event)
      for said in finder.process(event) { judge.note(said, withPoses: offline == nil) }
    }
    if options.to == nil { for said in finder.finish() { judge.note(said, withPoses: offline == nil) } }
    judge.note(offline)
    let ranges = events.compactMap { if case .range(let range) = $0.event { range } else { nil } }
    let impaired = asksIdeal ? simulator.impairedRanges() : [:]
    return withIdeal(judge, ranges, contents.rig, truth, RangeErrorModel(scenario.radio), impaired)
  }

  /// The state to start from, or a draw about it.
  private func start(_ state: GroundTruthState?, _ rig: RigCalibration, _ seed: UInt64) -> GroundTruthState? {
    guard let state, let imu = rig.imu, drawsStart else { return state }
    return state.drawn(imu, seed: seed)
  }

  private func judgeRun(_ path: String) throws -> Judge.Verdict {
    let run = try RunFolder(path: path)
    guard let origin = try RunOrigin(of: run, named: truth) else {
      throw CommandError(
        "\(path): its recording is not to be found, expected the folder with the truth: --truth <recording>")
    }
    guard var judge = origin.truth.judge(origin.recording.rig, sharesWorld: run.sharesWorldWithTruth) else {
      throw Self.noTruth(origin.recording.name)
    }
    judge.note(run)
    var ranges: [RangeMeasurement] = []
    if asksIdeal {
      let events = try origin.recording.events()
      while let event = try events.next() { if case .range(let range) = event.event { ranges.append(range) } }
    }
    return withIdeal(judge, ranges, origin.recording.rig, origin.truth)
  }

  private func withIdeal(
    _ judge: Judge, _ ranges: [RangeMeasurement], _ rig: RigCalibration, _ truth: TruthReading,
    _ model: RangeErrorModel? = nil, _ impaired: [String: Set<Timestamp>]? = nil
  ) -> Judge.Verdict {
    var verdict = judge.verdict()
    guard asksIdeal else { return verdict }
    for (peer, own) in Dictionary(grouping: ranges, by: \.peer) {
      let trial = IdealTrial(
        peer: peer, ranges: own, antennas: rig.radio?.antennas ?? ["": .zero], truth: TruthTrajectory(truth.states),
        peers: TruthPeers(truth.peers), bodyFromDevice: rig.bodyFromDevice)
      verdict.ideal[peer] = trial?.errors(model: model, impaired: impaired?[peer])
    }
    return verdict
  }

  private static func noTruth(_ name: String) -> CommandError {
    CommandError("\(name): no ground truth, expected mav0/state_groundtruth_estimate0/data.csv")
  }
}

extension RangeErrorModel {
  /// The law of a simulated radio.
  fileprivate init(_ radio: Scenario.Radio) {
    self.init(white: radio.rangeNoise, coloured: radio.driftDeviation, memory: radio.driftTime)
  }
}

extension Judge {
  /// Notes the trajectory that stands for the finder's, where there is one.
  fileprivate mutating func note(_ offline: OfflineTrajectory?) {
    for pose in offline?.poses().poses ?? [] {
      note(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
  }

  /// Notes what the finder says, as it would stand in the output folder.
  fileprivate mutating func note(_ said: FinderOutput, withPoses: Bool) {
    switch said {
    case .update(let update):
      if let judged = JudgedUpdate(UpdateRecord(update)) { note(judged, peer: update.object.peer) }
    case .pose(let time, let worldFromBody, let covariance):
      if withPoses { note(time, worldFromBody: worldFromBody, covariance: covariance) }
    case .session: break
    }
  }
}
