import Datasets
import Evaluation

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
