extension ConfigurationKey {
  /// Priors and noise models of a link, in the section `ranging`.
  static let ranging: [ConfigurationKey] = [
    ConfigurationKey(
      "ranging.directions", "directions", .integer(\.ranging.directions, 10...100_000),
      "Size of the lattice that a new posterior begins with."),
    ConfigurationKey(
      "ranging.elevationPrior", "rad", .number(\.ranging.elevationPrior, 0.01...10),
      "Prior 1-sigma of a peer's elevation: people look for things near their own level."),
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
      "1-sigma of the speed of a moving peer, each level axis."),
    ConfigurationKey(
      "ranging.peerVerticalSpeedSigma", "m/s", .number(\.ranging.peerVerticalSpeedSigma, 1e-3...100),
      "The same for the vertical axis."),
    ConfigurationKey(
      "ranging.peerVelocityTime", "s", .number(\.ranging.peerVelocityTime, 1e-2...1000),
      "Correlation time of a moving peer's velocity."),
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
      "ranging.antennaPhaseCenterSigma", "m", .number(\.ranging.antennaPhaseCenterSigma, 0...1),
      "With several antennas, least 1-sigma of the coloured error of each."),
    ConfigurationKey(
      "ranging.foundPeerNoise", "m", .number(\.ranging.foundPeerNoise, 0...1),
      "Least 1-sigma of the coloured error of a found or moving peer."),
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
