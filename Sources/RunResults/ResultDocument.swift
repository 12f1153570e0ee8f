import Datasets
import Estimator
import Evaluation
import Geometry
import JSONText
import PrecisionFinding
import Premises
import SensorData
import Settings

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
  /// What else speaks against the set-up, and refutes nothing.
  package var doubts: [RunVerdict.Finding] = []
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
    RunVerdict(diagnoses: diagnoses, summary: summary, peers: peers, errors: errors, hasEnded: hasEnded, doubts: doubts)
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

/// The `errors` of `result.json`.
package enum ErrorsDocument {
  /// The errors of a run as JSON.
  package static func json(_ errors: Judge.Errors) -> JSONValue {
    ["trajectory": errors.trajectory.map(trajectory) ?? .null, "peers": .sorted(errors.peers.mapValues(peer))]
  }

  private static func trajectory(_ errors: TrajectoryErrors) -> JSONValue {
    [
      "poses": .integer(errors.count), "pathLength": .number(errors.pathLength),
      "ateYawAligned": .number(errors.ateYawAligned), "ateSE3": .number(errors.ateSE3),
      "rpe": .number(errors.relativePerSecond),
      "rpeByLength": .array(
        errors.relativeByLength.map {
          [
            "metres": .number($0.length), "translation": .number($0.translation),
            "rotationDegrees": .number(Angle.inDegrees($0.rotation)),
          ]
        }),
      "attitudeDegrees": .number(Angle.inDegrees(errors.attitude)),
      "neesPosition": .number(errors.positionNEES.mean), "neesAttitude": .number(errors.attitudeNEES.mean),
    ]
  }

  private static func peer(_ errors: PeerErrors) -> JSONValue {
    let levels = TrueView.Level.allCases.compactMap { level in
      errors.vertical[level].map { counts in
        JSONValue.Member(key: level.rawValue, value: .sorted(counts.mapValues { .integer($0) }))
      }
    }
    return [
      "judged": .integer(errors.judged),
      "angleErrorDegrees": statistics(errors.angle, scale: Angle.inDegrees(1)),
      "intervals": .integer(errors.angleCoverage.intervals), "coverage90": .number(errors.coverage90),
      "coverage90Tolerant": .number(errors.coverage90Tolerant),
      "distanceIntervals": .integer(errors.distanceCoverage.intervals),
      "distanceCoverage90": .number(errors.distanceCoverage90),
      "finalIntervalHalfWidthDegrees": .number(errors.finalIntervalHalfWidth.map(Angle.inDegrees)),
      "converged": .integer(errors.converged), "falseConverged": .number(errors.falseConvergedFraction),
      "distance": statistics(errors.distance), "position": statistics(errors.position), "vertical": .object(levels),
      "neesPosition": .number(errors.positionNEES.mean),
      "judgements": .array(
        errors.spans.map {
          [
            "from": .number($0.from), "to": .number($0.to), "status": .string($0.status),
            "reasons": .texts($0.reasons),
          ]
        }),
    ]
  }

  private static func statistics(_ statistics: ErrorStatistics?, scale: Double = 1) -> JSONValue {
    guard let s = statistics else { return .null }
    return [
      "rms": .number(scale * s.rms), "median": .number(scale * s.median),
      "percentile90": .number(scale * s.percentile90), "largest": .number(scale * s.largest),
      "final": .number(scale * s.final),
    ]
  }
}

