import Evaluation
import Foundation

/// Sorts results into subjects and tells them. Used by one thread at a time: `TrialQueue` sees to that.
final class EvalTeller: @unchecked Sendable {
  private let subjects: [EvalSubject]
  private let pools: Bool
  private let format: EvalCommand.Format
  private var standardOutput: StandardOutput
  private var told = 0
  private var trouble: (any Error)?

  init(subjects: [EvalSubject], pools: Bool, format: EvalCommand.Format) {
    self.subjects = subjects
    self.pools = pools
    self.format = format
    standardOutput = StandardOutput(needsReader: format == .jsonl)
  }

  /// Tells the subjects that are done by now, in their order, where the format has one line for each.
  func tell(_ results: [Result<Judge.Verdict, any Error>?]) {
    guard format == .jsonl, trouble == nil else { return }
    do {
      while told < subjects.count, own(told, results).allSatisfy({ $0 != nil }) {
        try standardOutput.line(EvalText.line(outcome(told, results)))
        told += 1
      }
    } catch { trouble = error }
  }

  /// Tells what is left and returns all outcomes.
  func finish(_ results: [Result<Judge.Verdict, any Error>?]) throws -> [EvalOutcome] {
    if let trouble { throw trouble }
    var outcomes = subjects.indices.map { outcome($0, results) }
    if pools {
      outcomes.append(
        EvalOutcome(name: "all", verdicts: outcomes.flatMap(\.verdicts), asked: results.count, errors: []))
    }
    let lines = format == .jsonl ? outcomes[told...].map(EvalText.line) : EvalText.lines(outcomes, format: format)
    for line in lines { try standardOutput.line(line) }
    return outcomes
  }

  private func own(
    _ index: Int, _ results: [Result<Judge.Verdict, any Error>?]
  ) -> ArraySlice<Result<Judge.Verdict, any Error>?> {
    let first = subjects[..<index].reduce(0) { $0 + $1.trials.count }
    return results[first..<(first + subjects[index].trials.count)]
  }

  private func outcome(_ index: Int, _ results: [Result<Judge.Verdict, any Error>?]) -> EvalOutcome {
    let subject = subjects[index]
    let own = own(index, results)
    var outcome = EvalOutcome(name: subject.name, verdicts: [], asked: own.count, errors: [])
    for result in own {
      switch result {
      case .success(let verdict)?: outcome.verdicts.append(verdict)
      case .failure(let error)?: outcome.errors.append("\(error)")
      case nil: break
      }
    }
    let left = own.count { $0 == nil }
    if left > 0 { outcome.errors.append("\(subject.name): interrupted, \(left) of \(own.count) runs left out") }
    return outcome
  }
}
