import Datasets
import Evaluation
import Foundation
import JSONText
import RunResults
import SensorData
import Settings

/// The subject of one output row: a folder, or a scenario over many seeds.
struct EvalSubject {
  /// Its name: the folder as given, or the scenario.
  var name: String
  /// Its trials.
  var trials: [Trial]
}

/// The outcome of one subject.
struct EvalOutcome {
  /// Its name.
  var name: String
  /// What came of the successful trials, in order.
  var trials: [TrialResult]
  /// The solver where it is not the finder.
  var solver: String?
  /// Whether it is all subjects together.
  var isPool = false
  /// Requested trials.
  var asked: Int
  /// Failures, one line each.
  var failures: [String]

  /// An outcome from its parts.
  init(name: String, trials: [TrialResult], isPool: Bool = false, asked: Int, failures: [String]) {
    self.name = name
    self.trials = trials
    self.isPool = isPool
    self.asked = asked
    self.failures = failures
  }

  /// The outcome of a subject from the results of its trials; nil for one that an interrupt left out.
  init(_ subject: EvalSubject, _ results: ArraySlice<Result<TrialResult, any Error>?>) {
    self.init(name: subject.name, trials: [], asked: results.count, failures: [])
    for result in results {
      switch result {
      case .success(let result)?: trials.append(result)
      case .failure(let error)?: failures.append("\(error)")
      case nil: break
      }
    }
    let left = results.count { $0 == nil }
    if left > 0 { failures.append("\(name): interrupted, \(left) of \(asked) runs left out") }
  }

  /// The outcomes of the solvers that were judged beside, on the same trials.
  var others: [EvalOutcome] {
    (trials.first?.others.map(\.name) ?? []).map { solver in
      let theirs = trials.compactMap { trial in
        trial.others.first { $0.name == solver }.map {
          TrialResult(errors: $0.errors, verdict: trial.verdict, isRecorded: trial.isRecorded)
        }
      }
      var outcome = EvalOutcome(name: "\(name), \(solver)", trials: theirs, isPool: isPool, asked: asked, failures: [])
      outcome.solver = solver
      return outcome
    }
  }

  /// Trials whose set-up is broken, and whose figures are not those of the others.
  var apart: [TrialResult] { trials.filter(\.standsApart) }

  /// The trials of the figures. Where all of a subject's are broken there are no others; a pool never takes them.
  var judged: [TrialResult] {
    let sound = trials.filter { !$0.standsApart }
    return sound.isEmpty && !isPool ? trials : sound
  }

  /// Its figures; nil where there is no trial to judge.
  var figures: Figures? { judged.isEmpty ? nil : Figures(judged.map(\.errors)) }

  /// The verdicts in a few words: the one, or how many are of the worst kind.
  var setUp: String {
    if trials.isEmpty { return "-" }
    if trials.count == 1 { return trials[0].verdict.brief }
    guard let state = trials.map(\.verdict.state).max(), state != .healthy else { return "all healthy" }
    let own = trials.filter { $0.verdict.state == state }
    let codes = Set(own.compactMap(\.verdict.cause?.code)).sorted()
    let kind = codes.count == 1 ? own[0].verdict.brief : state.briefWord
    return "\(own.count) of \(trials.count) \(kind)"
  }
}

/// Everything that affects a row of `fuse eval --list` but its recording: version, options, settings of the finder.
struct EvalSettings {
  private let text: JSONValue
  private let reading: ReadingOptions

  /// - Parameters:
  ///   - options: of the runs.
  ///   - others: options of the evaluation by name.
  ///   - files: files that these name; their content counts.
  /// - Throws: `DatasetError` for a file that cannot be read.
  init(_ options: RunOptions, others: [String: String?], files: [String]) throws {
    reading = options.reading
    text = [
      "version": .string(FuseVersion.current), "build": .string(try Self.build.get()),
      "from": .number(options.from), "to": .number(options.to), "odometry": .bool(options.forcesOdometry),
      "initialize": .string(options.initialization.rawValue), "noRanges": .bool(options.leavesOutRanges),
      "offline": .bool(options.isOffline), "configuration": ConfigurationFile.effective(options.finder),
      "others": .sorted(others.mapValues { .string($0) }),
      "files": .array(try files.map { .string(try InputDigest.sha256(of: $0)) }),
    ]
  }

