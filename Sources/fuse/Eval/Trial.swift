import Datasets
import Estimator
import Evaluation
import Foundation
import Geometry
import Importing
import PrecisionFinding
import Premises
import RunResults
import SensorData
import Simulation
import Smoothing
import Wording

/// What came of one run: its errors against ground truth, and its verdict.
struct TrialResult {
  var errors: Judge.Errors
  /// Those of other solvers on the same path and ranges, by name, in the order asked for.
  var others: [(name: String, errors: Judge.Errors)] = []
  var verdict: RunVerdict
  /// Whether its sensors are recorded: then a broken set-up is the recording's, and not the finder's false alarm.
  var isRecorded: Bool

  /// Whether its figures stand apart from those of others: the data refute what they rest on.
  var standsApart: Bool { isRecorded && verdict.state == .broken }
}

/// One run to evaluate: a recording, the output of a run, or a scenario with a seed. Writes no files.
struct Trial {
  /// Source of the run.
  enum Source {
    case recording(String)
    /// A recording with the ranges of a scenario's radio instead of its own.
    case redrawn(String, radio: Scenario, seed: UInt64)
    case run(String)
    case scenario(Scenario, seed: UInt64)
  }

  /// Source of the run.
  var source: Source
  /// Options that affect the results.
  var options: RunOptions
  /// The recording of an output folder, if given by the user.
  var truth: String?
  /// Whether to read an output folder whose files do not belong together.
  var readsUnverified = false
  /// Whether to run the ideal observer, too.
  var runsIdeal: Bool
  /// Whether a scenario's true initial state gets an error drawn from the filter's initial covariance.
  var drawsInitialError = false
  /// The user who holds the phone in a scenario.
  var user = SimulatedUser.script

  /// Other solvers that are judged beside.
  var solvers: [OtherSolver] = []
  /// Called with warnings about the recording.
  var warn: @Sendable (String) -> Void = { _ in }

  /// Runs and evaluates. Takes seconds; has no shared state.
  ///
  /// - Throws: `DatasetError`, `ScenarioError`, `CommandError`.
  func result() throws -> TrialResult {
    switch source {
    case .recording(let path): try evaluateRecording(path)
    case .redrawn(let path, let radio, let seed): try evaluateRecording(path, radio: (radio, seed))
    case .run(let path): try evaluateRun(path)
    case .scenario(let scenario, let seed): try evaluateScenario(scenario, seed)
    }
  }

  private func evaluateRecording(
    _ path: String, radio: (scenario: Scenario, seed: UInt64)? = nil
  ) throws -> TrialResult {
    let recording = try Recording.open(URL(fileURLWithPath: path), options: options.reading)
    var (rig, truth) = (recording.rig, try TruthReading(recording))
    let redrawn = try radio.map { try RedrawnRanges(recording, truth, options, radio: $0.scenario, seed: $0.seed) }
    if let redrawn { (rig.radio, truth) = (redrawn.radio, truth.with(peers: redrawn.peers)) }
    let usesOdometry = recording.trajectorySource == .odometry
    let startsFromTruth = options.initialization == .groundtruth && !usesOdometry
    guard var judge = truth.judge(rig, sharesWorld: startsFromTruth) else { throw Self.noTruth(path) }
    let finder = PrecisionFinder(
      rig: rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth ? try truth.firstState(of: recording) : nil)
    let offline = options.isOffline && !usesOdometry ? OfflineTrajectory(finder, rig) : nil
    let events = try RecordedEvents(recording, ranges: redrawn?.events)
    var run = FinderRun(finder)
    var ranges: [RangeMeasurement] = []
    var path = SolverPath(rig)
    var truthTest = try truth.test(recording, rig: rig)
    var motion =
      usesOdometry ? MotionCheck(rig: rig, statesDevice: recording.statesDevice || recording.looksAlongCamera) : nil
    while let event = try events.next() {
      truthTest?.observe(event.event)
      guard options.includes(event.event) else { continue }
      if case .range(let range) = event.event { ranges.append(range) }
      motion?.add(event.event)
      offline?.observe(event.event)
      for output in run.process(event) {
        judge.record(output, withPoses: offline == nil)
        path.record(output)
      }
    }
    if !events.stoppedEarly { for output in run.finish() { judge.record(output, withPoses: offline == nil) } }
    judge.record(worlds: finder.summary.worlds)
    path.worlds = finder.summary.worlds
    judge.record(offline)
    recording.warnings.forEach(warn)
    DamageWords.lines((events.damage + truth.damage).sorted { $0.path < $1.path }).forEach { warn("\(path)/\($0)") }
    var found: (diagnoses: [Diagnosis], doubts: [RunVerdict.Finding]) =
      motion?.judged(finder.diagnoses) ?? (finder.diagnoses, [])
    found.diagnoses += try recording.clockDiagnoses() + (truthTest?.diagnoses(after: found.diagnoses) ?? [])
    let errors = withIdeal(
      judge, ranges, rig, truth, radio?.scenario.radio, redrawn?.impaired)
    var result = result(run, errors, found, isRecorded: true)
    result.others = others(path, ranges, judge)
    return result
  }

