import Datasets
import Evaluation
import Foundation
import JSONText
import RunResults
import Settings

/// Expected figures by subject, for regression tests.
///
/// `{"<subject>": {"<figure>": {"value": 0.018, "tolerance": 0.004}}}`; an unnamed figure is not compared; null means
/// no value.
struct Expectations {
  /// The expected value of one figure.
  struct Expectation {
    var value: Double?
    var tolerance: Double
  }

  private var subjects: [String: [FigureKey: Expectation]] = [:]

  /// Reads a file.
  ///
  /// - Throws: `DatasetError` and `CommandError` for an invalid file.
  init(contentsOf path: String) throws {
    guard case .object(let members) = try JSONValue(contentsOf: path) else {
      throw CommandError(
        "\(path): found no object, expected {\"<subject>\": {\"<figure>\": {\"value\": ..., \"tolerance\": ...}}}")
    }
    let keys = Dictionary(uniqueKeysWithValues: FigureKey.all.map { ($0.name, $0) })
    for member in members {
      guard case .object(let figures) = member.value else {
        throw CommandError("\(path): \(member.key): found no object, expected figures by name")
      }
      for figure in figures {
        let location = "\(path): \(member.key).\(figure.key)"
        guard let key = keys[figure.key] else {
          throw CommandError("\(location): no such figure, expected one of docs/metrics.md")
        }
        guard let value = figure.value["value"], value == .null || value.double != nil,
          let tolerance = figure.value["tolerance"]?.double, tolerance >= 0
        else { throw CommandError("\(location): expected a value (a number or null) and a tolerance, not negative") }
        subjects[member.key, default: [:]][key] = Expectation(value: value.double, tolerance: tolerance)
      }
    }
  }

  /// Expectations from computed figures, each with a tolerance of 15 %, at least its `smallestTolerance`.
  init(_ outcomes: [EvalOutcome]) {
    for outcome in outcomes {
      guard let figures = outcome.figures else { continue }
      for key in FigureKey.all {
        let value = figures[key].value
        subjects[outcome.name, default: [:]][key] = Expectation(
          value: value.map { ($0 * 1e4).rounded() / 1e4 }, tolerance: max(0.15 * abs(value ?? 0), key.smallestTolerance)
        )
      }
    }
  }

  /// Writes the file.
  func write(to file: OutputFile) throws(OutputError) {
    let json: JSONValue =
      .sorted(
        subjects.mapValues { figures in
          .object(
            FigureKey.all.compactMap { key in
              figures[key].map {
                let tolerance = ($0.tolerance * 1e4).rounded(.up) / 1e4
                return .init(key: key.name, value: ["value": .number($0.value), "tolerance": .number(tolerance)])
              }
            })
        })
    try file.write(json.prettyBytes + [0x0A])
    try file.commit()
  }

  /// One line per figure that is not as expected.
  func surprises(in outcomes: [EvalOutcome]) -> [String] {
    var lines: [String] = []
    for (name, expectations) in subjects.sorted(by: { $0.key < $1.key }) {
      guard let figures = outcomes.first(where: { $0.name == name })?.figures else {
        lines.append("\(name): not evaluated, expected \(expectations.count) figures")
        continue
      }
      for key in FigureKey.all {
        guard let expectation = expectations[key] else { continue }
        if let surprise = expectation.surprise(figures[key].value, key) {
          lines.append("\(name) \(key.name): \(surprise)")
        }
      }
    }
    return lines
  }
}

extension Expectations.Expectation {
  /// The deviation of a value in words; nil within the tolerance.
  fileprivate func surprise(_ found: Double?, _ key: FigureKey) -> String? {
    switch (found, value) {
    case (nil, nil): return nil
    case (nil, let value?): return "found none, expected \(value) ± \(tolerance)"
    case (let found?, nil): return "found \(found), expected none"
    case (let found?, let value?):
      guard !(abs(found - value) <= tolerance) else { return nil }
      let rounded = (found * 1e4).rounded() / 1e4
      let comparison =
        key.sense == .neither ? "different" : key.sense.isWorse(found, than: value) ? "worse" : "suspiciously better"
      return "found \(rounded), expected \(value) ± \(tolerance): \(comparison)"
    }
  }
}

extension FigureKey {
  /// Smallest significant difference: 1 mm, 0.05 degrees or seconds, 0.5 %.
  fileprivate var smallestTolerance: Double {
    switch self {
    case .pathLength, .ateYawAligned, .ateSE3, .rpe, .rpeAt, .distanceError, .positionError: 0.001
    case .falselyConvergedTrials, .falseConverged, .wrongAngles, .wrongAngleTrials: 0
    case .coverage90, .coverage90Tolerant, .distanceCoverage90, .convergedShare, .converged, .verticalDecided,
      .verticalWrong, .rejectedRanges:
      0.005
    default: 0.05
    }
  }
}