  /// The hash of the executable: two builds of one version are two finders.
  static let build = Result<String, any Error> {
    guard let path = Bundle.main.executablePath else {
      throw CommandError("found no path of this program, expected one: its hash is part of every row's key")
    }
    return try InputDigest.sha256(of: path)
  }

  /// The key of a recording, or of an output folder: 64 hexadecimal digits.
  ///
  /// - Throws: `DatasetError` for what cannot be opened.
  func key(of path: String) throws -> String {
    guard !RunFolder.isRun(path) else {
      // Its result names the hashes of its own files and of the ground truth.
      return key(try files(of: path).map { ($0, try InputDigest.sha256(of: path + "/" + $0)) })
    }
    let digest = try InputDigest(try Recording.open(URL(fileURLWithPath: path), options: reading))
    return key((digest.inputs + digest.groundTruth).map { ($0.path, $0.sha256) })
  }

  /// The key of a recording that cannot be opened: by its path and what is wrong.
  func key(ofFailure words: String, in path: String) -> String { key([(path, words)]) }

  private func key(_ files: [(path: String, hash: String)]) -> String {
    let json: JSONValue = [
      "settings": text, "recording": .array(files.map { .array([.string($0.path), .string($0.hash)]) }),
    ]
    return InputDigest.sha256(of: json.bytes)
  }

  private func files(of run: String) -> [String] {
    (RunFileNames.data + [RunFileNames.result]).filter { RegularFile.exists(run + "/" + $0) }
  }
}

/// Runs the trials of all subjects and writes each subject's figures as soon as it, and all before it, are done.
struct EvalExecution {
  /// What is evaluated.
  var subjects: [EvalSubject]
  /// Whether to report the trials of all subjects together as well.
  var pools: Bool
  /// Concurrent trials.
  var jobs: Int
  /// Output format of the figures.
  var format: EvalCommand.Format
  /// No progress.
  var isQuiet: Bool

  /// Runs; trials lost to an interrupt or an error are missing in the figures and named in the outcomes.
  ///
  /// Lines of JSON are written as soon as a subject, and all before it, are done: a killed process loses no finished
  /// one.
  func run() throws -> [EvalOutcome] {
    let trials = subjects.flatMap(\.trials)
    let reporter = EvalReporter(subjects: subjects, pools: pools, format: format)
    return try reporter.finish(trials.results(jobs: jobs, isQuiet: isQuiet) { reporter.report($0) })
  }
}

/// The recording that a run was made from, with its ground truth.
///
/// Searched at the user's path, then at the run's own (`timing.json`), then by name: `x` beside or above `x-fuse`, and
/// the folder that contains the run. A recording with another ground truth than that of the run is refused.
struct RunOrigin {
  /// Its folder.
  let path: String
  /// The recording.
  let recording: Recording
  /// Its ground truth.
  let truth: TruthReading

  /// Finds it; nil where there is none. A folder named by the user must be a recording.
  ///
  /// - Throws: `DatasetError` and `CommandError`.
  init?(of run: RunFolder, named: String?) throws {
    guard let path = named ?? Self.candidates(run).first(where: Self.isRecording) else { return nil }
    self.path = path
    let options = ReadingOptions(needsTrajectory: false)
    recording = try Recording.open(URL(fileURLWithPath: path), options: options)
    truth = try TruthReading(recording)
    guard case .object(let hashes)? = run.result?["groundTruth"] else { return }
    let present = try InputDigest(recording).groundTruth
    for hash in hashes where !present.contains(where: { $0.path == hash.key && $0.sha256 == hash.value.text }) {
      throw CommandError(
        "\(run.path): made from another recording than \(path): its \(hash.key) differs, expected the same bytes; "
          + "name the right one with --truth")
    }
  }

  private static func candidates(_ run: RunFolder) -> [String] {
    let folder = URL(fileURLWithPath: run.path).standardizedFileURL
    let parent = folder.deletingLastPathComponent()
    var found = [run.recordingPath].compactMap { $0 }
    if folder.lastPathComponent.hasSuffix("-fuse") {
      let name = String(folder.lastPathComponent.dropLast(5))
      found += [
        parent.appendingPathComponent(name).path, parent.deletingLastPathComponent().appendingPathComponent(name).path,
      ]
    }
    return found + [parent.path]
  }

  private static func isRecording(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path + "/mav0", isDirectory: &isFolder) && isFolder.boolValue
  }
}