  private func others(
    _ path: SolverPath, _ ranges: [RangeMeasurement], _ judge: Judge
  ) -> [(name: String, errors: Judge.Errors)] {
    solvers.map { ($0.name, judge.beside($0.answers(path, ranges)).errors()) }
  }

  private func result(
    _ run: FinderRun, _ errors: Judge.Errors, _ found: (diagnoses: [Diagnosis], doubts: [RunVerdict.Finding])? = nil,
    isRecorded: Bool
  ) -> TrialResult {
    let verdict = RunVerdict(
      diagnoses: found?.diagnoses ?? run.finder.diagnoses, summary: run.finder.summary, peers: run.peers,
      errors: errors, hasEnded: true, doubts: found?.doubts ?? [])
    return TrialResult(errors: errors, verdict: verdict, isRecorded: isRecorded)
  }

  private func evaluateScenario(_ scenario: Scenario, _ seed: UInt64) throws -> TrialResult {
    let followed = options.forcesOdometry ? scenario.withExternalOdometry : scenario
    let simulator = try Simulator(scenario: user.played(followed, seed: seed, options.finder), seed: seed)
    let contents = simulator.recording()
    let events = options.selected(contents.events)
    let truth = TruthReading(states: contents.truth, peers: contents.peers)
    let startsFromTruth = options.initialization == .groundtruth
    let usesOdometry = contents.rig.cameras.isEmpty || contents.rig.imu == nil
    guard var judge = truth.judge(contents.rig, sharesWorld: startsFromTruth) else { throw Self.noTruth(scenario.name) }
    let finder = PrecisionFinder(
      rig: contents.rig, configuration: options.finder, useOdometry: usesOdometry,
      initialState: startsFromTruth && !usesOdometry
        ? initialState(truth.firstState(from: events), contents.rig, seed) : nil)
    let offline = options.isOffline && !usesOdometry ? OfflineTrajectory(finder, contents.rig) : nil
    var run = FinderRun(finder)
    var path = SolverPath(contents.rig)
    for event in events {
      offline?.observe(event.event)
      for output in run.process(event) {
        judge.record(output, withPoses: offline == nil)
        path.record(output)
      }
    }
    if options.to == nil { for output in run.finish() { judge.record(output, withPoses: offline == nil) } }
    judge.record(worlds: finder.summary.worlds)
    path.worlds = finder.summary.worlds
    judge.record(offline)
    let ranges = events.compactMap { if case .range(let range) = $0.event { range } else { nil } }
    let impaired = runsIdeal ? simulator.impairedRanges() : [:]
    let errors = withIdeal(judge, ranges, contents.rig, truth, scenario.radio, impaired)
    var result = result(run, errors, isRecorded: false)
    result.others = others(path, ranges, judge)
    return result
  }

  /// The initial state, with a drawn error if requested.
  private func initialState(_ state: GroundTruthState?, _ rig: RigCalibration, _ seed: UInt64) -> GroundTruthState? {
    guard let state, let imu = rig.imu, drawsInitialError else { return state }
    return state.drawn(imu, seed: seed)
  }

  private func evaluateRun(_ path: String) throws -> TrialResult {
    let run = try RunFolder.named(path, isUnverified: readsUnverified, keeping: .none, warn: warn)
    guard let origin = try RunOrigin(of: run, named: truth) else {
      throw CommandError(
        "\(path): its recording is not to be found, expected the folder with the truth: --truth <recording>")
    }
    guard var judge = origin.truth.judge(origin.recording.rig, sharesWorld: run.sharesWorldWithTruth) else {
      throw Self.noTruth(origin.recording.name)
    }
    try judge.record(run)
    var ranges: [RangeMeasurement] = []
    if runsIdeal || !solvers.isEmpty {
      let events = try origin.recording.events()
      while let event = try events.next() { if case .range(let range) = event.event { ranges.append(range) } }
    }
    let path = solvers.isEmpty ? SolverPath(origin.recording.rig) : try SolverPath(origin.recording.rig, run: run)
    return TrialResult(
      errors: withIdeal(judge, ranges, origin.recording.rig, origin.truth), others: others(path, ranges, judge),
      verdict: run.verdict ?? .unknown, isRecorded: true)
  }

  private func withIdeal(
    _ judge: Judge, _ ranges: [RangeMeasurement], _ rig: RigCalibration, _ truth: TruthReading,
    _ radio: Scenario.Radio? = nil, _ impaired: [String: Set<Timestamp>]? = nil
  ) -> Judge.Errors {
    var errors = judge.errors()
    guard runsIdeal else { return errors }
    for (peer, own) in Dictionary(grouping: ranges, by: \.peer) {
      let trial = IdealTrial(
        peer: peer, ranges: own, antennas: rig.radio?.antennas ?? ["": .zero], truth: TruthTrajectory(truth.states),
        peers: TruthPeers(truth.peers), bodyFromDevice: rig.bodyFromDevice)
      errors.ideal[peer] = trial?.errors(
        model: radio.map { RangeErrorModel($0) }, excess: radio?.excess, impaired: impaired?[peer])
    }
    return errors
  }

