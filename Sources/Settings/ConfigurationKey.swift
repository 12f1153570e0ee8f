import PrecisionFinding

/// A setting of a `--config` file: its unit, meaning, key path and permitted values. The loader, `result.json` and
/// `fuse config --list` read the same table.
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
  /// Its name without the section.
  package var shortName: String { name.split(separator: ".").last.map(String.init) ?? name }
  /// Its unit; empty for a flag.
  package var unit: String
  /// Its key path and permitted values.
  var kind: Kind
  /// What it does, in one or two sentences.
  package var meaning: String

  init(_ name: String, _ unit: String, _ kind: Kind, _ meaning: String) {
    self.name = name
    self.unit = unit
    self.kind = kind
    self.meaning = meaning
  }

  /// Every key; any other is an error. Names, units and defaults are those of `FinderConfiguration`.
  package static let all: [ConfigurationKey] = common + zones + calibration + ranging

  /// The top-level settings.
  private static let common: [ConfigurationKey] = [
    ConfigurationKey(
      "watchesPremises", "", .flag(\.watchesPremises),
      "Test units, axes, mounts, lenses, clocks and conventions against the data; what is refuted withdraws what rests on it."
    ),
    ConfigurationKey(
      "learnsPixelNoise", "", .flag(\.learnsPixelNoise),
      "Learn the features' noise from the images where it exceeds the stated pixel_noise_sigma."),
    ConfigurationKey(
      "reorderWindow", "s", .number(\.reorderWindow, 0...10),
      "How late an event may arrive and still be put in order."),
    ConfigurationKey(
      "updateInterval", "s", .number(\.updateInterval, 0.01...10),
      "Spacing of the regular updates, in event time."),
    ConfigurationKey(
      "axesUncertaintyDegrees", "deg", .number(\.axesUncertaintyDegrees, 0...90),
      "1-sigma of the device's axes: the residual of a calibration. An uncalibrated device wants 0.7 or more."),
    ConfigurationKey(
      "angleHalfWidthDegrees", "deg", .number(\.angleHalfWidthDegrees, 0...180),
      "Largest 90 % half-width of a published horizontal angle."),
    ConfigurationKey(
      "maxProbabilityBeyond45Degrees", "probability", .number(\.maxProbabilityBeyond45Degrees, 0...1),
      "Largest probability over 45 degrees away from a published angle."),
    ConfigurationKey(
      "maxProbabilityBeyond20Degrees", "probability", .number(\.maxProbabilityBeyond20Degrees, 0...1),
      "Largest probability over 20 degrees away when converged."),
    ConfigurationKey(
      "maxProbabilityBeyondPositionLimit", "probability", .number(\.maxProbabilityBeyondPositionLimit, 0...1),
      "Largest probability beyond the largest error of a published position; and of inconsistent angles of arrival at the hand-over."
    ),
    ConfigurationKey(
      "positionLimit", "m", .number(\.positionLimit, 0.01...1000),
      "Largest error of a published position that counts as right."),
    ConfigurationKey(
      "positionLimitShare", "ratio", .number(\.positionLimitShare, 0...10),
      "The same as a share of the distance; the larger of both counts."),
    ConfigurationKey(
      "directionConeDegrees", "deg", .number(\.directionConeDegrees, 0...180),
      "Largest 90 % cone of a published direction."),
    ConfigurationKey(
      "sameLevelHeight", "m", .number(\.sameLevelHeight, 0...100),
      "Vertical distance within which a peer is on the same level."),
    ConfigurationKey(
      "sameLevelElevationDegrees", "deg", .number(\.sameLevelElevationDegrees, 0...90),
      "Elevation within which a peer is on the same level."),
    ConfigurationKey(
      "verticalDecision", "probability", .number(\.verticalDecision, 0.5...1),
      "Probability at which a level is named."),
    ConfigurationKey(
      "verticalDrop", "probability", .number(\.verticalDrop, 0...1),
      "Probability below which a named level is dropped; at most verticalDecision."),
    ConfigurationKey(
      "directionSineSigmaLimit", "sine", .number(\.directionSineSigmaLimit, 0...1),
      "1-sigma of the best known axis of the direction above which no axis counts as observed."),
    ConfigurationKey(
      "rangeTimeout", "s", .number(\.rangeTimeout, 0...1000),
      "Without a usable range for this long the quality is drifting."),
    ConfigurationKey(
      "weakPower", "dBm", .number(\.weakPower, -200...0),
      "Received power of the first path below which a link is weak."),
    ConfigurationKey(
      "darkLuma", "0 black, 1 white", .number(\.darkLuma, 0...1),
      "Mean luma below which a camera with too few features is in the dark."),
    ConfigurationKey(
      "fewFeatures", "tracks", .integer(\.fewFeatures, 0...10_000),
      "Frames with fewer tracked features are not usable."),
    ConfigurationKey(
      "darkDelay", "s", .number(\.darkDelay, 0...1000),
      "The camera must fail this long before lighting is a reason."),
    ConfigurationKey(
      "odometryDriftScale", "factor", .number(\.odometryDriftScale, 0...1000),
      "Factor on the stated drift of another tracker during a search."),
    ConfigurationKey(
      "handSpeedSigma", "m/s", .number(\.handSpeedSigma, 0...100),
      "1-sigma of the hand's speed before the trajectory, where it was not nearly still."),
    ConfigurationKey(
      "movingLogOdds", "log odds", .number(\.movingLogOdds, 0...1e6),
      "A stationary peer is taken to move at this log likelihood ratio."),
    ConfigurationKey(
      "movingPrior", "probability", .number(\.movingPrior, 0...0.999),
      "Prior probability that a peer moves when its search starts; of an item a fifth."),
    ConfigurationKey(
      "personMovingPrior", "probability", .number(\.personMovingPrior, 0...0.999),
      "The same of a peer that is stated a person."),
    ConfigurationKey(
      "personMovingLogOdds", "log odds", .number(\.personMovingLogOdds, 0...1e6),
      "A person is taken to move at this log likelihood ratio."),
    ConfigurationKey(
      "personStoppedLogOdds", "log odds", .number(\.personStoppedLogOdds, 0...1e6),
      "A person that moves is taken to be stationary again at this log likelihood ratio."),
    ConfigurationKey(
      "stoppedLogOdds", "log odds", .number(\.stoppedLogOdds, 0...1e6),
      "A moving peer is taken to be stationary again at this log likelihood ratio."),
    ConfigurationKey(
      "noiseIncreaseLogOdds", "log odds", .number(\.noiseIncreaseLogOdds, 0...1e6),
      "Against an increase of a radio's noise, every third of a second."),
    ConfigurationKey(
      "aoaInvalidPrior", "probability", .number(\.aoaInvalidPrior, 0...0.99),
      "Prior probability that a link's angles of arrival are inconsistent: a misplaced array, another sign, a reflector."
    ),
    ConfigurationKey(
      "restartLogOdds", "log odds", .number(\.restartLogOdds, 1...1e6),
      "The search starts again at this log likelihood ratio of the range-only model against the incumbent."),
  ]

  /// Rings around peers, in the section `zones`.
  private static let zones: [ConfigurationKey] = [
    ConfigurationKey(
      "zones.immediateMetres", "m", .number(\.zones.immediateMetres, 0...1000),
      "Radius at which the innermost ring is entered; 0: no such ring."),
    ConfigurationKey(
      "zones.nearMetres", "m", .number(\.zones.nearMetres, 0...1000),
      "Radius of the middle ring; 0: none."),
    ConfigurationKey(
      "zones.farMetres", "m", .number(\.zones.farMetres, 0...1000),
      "Radius of the outermost ring; 0: none."),
    ConfigurationKey(
      "zones.margin", "ratio", .number(\.zones.margin, 0...10),
      "A ring is left at this much more than its radius."),
    ConfigurationKey(
      "zones.dwell", "s", .number(\.zones.dwell, 0...1000),
      "A border must stay crossed this long."),
    ConfigurationKey(
      "zones.smoothing", "s", .number(\.zones.smoothing, 0...1000),
      "Time constant of the displayed distance; 0: not smoothed."),
  ]

  /// Online calibration, in the section `calibration`.
  private static let calibration: [ConfigurationKey] = [
    ConfigurationKey(
      "calibration.online", "", .flag(\.calibration.online),
      "Estimate the camera's calibration while running, as --calibrate does."),
    ConfigurationKey(
      "calibration.rotation", "rad", .number(\.calibration.rotation, 0...0.2),
      "Prior 1-sigma of the camera's rotation on the inertial unit, about each axis; 0 here and below: not estimated."),
    ConfigurationKey(
      "calibration.translation", "m", .number(\.calibration.translation, 0...1),
      "Prior 1-sigma of the camera's position on the inertial unit, each axis."),
    ConfigurationKey(
      "calibration.timeOffset", "s", .number(\.calibration.timeOffset, 0...0.1),
      "Prior 1-sigma of the offset between the camera's clock and the inertial unit's."),
    ConfigurationKey(
      "calibration.focalLength", "ratio", .number(\.calibration.focalLength, 0...0.2),
      "Prior 1-sigma of the focal lengths, relative."),
    ConfigurationKey(
      "calibration.principalPoint", "ratio", .number(\.calibration.principalPoint, 0...0.2),
      "Prior 1-sigma of the principal point, as a fraction of the focal length."),
    ConfigurationKey(
      "calibration.axes", "ratio", .number(\.calibration.axes, 0...0.1),
      "Prior 1-sigma of scale and misalignment of the inertial unit's axes; 0: the default of its grade."),
  ]

  /// Priors and noise models of a link, in the section `ranging`.
  static let ranging: [ConfigurationKey] = [
    ConfigurationKey(
      "ranging.directions", "directions", .integer(\.ranging.directions, 10...100_000),
      "Size of the lattice that a new posterior begins with."),
    ConfigurationKey(
      "ranging.heightSigma", "m", .number(\.ranging.heightSigma, 0.01...1000),
      "Prior 1-sigma of a peer's height above the device within a storey."),
    ConfigurationKey(
      "ranging.storeyHeight", "m", .number(\.ranging.storeyHeight, 0.1...100),
      "Height of a storey: some peers are one or two off."),
    ConfigurationKey(
      "ranging.otherStoreyProbability", "probability", .number(\.ranging.otherStoreyProbability, 0...1),
      "Prior probability that a peer is on another storey; 0 in the open."),
    ConfigurationKey(
      "ranging.anyHeightProbability", "probability", .number(\.ranging.anyHeightProbability, 0...1),
      "Prior probability that a peer is at any height; 1 for drones: all directions alike."),
    ConfigurationKey(
      "ranging.biasPrior", "m", .number(\.ranging.biasPrior, 1e-6...100),
      "Prior 1-sigma of a link's constant range bias."),
    ConfigurationKey(
      "ranging.scalePrior", "ratio", .number(\.ranging.scalePrior, 1e-9...1),
      "Prior 1-sigma of a link's scale error: the radio's, and that of an external trajectory."),
    ConfigurationKey(
      "ranging.antennaBiasPrior", "m", .number(\.ranging.antennaBiasPrior, 1e-6...100),
      "Prior 1-sigma of the constant bias of one antenna beyond that; with several antennas."),
    ConfigurationKey(
      "ranging.antennaCorrelation", "correlation", .number(\.ranging.antennaCorrelation, 0...0.999),
      "Correlation of the coloured errors of two antennas of the device."),
    ConfigurationKey(
      "ranging.correlationLength", "m", .number(\.ranging.correlationLength, 1e-3...1000),
      "Distance over which the coloured range error decorrelates."),
    ConfigurationKey(
      "ranging.peerRandomWalk", "m/sqrt(s)", .number(\.ranging.peerRandomWalk, 0...10),
      "Random walk of a peer relative to the device, for errors without a model."),
    ConfigurationKey(
      "ranging.peerSpeedSigma", "m/s", .number(\.ranging.peerSpeedSigma, 1e-3...100),
      "1-sigma of the speed of a fast peer, each level axis."),
    ConfigurationKey(
      "ranging.peerVerticalSpeedSigma", "m/s", .number(\.ranging.peerVerticalSpeedSigma, 1e-3...100),
      "The same for the vertical axis, of a slow one at most its level one."),
    ConfigurationKey(
      "ranging.peerVelocityTime", "s", .number(\.ranging.peerVelocityTime, 1e-2...1000),
      "Correlation time of a fast peer's velocity."),
    ConfigurationKey(
      "ranging.slowPeerSpeedSigma", "m/s", .number(\.ranging.slowPeerSpeedSigma, 1e-3...100),
      "1-sigma of the speed of a slow peer, each level axis."),
    ConfigurationKey(
      "ranging.slowPeerVelocityTime", "s", .number(\.ranging.slowPeerVelocityTime, 1e-2...1000),
      "Correlation time of a slow peer's velocity."),
    ConfigurationKey(
      "ranging.underWaySlowProbability", "probability", .number(\.ranging.underWaySlowProbability, 0...1),
      "Probability that a peer that may be under way since the first range is slow."),
    ConfigurationKey(
      "ranging.beginningSlowProbability", "probability", .number(\.ranging.beginningSlowProbability, 0...1),
      "Probability that a peer that stood and begins to move is slow."),
    ConfigurationKey(
      "ranging.noiseCandidates", "m and s", .pairs(\.ranging.noiseCandidates, 1e-4...100),
      "Candidates of the coloured range error: 1-sigma and correlation time of each."),
    ConfigurationKey(
      "ranging.poseCandidates", "m and m", .pairs(\.ranging.poseCandidates, 1e-4...1000),
      "Candidates of an error that is bound to the device's pose: 1-sigma and correlation length."),
    ConfigurationKey(
      "ranging.posePrior", "probability", .number(\.ranging.posePrior, 0...1),
      "Prior probability of these, 0: none; the others share the rest."),
    ConfigurationKey(
      "ranging.multipathCandidates", "m and m", .pairs(\.ranging.multipathCandidates, 1e-4...1000),
      "Candidates of an error that changes with the place: 1-sigma and correlation length."),
    ConfigurationKey(
      "ranging.multipathPrior", "probability", .number(\.ranging.multipathPrior, 0...1),
      "Prior probability of these for a radio without white noise, 0: none; the others share the rest."),
    ConfigurationKey(
      "ranging.whiteNoisePrior", "probability", .number(\.ranging.whiteNoisePrior, 0...1),
      "Prior probability of the first candidate; the others share the rest."),
    ConfigurationKey(
      "ranging.noiseMisfit", "m", .number(\.ranging.noiseMisfit, 0...10),
      "What the law of each of these candidates misses of a radio's errors, 1-sigma; 0: each is taken for the radio's very law."
    ),
    ConfigurationKey(
      "ranging.antennaPhaseCenterSigma", "m", .number(\.ranging.antennaPhaseCenterSigma, 0...1),
      "With several antennas, least 1-sigma of the coloured error of each."),
    ConfigurationKey(
      "ranging.foundPeerNoise", "m", .number(\.ranging.foundPeerNoise, 0...1),
      "Least 1-sigma of the coloured error of a moving peer."),
    ConfigurationKey(
      "ranging.assumedNoise", "m", .number(\.ranging.assumedNoise, 1e-3...10),
      "1-sigma of a range where the recording states none."),
    ConfigurationKey(
      "ranging.statedNoisePseudoCount", "ranges", .number(\.ranging.statedNoisePseudoCount, 0.1...1e9),
      "Weight of the stated or assumed noise; from 1e9 on it is fixed."),
    ConfigurationKey(
      "ranging.statedNoiseLogWidth", "log ratio", .number(\.ranging.statedNoiseLogWidth, 1e-3...100),
      "Half of the stated noises are within this of the truth."),
    ConfigurationKey(
      "ranging.losLossRate", "1/s", .number(\.ranging.losLossRate, 1e-6...1000),
      "Prior rate from line of sight (LOS) to none (NLOS)."),
    ConfigurationKey(
      "ranging.nlosRatePseudoCount", "intervals", .number(\.ranging.nlosRatePseudoCount, 1e-3...1000),
      "Weight of that prior, in NLOS intervals of the link."),
    ConfigurationKey(
      "ranging.losReturnRate", "1/s", .number(\.ranging.losReturnRate, 1e-6...1000),
      "Rate from NLOS back to LOS."),
    ConfigurationKey(
      "ranging.nlosMean", "m", .number(\.ranging.nlosMean, -100...100),
      "Mean of the NLOS bias before it is truncated at zero."),
    ConfigurationKey(
      "ranging.nlosSpread", "m", .number(\.ranging.nlosSpread, 1e-3...100),
      "1-sigma of the NLOS bias."),
    ConfigurationKey(
      "ranging.longNLOSSpread", "m", .number(\.ranging.longNLOSSpread, 1e-3...100),
      "1-sigma of a long NLOS bias: a wall, a reflection from across the room."),
    ConfigurationKey(
      "ranging.longNLOSProbability", "probability", .number(\.ranging.longNLOSProbability, 0...1),
      "Probability that a bias is a long one."),
    ConfigurationKey(
      "ranging.nlosRandomWalk", "m/sqrt(s)", .number(\.ranging.nlosRandomWalk, 0...100),
      "Random walk of the bias within an NLOS interval."),
    ConfigurationKey(
      "ranging.nlosNoise", "m", .number(\.ranging.nlosNoise, 0...100),
      "White noise of an NLOS range beyond the link's own."),
    ConfigurationKey(
      "ranging.rangeOutlierProbability", "probability", .number(\.ranging.rangeOutlierProbability, 0...1),
      "Prior probability that a range is an outlier."),
    ConfigurationKey(
      "ranging.rangeOutlierScale", "m", .number(\.ranging.rangeOutlierScale, 1e-3...1000),
      "Median size of outliers."),
    ConfigurationKey(
      "ranging.aoaConeDegrees", "deg", .number(\.ranging.aoaConeDegrees, 0...90),
      "Angles of arrival (AoA) are used within this angle of the array's viewing direction."),
    ConfigurationKey(
      "ranging.aoaFloorDegrees", "deg", .number(\.ranging.aoaFloorDegrees, 0.01...90),
      "Least 1-sigma of an AoA, whatever the recording states."),
    ConfigurationKey(
      "ranging.aoaBiasDegrees", "deg", .number(\.ranging.aoaBiasDegrees, 0...90),
      "1-sigma of an array's constant bias: mounting, phase calibration."),
    ConfigurationKey(
      "ranging.aoaCorrelationTime", "s", .number(\.ranging.aoaCorrelationTime, 1e-3...1000),
      "Correlation time of AoA errors."),
    ConfigurationKey(
      "ranging.aoaOutlierProbability", "probability", .number(\.ranging.aoaOutlierProbability, 0...1),
      "Probability that an AoA is an outlier under LOS."),
    ConfigurationKey(
      "ranging.pruneBelow", "ratio", .number(\.ranging.pruneBelow, 0...0.1),
      "Components with a weight below this, relative to the best, are dropped."),
    ConfigurationKey(
      "ranging.hypothesisLimit", "components", .integer(\.ranging.hypothesisLimit, 10...1_000_000),
      "Most components of one link."),
  ]
}
