import Evaluation
import Foundation

/// Runs the trials of all subjects and tells each subject's figures as soon as it, and all before it, are done.
struct EvalExecution {
  /// What is judged.
  var subjects: [EvalSubject]
  /// Whether the trials of all subjects are told together as well.
  var pools: Bool
  /// Trials at a time.
  var jobs: Int
  /// How the figures are told.
  var format: EvalCommand.Format
  /// No progress.
  var isQuiet: Bool

  /// Runs; what an interrupt or an error left out is missing in the figures and named in the outcomes.
  ///
  /// Lines of JSON are told as soon as a subject, and all before it, are done: a killed process loses no finished one.
  func run() throws -> [EvalOutcome] {
    let trials = subjects.flatMap(\.trials)
    let teller = EvalTeller(subjects: subjects, pools: pools, format: format)
    let queue = TrialQueue(trials, progress: TrialProgress(total: trials.count, isQuiet: isQuiet)) { teller.tell($0) }
    return try teller.finish(queue.run(jobs: jobs))
  }
}
