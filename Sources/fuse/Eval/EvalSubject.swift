import Evaluation

/// What one row of the judgement is about: a folder, or a scenario over many seeds.
struct EvalSubject {
  /// Its name: the folder as given, or the scenario.
  var name: String
  /// Its trials.
  var trials: [Trial]
}

/// What came out for one subject.
struct EvalOutcome {
  /// Its name.
  var name: String
  /// Verdicts of the trials that ended well, in their order.
  var verdicts: [Judge.Verdict]
  /// Trials that were asked for.
  var asked: Int
  /// What went wrong, one line each.
  var errors: [String]

  /// Its figures; nil where no trial ended well.
  var figures: Figures? { verdicts.isEmpty ? nil : Figures(verdicts) }
}