  private static func noTruth(_ name: String) -> CommandError {
    CommandError("\(name): no ground truth, expected mav0/state_groundtruth_estimate0/data.csv")
  }
}

extension RangeErrorModel {
  /// The error model of a simulated radio.
  fileprivate init(_ radio: Scenario.Radio) {
    self.init(
      white: radio.rangeNoise, coloured: radio.driftDeviation, memory: radio.driftTime,
      field: PoseField(
        deviation: radio.multipathDeviation, length: radio.multipathLength, angle: radio.multipathAngle),
      pattern: Pattern(deviation: radio.patternDeviation, degree: radio.patternDegree))
  }
}

extension Scenario.Radio {
  /// What its ranges are too long by in the shadow of a body.
  fileprivate var excess: IdealObserver.Excess? {
    guard let shadow else { return nil }
    return { shadow.excess(worldFromDevice: $0) }
  }
}

extension Judge {
  /// Records the offline trajectory, which replaces the finder's, where there is one.
  fileprivate mutating func record(_ offline: OfflineTrajectory?) {
    for pose in offline?.poses().poses ?? [] {
      record(pose.timestamp, worldFromBody: pose.worldFromBody, covariance: pose.covariance)
    }
  }

  /// Records when the trajectory restarted.
  fileprivate mutating func record(worlds: [Timestamp]) { for world in worlds.dropFirst() { beginWorld(at: world) } }

  /// Records an output of the finder, as written to the output folder.
  fileprivate mutating func record(_ output: FinderOutput, withPoses: Bool) {
    switch output {
    case .update(let update):
      if let judged = JudgedUpdate(UpdateRecord(update)) { record(judged, peer: update.object.peer) }
    case .pose(let time, let worldFromBody, let covariance):
      if withPoses { record(time, worldFromBody: worldFromBody, covariance: covariance) }
    case .session: break
    }
  }
}

/// The events of a recording in order of arrival, optionally with other ranges instead of its own.
private final class RecordedEvents {
  private let reader: EventReader
  private let replacesRanges: Bool
  private var others: ArraySlice<TimedEvent>
  private var head: TimedEvent?

  /// Opens the recording; `ranges`, in order of arrival, replace its own.
  ///
  /// - Throws: `DatasetError`.
  init(_ recording: Recording, ranges: [TimedEvent]?) throws {
    reader = try recording.events()
    replacesRanges = ranges != nil
    others = (ranges ?? [])[...]
    head = try nextRecorded()
  }

  /// Rows read and skipped so far, per file, sorted by path.
  var damage: [FileDamage] { reader.damage }

  /// Whether the recording continues after the end of the reading.
  var stoppedEarly: Bool { reader.stoppedEarly }

  /// The next event; nil at the end.
  ///
  /// - Throws: `DatasetError`.
  func next() throws -> TimedEvent? {
    if let range = others.first, head.map({ Self.key(range) < Self.key($0) }) ?? !stoppedEarly {
      others.removeFirst()
      return range
    }
    guard let event = head else { return nil }
    head = try nextRecorded()
    return event
  }

  private func nextRecorded() throws -> TimedEvent? {
    while let event = try reader.next() {
      if replacesRanges, case .range = event.event { continue }
      return event
    }
    return nil
  }

  private static func key(_ event: TimedEvent) -> (Timestamp, Timestamp, Int) {
    (event.arrival, event.event.timestamp, event.event.rank)
  }
}

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

extension GroundTruthState {
  /// This state plus an error drawn from a filter's initial covariance.
  func drawn(_ calibration: IMUCalibration, seed: UInt64) -> GroundTruthState {
    var random = SeededRandom(seed: seed, stream: 4711)
    let sigmas = InitialEstimate.sigmas(of: self, calibration: calibration)
    var worldFromIMU = worldFromBody * calibration.bodyFromIMU
    worldFromIMU.rotation = Rotation.exp(sigmas.theta * random.gaussian3()) * worldFromIMU.rotation
    worldFromIMU.translation += sigmas.position * random.gaussian3()
    var state = self
    state.worldFromBody = worldFromIMU * calibration.bodyFromIMU.inverse
    state.velocity = (velocity ?? .zero) + sigmas.velocity * random.gaussian3()
    state.gyroscopeBias = (gyroscopeBias ?? .zero) + sigmas.gyroscopeBias * random.gaussian3()
    state.accelerometerBias = (accelerometerBias ?? .zero) + sigmas.accelerometerBias * random.gaussian3()
    return state
  }
}

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
