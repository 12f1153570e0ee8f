import Evaluation
import Foundation

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
    let queue = TrialQueue(trials, progress: TrialProgress(total: trials.count, isQuiet: isQuiet)) {
      reporter.report($0)
    }
    return try reporter.finish(queue.run(jobs: jobs))
  }
}
