import Datasets
import JSONText
import SensorData

/// What an import decided, counted and found: `import.json`.
package struct ImportReport: Sendable {
  /// Something that the import's check found.
  package struct Finding: Equatable, Sendable {
    /// How much it matters.
    package enum Weight: String, Sendable {
      /// The data contradict the description of the device: a run would go wrong.
      case fault
      /// Worth knowing; a run copes.
      case note
    }

    /// Stable name; those of `docs/diagnoses.md` where there is one.
    package var code: String
    /// How much it matters.
    package var weight: Weight
    /// What was found.
    package var sentence: String
    /// The figures behind it.
    package var evidence: String
    /// What to do.
    package var remedy: String
  }

  /// The kind of the source.
  package let kind: ImportKind
  /// The source's own name, without its path.
  package let source: String
  /// What was decided and why, a sentence each, in order.
  package var decisions: [String] = []
  /// Rows by what they are: written, skipped and why.
  package var counts: [String: Int] = [:]
  /// Figures of the check.
  package var figures: [String: Double] = [:]
  /// What the check found.
  package var findings: [Finding] = []
  /// What to do next, with `<folder>` for the folder's name: a run, where one can begin.
  package var next = Self.run
  /// Topics of the cameras, as the Python package's import of a bag names them.
  package var topics: JSONValue?
  /// What an import ends with where nothing is in a run's way.
  package static let run = "fuse run <folder>"
  /// The document of the import that wrote the folder's data, where this one added a calibration to it.
  package var before: JSONValue?

  init(kind: ImportKind, source: String) { (self.kind, self.source) = (kind, source) }

  /// Whether a run would go wrong.
  package var hasFault: Bool { findings.contains { $0.weight == .fault } }

  /// Says what was decided, once.
  mutating func decide(_ sentence: String) { if !decisions.contains(sentence) { decisions.append(sentence) } }

  mutating func count(_ name: String, _ number: Int) { if number != 0 { counts[name, default: 0] += number } }

  mutating func find(
    _ code: String, _ weight: Finding.Weight, _ sentence: String, evidence: String, remedy: String
  ) {
    guard !findings.contains(where: { $0.code == code && $0.sentence == sentence }) else { return }
    findings.append(Finding(code: code, weight: weight, sentence: sentence, evidence: evidence, remedy: remedy))
  }

  /// The document.
  package var document: JSONValue {
    guard case .object(var members) = ownDocument else { return ownDocument }
    if let topics { members.append(.init(key: "topics", value: topics)) }
    if let before { members.append(.init(key: "before", value: before)) }
    return .object(members)
  }

  private var ownDocument: JSONValue {
    [
      "kind": .string(kind.rawValue), "source": .string(source),
      "decisions": .array(decisions.map { .string($0) }),
      "counts": .sorted(counts.mapValues { .integer($0) }), "figures": .sorted(figures.mapValues { .number($0) }),
      "findings": .array(
        findings.map {
          [
            "code": .string($0.code), "weight": .string($0.weight.rawValue), "sentence": .string($0.sentence),
            "evidence": .string($0.evidence), "remedy": .string($0.remedy),
          ]
        }), "next": .string(next),
    ]
  }
}
