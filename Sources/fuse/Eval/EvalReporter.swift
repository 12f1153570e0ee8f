import Evaluation
import Foundation

/// Groups results by subject and writes them. Used by one thread at a time, which `TrialQueue` guarantees.
final class EvalReporter: @unchecked Sendable {
  private let subjects: [EvalSubject]
  private let pools: Bool
  private let format: EvalCommand.Format
  private var standardOutput: StandardOutput
  private var reported = 0
  private var failure: (any Error)?

  init(subjects: [EvalSubject], pools: Bool, format: EvalCommand.Format) {
    self.subjects = subjects
    self.pools = pools
    self.format = format
    standardOutput = StandardOutput()
  }

  /// Writes the subjects that are done, in order, where the format has one line for each.
  func report(_ results: [Result<TrialResult, any Error>?]) {
    guard format == .jsonl, failure == nil else { return }
    do {
      while reported < subjects.count, own(reported, results).allSatisfy({ $0 != nil }) {
        try standardOutput.line(EvalText.line(outcome(reported, results)))
        reported += 1
      }
    } catch { failure = error }
  }

  /// Writes the rest and returns all outcomes.
  func finish(_ results: [Result<TrialResult, any Error>?]) throws -> [EvalOutcome] {
    if let failure { throw failure }
    var outcomes = subjects.indices.map { outcome($0, results) }
    if pools {
      outcomes.append(
        EvalOutcome(
          name: "all", trials: outcomes.flatMap(\.trials), isPool: true, asked: results.count, failures: []))
    }
    let lines =
      format == .jsonl
      ? outcomes[reported...].map(EvalText.line)
      : EvalText.lines(outcomes, format: format, width: TerminalWidth.columns())
    for line in lines { try standardOutput.line(line) }
    return outcomes
  }

  private func own(
    _ index: Int, _ results: [Result<TrialResult, any Error>?]
  ) -> ArraySlice<Result<TrialResult, any Error>?> {
    let first = subjects[..<index].reduce(0) { $0 + $1.trials.count }
    return results[first..<(first + subjects[index].trials.count)]
  }

  private func outcome(_ index: Int, _ results: [Result<TrialResult, any Error>?]) -> EvalOutcome {
    let subject = subjects[index]
    let own = own(index, results)
    var outcome = EvalOutcome(name: subject.name, trials: [], asked: own.count, failures: [])
    for result in own {
      switch result {
      case .success(let result)?: outcome.trials.append(result)
      case .failure(let error)?: outcome.failures.append("\(error)")
      case nil: break
      }
    }
    let left = own.count { $0 == nil }
    if left > 0 { outcome.failures.append("\(subject.name): interrupted, \(left) of \(own.count) runs left out") }
    return outcome
  }
}
