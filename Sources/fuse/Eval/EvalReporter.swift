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
        for outcome in outcomes(reported, results) { try standardOutput.line(EvalText.line(outcome)) }
        reported += 1
      }
    } catch { failure = error }
  }

  /// Writes the rest and returns all outcomes.
  func finish(_ results: [Result<TrialResult, any Error>?]) throws -> [EvalOutcome] {
    if let failure { throw failure }
    let each = subjects.indices.map { outcomes($0, results) }
    var pool: [EvalOutcome] = []
    if pools {
      let whole = EvalOutcome(
        name: "all", trials: each.flatMap { $0[0].trials }, isPool: true, asked: results.count, failures: [])
      pool = [whole] + whole.others
    }
    let all = each.flatMap(\.self) + pool
    let lines =
      format == .jsonl
      ? (each[reported...].flatMap(\.self) + pool).map(EvalText.line)
      : EvalText.lines(all, format: format, width: TerminalWidth.columns())
    for line in lines { try standardOutput.line(line) }
    return all
  }

  private func own(
    _ index: Int, _ results: [Result<TrialResult, any Error>?]
  ) -> ArraySlice<Result<TrialResult, any Error>?> {
    let first = subjects[..<index].reduce(0) { $0 + $1.trials.count }
    return results[first..<(first + subjects[index].trials.count)]
  }

  /// The outcome of a subject, and those of the solvers beside.
  private func outcomes(_ index: Int, _ results: [Result<TrialResult, any Error>?]) -> [EvalOutcome] {
    let outcome = EvalOutcome(subjects[index], own(index, results))
    return [outcome] + outcome.others
  }
}
