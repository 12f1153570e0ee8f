import Datasets
import Estimator
import Evaluation
import PrecisionFinding
import Premises
import SensorData

/// `result.json`: options, inputs, results and errors of a run. Contains no clock, host or path.
struct ResultDocument {
  /// The recording.
  var recording: Recording
  /// The options.
  var options: RunOptions
  /// Hashes of the inputs.
  var digest: InputDigest
  /// Events read.
  var counts: EventCounts
  /// Rows read and skipped, per file.
  var damage: [FileDamage]
  /// The finder's summary.
  var summary: FinderSummary
  /// Premises refuted and errors handled.
  var diagnoses: [Diagnosis]
  /// The result of online calibration.
  var calibration: CalibrationEstimate?
  /// Outcomes of the peers.
  var peers: [String: PeerOutcome]
  /// Updates and poses written.
  var written: (updates: Int, poses: Int)
  /// Values left out because they were not finite.
  var nonFinite: Int
  /// Errors against the ground truth, where there is one.
  var errors: Judge.Errors?

  /// The document.
  var json: JSONValue {
    let start = recording.firstTimestamp
    return [
      "title": .string(recording.metadata.title), "start": .integer(Int(start.nanoseconds)),
      "configuration": configuration,
      "inputs": hashes(digest.inputs), "groundTruth": hashes(digest.groundTruth),
      "counts": countsJSON,
      "trajectory": [
        "beganAt": .number(summary.trajectoryBegan.map { $0.seconds(since: start) }),
        "waitingFor": .string(summary.waitingFor),
      ],
      "worlds": .array(
        summary.worlds.map {
          ["timestamp": .integer(Int($0.nanoseconds)), "beganAt": .number($0.seconds(since: start))]
        }),
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
      "trajectory": .string(recording.trajectorySource?.rawValue), "offline": .bool(options.isOffline),
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
