import Datasets
import Evaluation
import Geometry
import JSONText
import RunResults

/// One subject as a line of JSON: figures by name first, then intervals, peers and details.
enum EvalDocument {
  /// The line of `fuse eval --list`: key, version and error (null: none) before the same members, after them those of
  /// other solvers.
  static func row(_ outcome: EvalOutcome, key: String) -> [UInt8] {
    guard case .object(let members) = json(outcome) else { return [] }
    var buffer = JSONWriter()
    buffer.value(
      .object(
        [
          .init(key: "key", value: .string(key)), .init(key: "version", value: .string(FuseVersion.current)),
          .init(
            key: "error",
            value: outcome.failures.isEmpty ? .null : .string(outcome.failures.map(plain).joined(separator: "; "))),
        ] + members + outcome.others.map { .init(key: $0.solver ?? $0.name, value: json($0)) }))
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
    members += keys.compactMap { key in key.formerName.map { .init(key: $0, value: .number(figures[key].value)) } }
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
