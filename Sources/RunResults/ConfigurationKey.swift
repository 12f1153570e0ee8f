import PrecisionFinding

/// A setting of a `--config` file: its key path and permitted values.
package struct ConfigurationKey: Sendable {
  /// Type and range of a value.
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
  /// Its key path and permitted values.
  var kind: Kind

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Every key; any other is an error. Names, units and defaults are those of `FinderConfiguration`.
  package static let all: [ConfigurationKey] = common + zones + calibration + ranging

  /// The top-level settings.
  private static let common: [ConfigurationKey] = [
    ConfigurationKey("watchesPremises", .flag(\.watchesPremises)),
    ConfigurationKey("reorderWindow", .number(\.reorderWindow, 0...10)),
    ConfigurationKey("updateInterval", .number(\.updateInterval, 0.01...10)),
    ConfigurationKey("axesUncertaintyDegrees", .number(\.axesUncertaintyDegrees, 0...90)),
    ConfigurationKey("angleHalfWidthDegrees", .number(\.angleHalfWidthDegrees, 0...180)),
    ConfigurationKey("maxProbabilityBeyond45Degrees", .number(\.maxProbabilityBeyond45Degrees, 0...1)),
    ConfigurationKey("maxProbabilityBeyond20Degrees", .number(\.maxProbabilityBeyond20Degrees, 0...1)),
    ConfigurationKey("positionLimit", .number(\.positionLimit, 0.01...1000)),
    ConfigurationKey("directionConeDegrees", .number(\.directionConeDegrees, 0...180)),
    ConfigurationKey("sameLevelHeight", .number(\.sameLevelHeight, 0...100)),
    ConfigurationKey("sameLevelElevationDegrees", .number(\.sameLevelElevationDegrees, 0...90)),
    ConfigurationKey("verticalDecision", .number(\.verticalDecision, 0.5...1)),
    ConfigurationKey("verticalDrop", .number(\.verticalDrop, 0...1)),
    ConfigurationKey("directionSineSigmaLimit", .number(\.directionSineSigmaLimit, 0...1)),
    ConfigurationKey("rangeTimeout", .number(\.rangeTimeout, 0...1000)),
    ConfigurationKey("weakPower", .number(\.weakPower, -200...0)),
    ConfigurationKey("darkLuma", .number(\.darkLuma, 0...1)),
    ConfigurationKey("fewFeatures", .integer(\.fewFeatures, 0...10_000)),
    ConfigurationKey("darkDelay", .number(\.darkDelay, 0...1000)),
    ConfigurationKey("odometryDriftScale", .number(\.odometryDriftScale, 0...1000)),
    ConfigurationKey("handSpeedSigma", .number(\.handSpeedSigma, 0...100)),
    ConfigurationKey("handOverConeDegrees", .number(\.handOverConeDegrees, 0...180)),
    ConfigurationKey("movingLogOdds", .number(\.movingLogOdds, 0...1e6)),
    ConfigurationKey("movingPrior", .number(\.movingPrior, 0...0.999)),
    ConfigurationKey("stoppedLogOdds", .number(\.stoppedLogOdds, 0...1e6)),
    ConfigurationKey("noiseIncreaseLogOdds", .number(\.noiseIncreaseLogOdds, 0...1e6)),
    ConfigurationKey("aoaInvalidPrior", .number(\.aoaInvalidPrior, 0...0.99)),
    ConfigurationKey("restartLogOdds", .number(\.restartLogOdds, 1...1e6)),
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

  /// Online calibration, in the section `calibration`.
  private static let calibration: [ConfigurationKey] = [
    ConfigurationKey("calibration.online", .flag(\.calibration.online)),
    ConfigurationKey("calibration.rotation", .number(\.calibration.rotation, 0...0.2)),
    ConfigurationKey("calibration.translation", .number(\.calibration.translation, 0...1)),
    ConfigurationKey("calibration.timeOffset", .number(\.calibration.timeOffset, 0...0.1)),
    ConfigurationKey("calibration.focalLength", .number(\.calibration.focalLength, 0...0.2)),
    ConfigurationKey("calibration.principalPoint", .number(\.calibration.principalPoint, 0...0.2)),
    ConfigurationKey("calibration.axes", .number(\.calibration.axes, 0...0.1)),
  ]

  /// Priors and noise models of a link, in the section `ranging`.
  private static let ranging: [ConfigurationKey] = [
    ConfigurationKey("ranging.directions", .integer(\.ranging.directions, 10...100_000)),
    ConfigurationKey("ranging.elevationPrior", .number(\.ranging.elevationPrior, 0.01...10)),
    ConfigurationKey("ranging.biasPrior", .number(\.ranging.biasPrior, 1e-6...100)),
    ConfigurationKey("ranging.scalePrior", .number(\.ranging.scalePrior, 1e-9...1)),
    ConfigurationKey("ranging.antennaBiasPrior", .number(\.ranging.antennaBiasPrior, 1e-6...100)),
    ConfigurationKey("ranging.antennaCorrelation", .number(\.ranging.antennaCorrelation, 0...0.999)),
    ConfigurationKey("ranging.correlationLength", .number(\.ranging.correlationLength, 1e-3...1000)),
    ConfigurationKey("ranging.peerRandomWalk", .number(\.ranging.peerRandomWalk, 0...10)),
    ConfigurationKey("ranging.peerSpeedSigma", .number(\.ranging.peerSpeedSigma, 1e-3...100)),
    ConfigurationKey("ranging.peerVerticalSpeedSigma", .number(\.ranging.peerVerticalSpeedSigma, 1e-3...100)),
    ConfigurationKey("ranging.peerVelocityTime", .number(\.ranging.peerVelocityTime, 1e-2...1000)),
    ConfigurationKey("ranging.noiseCandidates", .pairs(\.ranging.noiseCandidates, 1e-4...100)),
    ConfigurationKey("ranging.holdsNoiseInPlace", .flag(\.ranging.holdsNoiseInPlace)),
    ConfigurationKey("ranging.whiteNoisePrior", .number(\.ranging.whiteNoisePrior, 0...1)),
    ConfigurationKey("ranging.antennaPhaseCenterSigma", .number(\.ranging.antennaPhaseCenterSigma, 0...1)),
    ConfigurationKey("ranging.foundPeerNoise", .number(\.ranging.foundPeerNoise, 0...1)),
    ConfigurationKey("ranging.assumedNoise", .number(\.ranging.assumedNoise, 1e-3...10)),
    ConfigurationKey("ranging.statedNoisePseudoCount", .number(\.ranging.statedNoisePseudoCount, 0.1...1e9)),
    ConfigurationKey("ranging.statedNoiseLogWidth", .number(\.ranging.statedNoiseLogWidth, 1e-3...100)),
    ConfigurationKey("ranging.losLossRate", .number(\.ranging.losLossRate, 1e-6...1000)),
    ConfigurationKey("ranging.nlosRatePseudoCount", .number(\.ranging.nlosRatePseudoCount, 1e-3...1000)),
    ConfigurationKey("ranging.losReturnRate", .number(\.ranging.losReturnRate, 1e-6...1000)),
    ConfigurationKey("ranging.nlosMean", .number(\.ranging.nlosMean, -100...100)),
    ConfigurationKey("ranging.nlosSpread", .number(\.ranging.nlosSpread, 1e-3...100)),
    ConfigurationKey("ranging.longNLOSSpread", .number(\.ranging.longNLOSSpread, 1e-3...100)),
    ConfigurationKey("ranging.longNLOSProbability", .number(\.ranging.longNLOSProbability, 0...1)),
    ConfigurationKey("ranging.nlosRandomWalk", .number(\.ranging.nlosRandomWalk, 0...100)),
    ConfigurationKey("ranging.nlosNoise", .number(\.ranging.nlosNoise, 0...100)),
    ConfigurationKey("ranging.rangeOutlierProbability", .number(\.ranging.rangeOutlierProbability, 0...1)),
    ConfigurationKey("ranging.rangeOutlierScale", .number(\.ranging.rangeOutlierScale, 1e-3...1000)),
    ConfigurationKey("ranging.aoaConeDegrees", .number(\.ranging.aoaConeDegrees, 0...90)),
    ConfigurationKey("ranging.aoaFloorDegrees", .number(\.ranging.aoaFloorDegrees, 0.01...90)),
    ConfigurationKey("ranging.aoaBiasDegrees", .number(\.ranging.aoaBiasDegrees, 0...90)),
    ConfigurationKey("ranging.aoaCorrelationTime", .number(\.ranging.aoaCorrelationTime, 1e-3...1000)),
    ConfigurationKey("ranging.aoaOutlierProbability", .number(\.ranging.aoaOutlierProbability, 0...1)),
    ConfigurationKey("ranging.pruneBelow", .number(\.ranging.pruneBelow, 0...0.1)),
    ConfigurationKey("ranging.hypothesisLimit", .integer(\.ranging.hypothesisLimit, 10...1_000_000)),
  ]
}
