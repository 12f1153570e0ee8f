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
  /// Errors of the successful trials against ground truth, in order.
  var trialErrors: [Judge.Errors]
  /// Requested trials.
  var asked: Int
  /// Failures, one line each.
  var failures: [String]

  /// Its figures; nil where no trial succeeded.
  var figures: Figures? { trialErrors.isEmpty ? nil : Figures(trialErrors) }
}
