import Datasets
import Evaluation
import Geometry
import JSONText

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
      "intervals": .integer(errors.intervals), "coverage90": .number(errors.coverage90),
      "coverage90Tolerant": .number(errors.coverage90Tolerant),
      "distanceIntervals": .integer(errors.distanceIntervals),
      "distanceCoverage90": .number(errors.distanceCoverage90),
      "finalIntervalHalfWidthDegrees": .number(errors.finalIntervalHalfWidth.map(Angle.inDegrees)),
      "converged": .integer(errors.converged), "falseConverged": .number(errors.falseConvergedFraction),
      "distance": statistics(errors.distance), "position": statistics(errors.position), "vertical": .object(levels),
      "neesPosition": .number(errors.positionNEES.mean),
      "judgements": .array(
        errors.spans.map {
          [
            "from": .number($0.from), "to": .number($0.to), "status": .string($0.status),
            "reasons": .array($0.reasons.map { .string($0) }),
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