/// The outcome of one peer, from its updates.
package struct PeerOutcome {
  /// Updates published.
  package private(set) var updates = 0
  /// Converged updates among them.
  package private(set) var convergedUpdates = 0
  /// When a distance was first published.
  package private(set) var firstDistance: Timestamp?
  /// When an angle was first published.
  package private(set) var firstAngle: Timestamp?
  /// When the status first was `converged`.
  package private(set) var firstConverged: Timestamp?
  /// When its angles of arrival were first inconsistent with its ranges.
  package private(set) var aoaInconsistent: Timestamp?
  /// Updates by the code of the open premise for which their arrow waits.
  private var waiting: [String: Int] = [:]
  /// The last update.
  package private(set) var last: NearbyUpdate?

  /// The code of a premise that stands against the peer: for which its arrow waits at the end, or waited in most of its
  /// updates; nil for none.
  package var openPremise: String? {
    if case .text(let code)? = last?.details["premise"] { return code }
    return waiting.sorted { $0.key < $1.key }.first { 2 * $0.value > updates }?.key
  }

  /// An outcome without updates.
  package init() {}

  /// Adds the next update.
  package mutating func add(_ update: NearbyUpdate) {
    updates += 1
    if update.object.distance != nil { firstDistance = firstDistance ?? update.timestamp }
    if update.object.horizontalAngle != nil { firstAngle = firstAngle ?? update.timestamp }
    if update.convergence.status == .converged {
      firstConverged = firstConverged ?? update.timestamp
      convergedUpdates += 1
    }
    if case .obstacles(let found)? = update.details["findings"],
      found.contains(where: { $0.obstacle == .aoaInconsistent })
    {
      aoaInconsistent = aoaInconsistent ?? update.timestamp
    }
    if case .text(let code)? = update.details["premise"] { waiting[code, default: 0] += 1 }
    last = update
  }

  /// As in `result.json`; times in seconds from `start`.
  package func json(start: Timestamp, summary: FinderSummary.Peer?) -> JSONValue {
    func seconds(_ time: Timestamp?) -> JSONValue { .number(time.map { $0.seconds(since: start) }) }
    return [
      "updates": .integer(updates), "convergedUpdates": .integer(convergedUpdates),
      "rangesUsed": .integer(summary?.rangesUsed ?? 0), "rangesRejected": .integer(summary?.rangesRejected ?? 0),
      "firstDistanceAt": seconds(firstDistance), "firstAngleAt": seconds(firstAngle),
      "convergedAt": seconds(firstConverged), "anglesAstrayAt": seconds(aoaInconsistent),
      "final": last.map { Self.final($0, start: start) } ?? .null,
    ]
  }

  private static func final(_ update: NearbyUpdate, start: Timestamp) -> JSONValue {
    let object = update.object
    let covariance = object.worldPosition?.covariance
    return [
      "time": .number(update.timestamp.seconds(since: start)),
      "distance": .number(object.distance), "distanceStd": .number(object.distanceStandardDeviation),
      "horizontalAngle": .number(object.horizontalAngle?.value),
      "horizontalAngleStd": .number(object.horizontalAngle?.standardDeviation),
      "horizontalAngleInterval": object.horizontalAngle.map { .array([.number($0.low), .number($0.high)]) } ?? .null,
      "verticalDirectionEstimate": .string(object.verticalDirectionEstimate.name),
      "position": object.worldPosition.map {
        .array([$0.position.x, $0.position.y, $0.position.z].map { .number($0) })
      }
        ?? .null,
      "positionCovariance": covariance.map { c in
        .array((0..<3).flatMap { row in (0..<3).map { .number(c[row, $0]) } })
      } ?? .null,
      "quality": .string(object.quality.rawValue), "status": .string(update.convergence.status.rawValue),
      "reasons": .array(update.convergence.reasons.map { .string($0.rawValue) }),
    ]
  }
}

/// The camera calibration estimated by a run, as JSON.
package enum CalibrationDocument {
  /// The keys of `sensor.yaml`, with standard deviations.
  package static func json(_ estimate: CalibrationEstimate) -> JSONValue {
    let camera = estimate.camera
    return [
      "T_BS": numbers(camera.bodyFromCamera.rigidTransform),
      "intrinsics": numbers([camera.fx, camera.fy, camera.cx, camera.cy]),
      "time_offset_cam_to_imu_s": .number(camera.timeOffset),
      "rotationStd": numbers(estimate.rotation), "translationStd": numbers(estimate.translation),
      "intrinsicsStd": numbers(estimate.intrinsics), "timeOffsetStd": .number(estimate.timeOffset),
      "learnt": .array(estimate.learnt.map { .string($0.rawValue) }),
    ]
  }

  private static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }
}

/// How many events of each kind a run read.
package struct EventCounts {
  /// Inertial samples.
  package private(set) var imu = 0
  /// Camera frames.
  package private(set) var frames = 0
  /// Timestamps of those of the first camera; frames of other cameras belong to them.
  package private(set) var frameTimes: [Timestamp] = []
  /// Poses of external odometry.
  package private(set) var odometry = 0
  /// Ranges.
  package private(set) var ranges = 0
  /// Everything else.
  package private(set) var device = 0

  /// Counts of nothing.
  package init() {}

  /// Counts one more.
  package mutating func add(_ event: SensorEvent) {
    switch event {
    case .imu: imu += 1
    case .frame(let frame):
      frames += 1
      if frame.camera == 0 { frameTimes.append(frame.timestamp) }
    case .odometry: odometry += 1
    case .range: ranges += 1
    case .device: device += 1
    }
  }

  /// As in `result.json`.
  package var json: JSONValue {
    [
      "imu": .integer(imu), "frames": .integer(frames), "odometry": .integer(odometry), "ranges": .integer(ranges),
      "events": .integer(device),
    ]
  }
}

/// The version of the command, the library and their numbers.
package enum FuseVersion {
  /// At present; a log names it.
  package static let current = "0.3.0"
}
