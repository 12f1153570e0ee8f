import PrecisionFinding

/// A setting as it is written in a `--config` file: where it goes, and what it may be.
package struct ConfigurationKey: Sendable {
  /// What a value may be.
  enum Kind: Sendable {
    /// A number within a range.
    case number(WritableKeyPath<FinderConfiguration, Double> & Sendable, ClosedRange<Double>)
    /// A whole number within a range.
    case integer(WritableKeyPath<FinderConfiguration, Int> & Sendable, ClosedRange<Int>)
    /// `true` or `false`.
    case flag(WritableKeyPath<FinderConfiguration, Bool> & Sendable)
    /// A list of pairs of numbers within a range: `[[0.02, 0.03], [0.1, 0.1]]`.
    case pairs(WritableKeyPath<FinderConfiguration, [SIMD2<Double>]> & Sendable, ClosedRange<Double>)
  }

  /// Its name; a dot separates a section from the key in it.
  package var name: String
  /// Where it goes and what it may be.
  var kind: Kind

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Every key; any other is an error. Names, units and defaults are those of `FinderConfiguration`.
  package static let all: [ConfigurationKey] = common + zones + calibration + ranging

  /// The settings that people reach for.
  private static let common: [ConfigurationKey] = [
    ConfigurationKey("reorderWindow", .number(\.reorderWindow, 0...10)),
    ConfigurationKey("updateInterval", .number(\.updateInterval, 0.01...10)),
    ConfigurationKey("axesUncertaintyDegrees", .number(\.axesUncertaintyDegrees, 0...90)),
    ConfigurationKey("angleHalfWidthDegrees", .number(\.angleHalfWidthDegrees, 0...180)),
    ConfigurationKey("mirrorShare", .number(\.mirrorShare, 0...1)),
    ConfigurationKey("rivalShare", .number(\.rivalShare, 0...1)),
    ConfigurationKey("positionLimit", .number(\.positionLimit, 0.01...1000)),
    ConfigurationKey("directionConeDegrees", .number(\.directionConeDegrees, 0...180)),
    ConfigurationKey("sameLevelHeight", .number(\.sameLevelHeight, 0...100)),
    ConfigurationKey("sameLevelElevationDegrees", .number(\.sameLevelElevationDegrees, 0...90)),
    ConfigurationKey("verticalDecision", .number(\.verticalDecision, 0.5...1)),
    ConfigurationKey("verticalDrop", .number(\.verticalDrop, 0...1)),
    ConfigurationKey("informedAxis", .number(\.informedAxis, 0...1)),
    ConfigurationKey("rangeTimeout", .number(\.rangeTimeout, 0...1000)),
    ConfigurationKey("weakPower", .number(\.weakPower, -200...0)),
    ConfigurationKey("darkLuma", .number(\.darkLuma, 0...1)),
    ConfigurationKey("fewFeatures", .integer(\.fewFeatures, 0...10_000)),
    ConfigurationKey("darkDelay", .number(\.darkDelay, 0...1000)),
    ConfigurationKey("odometryDoubt", .number(\.odometryDoubt, 0...1000)),
    ConfigurationKey("unseenSpeed", .number(\.unseenSpeed, 0...100)),
    ConfigurationKey("handOverConeDegrees", .number(\.handOverConeDegrees, 0...180)),
    ConfigurationKey("walkLimit", .number(\.walkLimit, 0...1e6)),
    ConfigurationKey("walkingShare", .number(\.walkingShare, 0...0.999)),
    ConfigurationKey("standLimit", .number(\.standLimit, 0...1e6)),
    ConfigurationKey("loudLimit", .number(\.loudLimit, 0...1e6)),
    ConfigurationKey("anglesAstrayShare", .number(\.anglesAstrayShare, 0...0.99)),
    ConfigurationKey("contradictionLimit", .number(\.contradictionLimit, 1...1e6)),
    ConfigurationKey("handOverRanges", .integer(\.handOverRanges, 1...1_000_000)),
  ]

  /// Rings around peers, in the section `zones`.
  private static let zones: [ConfigurationKey] = [
    ConfigurationKey("zones.immediateMetres", .number(\.zones.immediateMetres, 0...1000)),
    ConfigurationKey("zones.nearMetres", .number(\.zones.nearMetres, 0...1000)),
    ConfigurationKey("zones.farMetres", .number(\.zones.farMetres, 0...1000)),
    ConfigurationKey("zones.margin", .number(\.zones.margin, 0...10)),
    ConfigurationKey("zones.dwell", .number(\.zones.dwell, 0...1000)),
    ConfigurationKey("zones.smoothing", .number(\.zones.smoothing, 0...1000)),
  ]

  /// What of the calibration is estimated, in the section `calibration`.
  private static let calibration: [ConfigurationKey] = [
    ConfigurationKey("calibration.online", .flag(\.calibration.online)),
    ConfigurationKey("calibration.rotation", .number(\.calibration.rotation, 0...0.2)),
    ConfigurationKey("calibration.translation", .number(\.calibration.translation, 0...1)),
    ConfigurationKey("calibration.timeOffset", .number(\.calibration.timeOffset, 0...0.1)),
    ConfigurationKey("calibration.focalLength", .number(\.calibration.focalLength, 0...0.2)),
    ConfigurationKey("calibration.principalPoint", .number(\.calibration.principalPoint, 0...0.2)),
    ConfigurationKey("calibration.axes", .number(\.calibration.axes, 0...0.1)),
  ]

  /// What is assumed of a link, in the section `ranging`.
  private static let ranging: [ConfigurationKey] = [
    ConfigurationKey("ranging.directions", .integer(\.ranging.directions, 10...100_000)),
    ConfigurationKey("ranging.elevationPrior", .number(\.ranging.elevationPrior, 0.01...10)),
    ConfigurationKey("ranging.biasPrior", .number(\.ranging.biasPrior, 1e-6...100)),
    ConfigurationKey("ranging.scalePrior", .number(\.ranging.scalePrior, 1e-9...1)),
    ConfigurationKey("ranging.antennaBiasPrior", .number(\.ranging.antennaBiasPrior, 1e-6...100)),
    ConfigurationKey("ranging.antennaCorrelation", .number(\.ranging.antennaCorrelation, 0...0.999)),
    ConfigurationKey("ranging.correlationLength", .number(\.ranging.correlationLength, 1e-3...1000)),
    ConfigurationKey("ranging.peerRandomWalk", .number(\.ranging.peerRandomWalk, 0...10)),
    ConfigurationKey("ranging.walkSpeed", .number(\.ranging.walkSpeed, 1e-3...100)),
    ConfigurationKey("ranging.climbSpeed", .number(\.ranging.climbSpeed, 1e-3...100)),
    ConfigurationKey("ranging.walkMemory", .number(\.ranging.walkMemory, 1e-2...1000)),
    ConfigurationKey("ranging.noiseCandidates", .pairs(\.ranging.noiseCandidates, 1e-4...100)),
    ConfigurationKey("ranging.quietShare", .number(\.ranging.quietShare, 0...1)),
    ConfigurationKey("ranging.antennaWander", .number(\.ranging.antennaWander, 0...1)),
    ConfigurationKey("ranging.trackedNoise", .number(\.ranging.trackedNoise, 0...1)),
    ConfigurationKey("ranging.assumedNoise", .number(\.ranging.assumedNoise, 1e-3...10)),
    ConfigurationKey("ranging.noiseWorth", .number(\.ranging.noiseWorth, 0.1...1e9)),
    ConfigurationKey("ranging.statedNoiseLogWidth", .number(\.ranging.statedNoiseLogWidth, 1e-3...100)),
    ConfigurationKey("ranging.blockingRate", .number(\.ranging.blockingRate, 1e-6...1000)),
    ConfigurationKey("ranging.blockingWorth", .number(\.ranging.blockingWorth, 1e-3...1000)),
    ConfigurationKey("ranging.clearingRate", .number(\.ranging.clearingRate, 1e-6...1000)),
    ConfigurationKey("ranging.excessMean", .number(\.ranging.excessMean, -100...100)),
    ConfigurationKey("ranging.excessSpread", .number(\.ranging.excessSpread, 1e-3...100)),
    ConfigurationKey("ranging.longExcessSpread", .number(\.ranging.longExcessSpread, 1e-3...100)),
    ConfigurationKey("ranging.longExcessShare", .number(\.ranging.longExcessShare, 0...1)),
    ConfigurationKey("ranging.excessWalk", .number(\.ranging.excessWalk, 0...100)),
    ConfigurationKey("ranging.blockedNoise", .number(\.ranging.blockedNoise, 0...100)),
    ConfigurationKey("ranging.grossShare", .number(\.ranging.grossShare, 0...1)),
    ConfigurationKey("ranging.grossSpread", .number(\.ranging.grossSpread, 1e-3...1000)),
    ConfigurationKey("ranging.angleConeDegrees", .number(\.ranging.angleConeDegrees, 0...90)),
    ConfigurationKey("ranging.angleFloorDegrees", .number(\.ranging.angleFloorDegrees, 0.01...90)),
    ConfigurationKey("ranging.angleOffsetDegrees", .number(\.ranging.angleOffsetDegrees, 0...90)),
    ConfigurationKey("ranging.angleMemory", .number(\.ranging.angleMemory, 1e-3...1000)),
    ConfigurationKey("ranging.strangeAngleShare", .number(\.ranging.strangeAngleShare, 0...1)),
    ConfigurationKey("ranging.pruneBelow", .number(\.ranging.pruneBelow, 0...0.1)),
    ConfigurationKey("ranging.hypothesisLimit", .integer(\.ranging.hypothesisLimit, 10...1_000_000)),
  ]
}
