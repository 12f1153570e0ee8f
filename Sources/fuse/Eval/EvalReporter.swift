import Datasets
import Evaluation
import Foundation
import Geometry
import JSONText
import RunResults
import Wording

/// Groups results by subject and writes them. Used by one thread at a time, which `TaskQueue` guarantees.
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

/// One subject as a line of JSON: figures by name first, then intervals, peers and details.
enum EvalDocument {
  /// The line of `fuse eval --list`: key, version and error (null: none) before the same members, after them those of
  /// other solvers.
  static func row(_ outcome: EvalOutcome, key: String) -> [UInt8] {
    guard case .object(let members) = json(outcome) else { return [] }
    let buffer: JSONValue =
      .object(
        [
          .init(key: "key", value: .string(key)), .init(key: "version", value: .string(FuseVersion.current)),
          .init(
            key: "error",
            value: outcome.failures.isEmpty ? .null : .string(outcome.failures.map(plain).joined(separator: "; "))),
        ] + members + outcome.others.map { .init(key: $0.solver ?? $0.name, value: json($0)) })
    return buffer.bytes
  }

  /// How many links were found and how honest their uncertainties are, of those that are judged.
  private static func counts(_ links: [PeerErrors]) -> [JSONValue.Member] {
    let judged = links.filter { $0.judged > 0 }
    let answers = judged.map { Honesty($0).answer }
    return [
      ("links", judged.count), ("found", judged.count { $0.converged > 0 && $0.falseConverged == 0 }),
      ("falselyFound", judged.count { $0.falseConverged > 0 }), ("honest", answers.count { $0 == .honest }),
      ("overConfident", answers.count { $0 == .overConfident }),
    ].map { .init(key: $0, value: .integer($1)) }
  }

  private static func plain(_ failure: String) -> String {
    failure.hasPrefix("error: ") ? String(failure.dropFirst(7)) : failure
  }

  /// The line's value.
  static func json(_ outcome: EvalOutcome) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(key: "name", value: .string(outcome.name)),
      .init(key: "trials", value: .integer(outcome.trials.count)),
      .init(key: "asked", value: .integer(outcome.asked)),
      .init(key: "apart", value: .integer(outcome.apart.count)),
      .init(
        key: "verdicts",
        value: .object(
          RunVerdict.State.allCases.map { state in
            .init(key: state.rawValue, value: .integer(outcome.trials.count { $0.verdict.state == state }))
          })),
    ]
    if outcome.trials.count == 1 { members.append(.init(key: "verdict", value: outcome.trials[0].verdict.json)) }
    guard let figures = outcome.figures else { return .object(members) }
    members += counts(outcome.judged.flatMap(\.errors.peers.values))
    // Every key is always there, null without a value; those of the ideal observer only where it was run.
    let hasIdeal = outcome.judged.contains { !$0.errors.ideal.isEmpty }
    let keys = FigureKey.all.filter { hasIdeal || !$0.isIdeal }
    members += keys.map { .init(key: $0.name, value: .number(figures[$0].value)) }
    let intervals = keys.compactMap { key in
      figures[key].interval.map {
        JSONValue.Member(key: key.name, value: .array([.number($0.lowerBound), .number($0.upperBound)]))
      }
    }
    members.append(.init(key: "confidence95", value: .object(intervals)))
    if outcome.trials.count == 1 {
      let errors = outcome.trials[0].errors
      members.append(.init(key: "errors", value: ErrorsDocument.json(errors)))
    }
    return .object(members)
  }
}

extension FigureKey {
  /// Whether the figure needs the ideal observer.
  var isIdeal: Bool {
    name.hasPrefix("ideal") || name.contains("Ratio") || self == .angleAvailability
      || self == .angleAvailabilityPublishable
  }
}

/// One line on stderr with the number of finished trials and the estimated remaining time: only on a terminal.
struct TrialProgress {
  private let total: Int
  private let began = DispatchTime.now().uptimeNanoseconds
  private let isShown: Bool

  /// Progress of `total` trials.
  init(total: Int, isQuiet: Bool) {
    self.total = total
    isShown = !isQuiet && total > 1 && isatty(STDERR_FILENO) == 1
  }

  /// Shows the number of finished trials.
  func show(done: Int) {
    guard isShown, done > 0 else { return }
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    let left = elapsed / Double(done) * Double(total - done)
    write("\r\u{1B}[K\(done) of \(total) runs, \(Words.fixed(left, 0)) s left (Ctrl-C: stop and report finished runs)")
  }

  /// Ends the line.
  func erase() { if isShown { write("\r\u{1B}[K") } }

  private func write(_ text: String) { StandardError.write(text) }
}

/// Warnings of concurrent trials: those that read the same recording say each of them once.
final class OnceWritten: @unchecked Sendable {
  // Guarded by `lock`.
  private var written: Set<String> = []
  private let lock = NSLock()

  /// Writes a warning to standard error, unless it was written before.
  func warn(_ text: String) {
    if lock.withLock({ written.insert(text).inserted }) { StandardError.warn(text) }
  }
}
