import Datasets
import Estimator
import Evaluation
import JSONText
import PrecisionFinding
import Premises
import SensorData

/// `result.json`: options, inputs, results and errors of a run. Contains no clock, host or path.
package struct ResultDocument {
  /// The recording's title.
  package var title: String?
  /// Its first stamp over all sensors.
  package var start: Timestamp
  /// Where the trajectory comes from.
  package var trajectorySource: TrajectorySource?
  /// The options.
  package var options: RunOptions
  /// Hashes of the inputs; nil for a stream, which has none.
  package var digest: InputDigest?
  /// Events read.
  package var counts: EventCounts
  /// Rows read and skipped, per file.
  package var damage: [FileDamage]
  /// The finder's summary.
  package var summary: FinderSummary
  /// Premises refuted and errors handled.
  package var diagnoses: [Diagnosis]
  /// The result of online calibration.
  package var calibration: CalibrationEstimate?
  /// Outcomes of the peers.
  package var peers: [String: PeerOutcome]
  /// Updates and poses written.
  package var written: (updates: Int, poses: Int)
  /// Values left out because they were not finite.
  package var nonFinite: Int
  /// Errors against the ground truth, where there is one.
  package var errors: Judge.Errors?
  /// Whether nothing more comes.
  package var hasEnded: Bool

  /// A document from its parts.
  package init(
    title: String?, start: Timestamp, trajectorySource: TrajectorySource?, options: RunOptions, digest: InputDigest?,
    counts: EventCounts, damage: [FileDamage], summary: FinderSummary, diagnoses: [Diagnosis],
    calibration: CalibrationEstimate?, peers: [String: PeerOutcome], written: (updates: Int, poses: Int),
    nonFinite: Int,
    errors: Judge.Errors?, hasEnded: Bool = true
  ) {
    self.title = title
    self.start = start
    self.trajectorySource = trajectorySource
    self.options = options
    self.digest = digest
    self.counts = counts
    self.damage = damage
    self.summary = summary
    self.diagnoses = diagnoses
    self.calibration = calibration
    self.peers = peers
    self.written = written
    self.nonFinite = nonFinite
    self.errors = errors
    self.hasEnded = hasEnded
  }

  /// The run's verdict.
  package var verdict: RunVerdict {
    RunVerdict(diagnoses: diagnoses, summary: summary, peers: peers, errors: errors, hasEnded: hasEnded)
  }

  /// The document.
  package var json: JSONValue {
    [
      "title": .string(title), "start": .integer(Int(start.nanoseconds)),
      "configuration": configuration,
      "inputs": digest.map { hashes($0.inputs) } ?? .null,
      "groundTruth": digest.map { hashes($0.groundTruth) } ?? .null,
      "counts": countsJSON,
      "trajectory": [
        "beganAt": .number(summary.trajectoryBegan.map { $0.seconds(since: start) }),
        "waitingFor": .string(summary.waitingFor),
      ],
      "worlds": .array(
        summary.worlds.map {
          ["timestamp": .integer(Int($0.nanoseconds)), "beganAt": .number($0.seconds(since: start))]
        }),
      "verdict": verdict.json,
      "diagnoses": .array(
        diagnoses.map { diagnosis in
          [
            "code": .string(diagnosis.code), "family": .string(diagnosis.family.rawValue),
            "sentence": .string(diagnosis.sentence), "evidence": .string(diagnosis.evidence),
            "remedy": .string(diagnosis.remedy), "peer": .string(diagnosis.peer), "handled": .bool(diagnosis.isHandled),
          ]
        }),
      "calibration": calibration.map(CalibrationDocument.json) ?? .null,
      "peers": .sorted(
        Dictionary(uniqueKeysWithValues: peers.map { ($0, $1.json(start: start, summary: summary.peers[$0])) })),
      "errors": errors.map(ErrorsDocument.json) ?? .null,
    ]
  }

  private var configuration: JSONValue {
    [
      "from": .number(options.from), "to": .number(options.to), "peer": .string(options.peer),
      "strict": .bool(options.isStrict), "initialize": .string(options.initialization.rawValue),
      "trajectory": .string(trajectorySource?.rawValue), "offline": .bool(options.isOffline),
      "finder": ConfigurationFile.effective(options.finder),
    ]
  }

  private var countsJSON: JSONValue {
    [
      "read": counts.json,
      "written": ["updates": .integer(written.updates), "poses": .integer(written.poses)],
      "framesUsed": .integer(summary.framesUsed), "framesDropped": .integer(summary.framesDropped),
      "tracksRejected": .integer(summary.tracksRejected),
      "rangesUsed": .integer(summary.peers.values.reduce(0) { $0 + $1.rangesUsed }),
      "rangesRejected": .integer(summary.peers.values.reduce(0) { $0 + $1.rangesRejected }),
      "late": .integer(summary.lateEvents), "unusable": .integer(summary.unusableEvents),
      "damaged": .sorted(
        Dictionary(
          uniqueKeysWithValues: damage.filter { $0.total > 0 }.map { file in
            let kinds = file.counts.map { ($0.key.rawValue, JSONValue.integer($0.value)) }
            return (file.path, JSONValue.sorted(Dictionary(uniqueKeysWithValues: kinds)))
          })),
      "internalErrors": .integer(nonFinite),
    ]
  }

  private func hashes(_ entries: [InputDigest.Entry]) -> JSONValue {
    .object(entries.map { JSONValue.Member(key: $0.path, value: .string($0.sha256)) })
  }
}
