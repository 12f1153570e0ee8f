import ArgumentParser
import Datasets
import Foundation
import PrecisionFinding
import RunResults
import Settings
import Simulation
import Wording

/// `fuse eval <folder or output>... [--scenario name --seeds N]`.
struct EvalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "eval",
    abstract: "Evaluates runs against ground truth: recordings, output folders, scenarios.",
    discussion: """
      A recording is run first; the output folder of a run is evaluated as it is. A scenario is simulated and run with \
      many seeds, without writing files. Definitions of the figures: docs/metrics.md. A table fits the terminal; \
      markdown and jsonl have every figure of every subject.

      EXAMPLES
        fuse eval datasets/*                               every shipped recording
        fuse run phone -o out && fuse eval out             the results written there
        fuse eval phone --windows 12                       windows of 12 s, each a separate search
        fuse eval phone --windows 12 --radio mc-arc --seeds 8   the same with other radios and peers
        fuse eval phone --baseline                         batch least squares beside, and what each answer costs
        fuse eval phone --solution mine.csv                another solver beside, by the same judge
        fuse eval --scenario arc --seeds 200 --jobs 2      figures with confidence intervals
        fuse eval datasets/* --save-expected expected.json
        fuse eval datasets/* --expect expected.json        exit code 1 when a figure changed
        fuse eval phone --format jsonl | jq .coverage90
        fuse eval --list recordings.txt --out rows.jsonl --resume   a row a recording; again: only what is missing
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case table, markdown, jsonl }

  @Argument(help: "Recordings, and output folders of 'fuse run'.")
  var folders: [String] = []

  @Option(help: ArgumentHelp("A scenario's name or YAML file; may be given several times.", valueName: "name"))
  var scenario: [String] = []

  @Option(
    help: ArgumentHelp("How many seeds each scenario, or each recording with --radio, is run with.", valueName: "n"))
  var seeds = 20

  @Option(help: ArgumentHelp("The first of these seeds.", valueName: "n"))
  var firstSeed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "Split recordings into windows of this length, each a separate search.",
      discussion: "One trial per window: figures do not depend on the beginning of the recording alone.",
      valueName: "seconds"))
  var windows: Double?

  @Option(
    help: ArgumentHelp("Time between beginnings of windows; a third of --windows by default.", valueName: "seconds"))
  var every: Double?

  @Option(
    help: ArgumentHelp(
      "Simulate ranges along the true path of recordings with this scenario's radio and peers, --seeds times.",
      discussion: "They replace the recording's own ranges: many draws of the radio for one set of sensors.",
      valueName: "scenario"))
  var radio: String?

  @Flag(help: "Report each seed, or each window, separately.")
  var each = false

  @Flag(help: "Add a row, named all: the trials of all subjects together.")
  var pool = false

  @Option(help: ArgumentHelp("Concurrent runs; the figures do not depend on it.", valueName: "n"))
  var jobs = 1

  @Option(help: "Output format: table, markdown or jsonl (one object per line).")
  var format = Format.table

  @Option(
    help: ArgumentHelp(
      "Evaluate the recordings named in this file, one a line, into --out.",
      discussion: "One that fails is a row with its error.", valueName: "txt"))
  var list: String?

  @Option(
    help: ArgumentHelp(
      "The file of the rows of --list, one line of JSON a recording, in the list's order.",
      discussion: "It has whole rows at any time, whenever the process is killed.", valueName: "jsonl"))
  var out: String?

  @Flag(
    help: ArgumentHelp(
      "Take over rows of --out whose key is the same; without it all are made again.",
      discussion: "The key is the SHA-256 of the recording's files, the settings and this program."))
  var resume = false

  @Option(help: ArgumentHelp("Compare with the figures in this file; exit code 1 when one differs.", valueName: "json"))
  var expect: String?

  @Option(help: ArgumentHelp("Write the figures into this file, for --expect.", valueName: "json"))
  var saveExpected: String?

  @Option(
    help: ArgumentHelp("The recording of an output folder, where it is not found automatically.", valueName: "folder"))
  var truth: String?

  @Flag(inversion: .prefixedNo, help: "Run the ideal observer, too; without it an evaluation takes half the time.")
  var ideal = true

  @Flag(
    help: ArgumentHelp(
      "Judge robust batch least squares of each peer, too, on the same path and ranges.",
      discussion: "A row of its own: what one would write first, with its covariance."))
  private var baseline = false

  @Option(
    help: ArgumentHelp(
      "Judge another solver's answers about a recording, too: a table with the columns of 'fuse export csv'.",
      discussion:
        "timestamp and peer must be there; a place (x, y, z, xStd, ...) without an angle is seen from the run's path; "
        + "what it does not say counts as silence.", valueName: "csv"))
  var solution: [String] = []

  @Option(help: ArgumentHelp("Leave out the first seconds: the run starts in the middle.", valueName: "seconds"))
  var from: Double?

  @Option(help: ArgumentHelp("Stop after this many seconds of the recording.", valueName: "seconds"))
  var to: Double?

  @Flag(
    help: ArgumentHelp(
      "Take the trajectory from odometry0 even if IMU and camera are there.",
      discussion: "A scenario without one gets the true path: this isolates the ranges."))
  var odometry = false

  @Flag(
    help: "Smooth the trajectory over the whole recording after the forward run; updates stay as they are.")
  var offline = false

  @Option(help: "Initial state: estimated (auto) or the first true state (groundtruth).")
  var initialize: RunOptions.Initialization = .auto

  @Flag(help: "Add to a scenario's true initial state an error drawn from the filter's initial covariance.")
  var drawStart = false

  @Option(
    help: ArgumentHelp(
      "The user in a scenario: script, obeys or random.",
      discussion: "Instead of the scenario's motion: the guidance followed, or random gestures, of the same duration."))
  var user = SimulatedUser.script

  @Flag(help: "Leave the ranges out: the trajectory without them.")
  var noRanges = false

  @Flag(help: "Estimate the camera's extrinsics, time offset and intrinsics online, as far as they are observable.")
  var calibrate = false

  @Option(help: ArgumentHelp("Settings of the finder.", valueName: "yaml"))
  var config: String?

  @Flag(help: "No progress.")
  var quiet = false

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  func validate() throws {
    if folders.isEmpty && scenario.isEmpty && list == nil {
      throw ValidationError("Name a recording, an output folder, a --scenario, or a --list.")
    }
    try validateList()
    if drawStart && scenario.isEmpty {
      throw ValidationError("--draw-start needs a --scenario: a draw belongs to a seed.")
    }
    if user != .script && scenario.isEmpty { throw ValidationError("--user needs a --scenario to move in.") }
    if folders.contains("") { throw ValidationError("A folder needs a name.") }
    if !(1...1_000_000).contains(seeds) { throw ValidationError("--seeds must be from 1 to 1000000.") }
    for (name, value) in [("--from", from), ("--to", to)] {
      if let value, !(value >= 0 && value <= 1e9) { throw ValidationError("\(name) must be from 0 to 1e9 seconds.") }
    }
    if let from, let to, to <= from { throw ValidationError("--to must be later than --from.") }
    if let windows, !(1...1e6).contains(windows) { throw ValidationError("--windows must be from 1 to 1e6 seconds.") }
    if let every, !(0.1...1e6).contains(every) { throw ValidationError("--every must be from 0.1 to 1e6 seconds.") }
    if windows != nil && (from != nil || to != nil || folders.isEmpty && list == nil) {
      throw ValidationError("--windows splits recordings: name some, without --from and --to.")
    }
    if radio != nil && folders.isEmpty && list == nil {
      throw ValidationError("--radio needs a recording to range along.")
    }
    if every != nil && windows == nil { throw ValidationError("--every needs --windows.") }
    if !solution.isEmpty && (folders.count != 1 || !scenario.isEmpty || windows != nil || radio != nil) {
      throw ValidationError(
        "--solution belongs to one recording: name it alone, without --scenario, --windows and --radio.")
    }
    if !(1...256).contains(jobs) { throw ValidationError("--jobs must be from 1 to 256.") }
    if firstSeed > UInt64.max - UInt64(seeds) { throw ValidationError("--first-seed is too large.") }
  }

  private func validateList() throws {
    if (list == nil) != (out == nil) { throw ValidationError("--list and --out go together.") }
    if resume && list == nil { throw ValidationError("--resume needs --list and --out.") }
    guard list != nil else { return }
    if !folders.isEmpty || !scenario.isEmpty {
      throw ValidationError("--list names the recordings: no others, and no --scenario.")
    }
    if each || pool || expect != nil || saveExpected != nil || truth != nil || format != .table {
      throw ValidationError(
        "--list writes a row a recording into --out: without --each, --pool, --format, --expect, --save-expected and --truth."
      )
    }
  }

  func run() throws {
    try Failure.reporting {
      if let list, let out { return try evaluate(list, into: out) }
      let expected = try expect.map { try Expectations(contentsOf: $0) }
      // Before the work: a file that cannot be written is said at once.
      let inputs = folders.filter(RegularFile.isFolder) + scenario + [truth, config, expect].compactMap(\.self)
      let saved = try saveExpected.map { try OutputFile(path: $0, inputs: inputs) }
      let outcomes = try EvalExecution(
        subjects: try subjects(), pools: pool, jobs: jobs, format: format, isQuiet: quiet
      ).run()
      let failures = outcomes.flatMap(\.failures)
      if !failures.isEmpty { throw CommandError(failures.joined(separator: "\n")) }
      if let saved { try Expectations(outcomes).write(to: saved) }
      if let expected {
        let surprises = expected.surprises(in: outcomes)
        for line in surprises { StandardError.line(line) }
        if !surprises.isEmpty { throw ExitCode(1) }
      }
    }
  }

  private func evaluate(_ list: String, into out: String) throws {
    let options = try runOptions()
    let named = [config, radio].compactMap(\.self).filter(RegularFile.exists)
    let settings = try EvalSettings(
      options,
      others: [
        "windows": windows.map { "\($0)" }, "every": every.map { "\($0)" }, "radio": radio,
        "seeds": radio.map { _ in "\(firstSeed) \(seeds)" }, "ideal": "\(ideal)", "unverified": "\(unverified)",
        "baseline": "\(baseline)",
      ], files: named)
    let searches = try searches(options, try trials(options))
    try ListEvaluation(
      list: RecordingList(contentsOf: list), out: out, inputs: named, resumes: resume, settings: settings, jobs: jobs,
      isQuiet: quiet, trials: { try searches($0).flatMap(\.trials) }
    ).run()
  }

  private func runOptions() throws -> RunOptions {
    var options = RunOptions()
    (options.from, options.to) = (from, to)
    options.forcesOdometry = odometry
    options.initialization = drawStart ? .groundtruth : initialize
    options.leavesOutRanges = noRanges
    options.isOffline = offline
    if let config { options.finder = try ConfigurationFile.read(config) }
    if calibrate { options.finder.calibration.online = true }
    return options
  }

  private func solvers() throws -> [OtherSolver] {
    (baseline ? [.leastSquares] : [])
      + (try solution.map { path in
        let table = try SolutionTable(contentsOf: path)
        if !quiet { table.warnings.forEach(StandardError.warn) }
        return .table(table, name: path)
      })
  }

  private func trials(_ options: RunOptions) throws -> (Trial.Source) -> Trial {
    let solvers = try solvers()
    let warnings = OnceWritten()
    let isQuiet = quiet
    return { source in
      Trial(
        source: source, options: options, truth: truth, readsUnverified: unverified, runsIdeal: ideal,
        drawsInitialError: drawStart, user: user, solvers: solvers,
        warn: { if !isQuiet { warnings.warn($0) } })
    }
  }

  private var numbers: [UInt64] { (0..<seeds).map { firstSeed + UInt64($0) } }

  /// The searches in a folder.
  private func searches(
    _ options: RunOptions, _ trial: @escaping (Trial.Source) -> Trial
  ) throws -> (String) throws -> [EvalSubject] {
    let radio = try radio.map { try Scenario.asked($0) }
    return { try searches(in: $0, radio, numbers, options, trial) }
  }

  private func subjects() throws -> [EvalSubject] {
    let options = try runOptions()
    let trial = try trials(options)
    let searches = try searches(options, trial)
    let fromFolders = try evaluatedFolders().flatMap { folder in
      let searches = try searches(folder)
      return each ? searches : [EvalSubject(name: folder, trials: searches.flatMap(\.trials))]
    }
    let fromScenarios = try scenario.flatMap { name in
      let scenario = try Scenario.asked(name)
      let trials = numbers.map { trial(.scenario(scenario, seed: $0)) }
      return each
        ? zip(numbers, trials).map { EvalSubject(name: "\(name) \($0)", trials: [$1]) }
        : [EvalSubject(name: name, trials: trials)]
    }
    return fromFolders + fromScenarios
  }

  /// One for each window of a folder, or for all of it, and with `--radio` for each seed.
  private func searches(
    in folder: String, _ radio: Scenario?, _ seeds: [UInt64], _ options: RunOptions, _ trial: (Trial.Source) -> Trial
  ) throws -> [EvalSubject] {
    let isRun = RunFolder.isRun(folder)
    if isRun, from != nil || to != nil || windows != nil || radio != nil {
      throw CommandError(
        "\(folder): a finished run cannot be split, expected a recording with --from, --to, --windows and --radio")
    }
    let spans = try windows.map { seconds -> [ClosedRange<Double>?] in
      try RecordingWindows(seconds: seconds, every: every ?? seconds / 3).windows(of: folder, options)
    }
    return (spans ?? [nil]).enumerated().flatMap { number, window in
      let name = window.map { "\(folder) \(Words.fixed($0.lowerBound, 1)) s" } ?? folder
      func search(_ name: String, _ source: Trial.Source) -> EvalSubject {
        var trial = trial(source)
        if let window { (trial.options.from, trial.options.to) = (window.lowerBound, window.upperBound) }
        return EvalSubject(name: name, trials: [trial])
      }
      guard let radio else { return [search(name, isRun ? .run(folder) : .recording(folder))] }
      // Windows have different draws: there are at most a million seeds.
      return seeds.map {
        search("\(name) \($0)", .redrawn(folder, radio: radio, seed: $0 &+ 1_000_000 &* UInt64(number)))
      }
    }
  }

  /// The folders without trailing slashes. Other folders that a shell pattern such as `datasets/*` finds are skipped
  /// with a message; without any recording or run they are an error.
  private func evaluatedFolders() throws -> [String] {
    let named = folders.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    let other = named.filter { RunFolder.isNeitherRunNorRecording($0) }
    guard other.count < named.count else { return named }
    if !quiet {
      for path in other {
        StandardError.line("\(path): neither recording nor run, skipped")
      }
    }
    return named.filter { !other.contains($0) }
  }
}
