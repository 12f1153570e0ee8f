/// The figures by name, in output order. Definitions and formulas: docs/metrics.md.
package enum FigureKey: Hashable, Sendable {
  // The trajectory.
  case pathLength, ateYawAligned, ateSE3, rpe, attitudeDegrees
  case rpeAt(metres: Double)
  case neesPosition, neesAttitude, neesPositionInBand, neesAttitudeInBand
  case aneesPositionInBand, aneesAttitudeInBand
  // The peers.
  case angleErrorDegrees, angleErrorDegrees90, wrongAngles, wrongAngleTrials
  case angleErrorDegreesAt(seconds: Double), angleShareAt(seconds: Double), convergedShareAt(seconds: Double)
  case coverage90At(seconds: Double), angleCRPSDegreesAt(seconds: Double), angleIntervalScoreDegreesAt(seconds: Double)
  case coverage90, coverage90Tolerant, distanceCoverage90, firstAngle, timeToConverge, convergedShare
  case converged, falseConverged, falselyConvergedTrials
  case verticalDecided, verticalWrong, distanceError, positionError, neesPeer, neesPeerInBand, rejectedRanges
  // Moving peers.
  case motionDetectionDelay, motionDetectionDelay90, motionDetectedIn2s, movingAngleAvailability, movingCoverage90
  // The ideal observer on the same ranges.
  case idealAngleErrorDegreesAt(seconds: Double), angleRatioAt(seconds: Double)
  case idealAngleShareAt(seconds: Double), idealConvergedShareAt(seconds: Double), idealCoverage90
  case angleAvailability, idealAngleAvailability, angleAvailabilityPublishable
  case angleErrorRatio, angleErrorRatio90, halfWidthRatio, timeTo10DegreesRatio
  case idealFirstAngle, firstAngleRatio, idealTimeToConverge, timeToConvergeRatio, idealConvergedShare
  case idealWrongAngles, idealFalseConverged, idealVerticalDecided, idealVerticalWrong, verticalDecidedRatio

  /// Every figure.
  package static let all: [FigureKey] = {
    let seconds = AngleCheckpoint.seconds
    var keys: [FigureKey] = [.pathLength, .ateYawAligned, .ateSE3, .rpe]
    keys += RelativeError.lengths.map { .rpeAt(metres: $0) }
    keys += [.attitudeDegrees, .neesPosition, .neesPositionInBand, .aneesPositionInBand]
    keys += [.neesAttitude, .neesAttitudeInBand, .aneesAttitudeInBand]
    keys += [.angleErrorDegrees, .angleErrorDegrees90, .wrongAngles, .wrongAngleTrials]
    keys += AngleCheckpoint.moments.flatMap {
      [.angleErrorDegreesAt(seconds: $0), .angleShareAt(seconds: $0), .convergedShareAt(seconds: $0)]
    }
    keys += AngleCheckpoint.scored.flatMap {
      [.coverage90At(seconds: $0), .angleCRPSDegreesAt(seconds: $0), .angleIntervalScoreDegreesAt(seconds: $0)]
    }
    keys += [
      .coverage90, .coverage90Tolerant, .distanceCoverage90, .firstAngle, .timeToConverge, .convergedShare, .converged,
      .falseConverged,
    ]
    keys += [.falselyConvergedTrials, .verticalDecided, .verticalWrong, .distanceError, .positionError, .neesPeer]
    keys += [.neesPeerInBand, .rejectedRanges]
    keys += [.motionDetectionDelay, .motionDetectionDelay90, .motionDetectedIn2s]
    keys += [.movingAngleAvailability, .movingCoverage90]
    keys += seconds.flatMap {
      [
        .idealAngleErrorDegreesAt(seconds: $0), .angleRatioAt(seconds: $0), .idealAngleShareAt(seconds: $0),
        .idealConvergedShareAt(seconds: $0),
      ]
    }
    keys += [
      .angleAvailability, .idealAngleAvailability, .angleAvailabilityPublishable, .angleErrorRatio, .angleErrorRatio90,
      .halfWidthRatio, .timeTo10DegreesRatio,
    ]
    keys += [.idealCoverage90, .idealFirstAngle, .firstAngleRatio, .idealTimeToConverge, .timeToConvergeRatio]
    keys += [.idealConvergedShare, .idealWrongAngles, .idealFalseConverged, .idealVerticalDecided, .idealVerticalWrong]
    keys += [.verticalDecidedRatio]
    return keys
  }()

  /// Its name in JSON.
  package var name: String {
    switch self {
    case .rpeAt(let metres): "rpe\(Int(metres))m"
    case .angleErrorDegreesAt(let s): "angleErrorDegreesAt\(Int(s))s"
    case .angleShareAt(let s): "angleShareAt\(Int(s))s"
    case .convergedShareAt(let s): "convergedShareAt\(Int(s))s"
    case .coverage90At(let s): "coverage90At\(Int(s))s"
    case .angleCRPSDegreesAt(let s): "angleCRPSDegreesAt\(Int(s))s"
    case .angleIntervalScoreDegreesAt(let s): "angleIntervalScoreDegreesAt\(Int(s))s"
    case .idealAngleErrorDegreesAt(let s): "idealAngleErrorDegreesAt\(Int(s))s"
    case .angleRatioAt(let s): "angleRatioAt\(Int(s))s"
    case .idealAngleShareAt(let s): "idealAngleShareAt\(Int(s))s"
    case .idealConvergedShareAt(let s): "idealConvergedShareAt\(Int(s))s"
    default: "\(self)"
    }
  }

  /// Which direction is better.
  package var sense: Sense {
    switch self {
    case .coverage90, .coverage90At, .coverage90Tolerant, .distanceCoverage90, .idealCoverage90, .movingCoverage90:
      .nearest(0.9)
    case .halfWidthRatio: .nearest(1)
    case .neesPosition, .neesAttitude, .neesPeer: .nearest(NormalizedErrors.degreesOfFreedom)
    case .neesPositionInBand, .neesAttitudeInBand, .neesPeerInBand: .nearest(0.99)
    case .aneesPositionInBand, .aneesAttitudeInBand: .nearest(0.99)
    case .angleAvailability, .angleShareAt, .convergedShareAt, .convergedShare, .converged, .verticalDecided: .higher
    case .angleAvailabilityPublishable, .verticalDecidedRatio, .motionDetectedIn2s, .movingAngleAvailability: .higher
    case .pathLength, .idealAngleErrorDegreesAt, .idealAngleShareAt, .idealConvergedShareAt, .idealFirstAngle: .neither
    case .idealTimeToConverge, .idealConvergedShare, .idealFalseConverged, .idealVerticalDecided: .neither
    case .idealVerticalWrong, .idealAngleAvailability, .idealWrongAngles: .neither
    default: .lower
    }
  }

  /// Which direction of a figure is better.
  package enum Sense: Equatable, Sendable {
    case lower, higher, neither
    case nearest(Double)

    /// Whether `value` is worse than `reference`; always false for `neither`.
    package func isWorse(_ value: Double, than reference: Double) -> Bool {
      switch self {
      case .lower: value > reference
      case .higher: value < reference
      case .neither: false
      case .nearest(let target): abs(value - target) > abs(reference - target)
      }
    }
  }
}
