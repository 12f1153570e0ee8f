import Estimator
import Ranging

/// The settings of a finder. The defaults serve every radio and hand; each says its unit.
public struct FinderConfiguration: Equatable, Sendable {
  /// How long an event may arrive late and still be put in its place, seconds.
  public var reorderWindow = 0.05
  /// Spacing of the regular updates, seconds of event time.
  public var updateInterval = 0.1
  /// How well the device's axes are known, 1-sigma, degrees: what a calibration leaves, and no number of ranges averages out. A
  /// device whose axes nobody calibrated wants 0.7 or more: screen, IMU and antennas disagree by about that.
  public var axesUncertaintyDegrees = 0.2
  /// Largest 90 % half-width of a published horizontal angle, degrees.
  public var angleHalfWidthDegrees = 15.0
  /// Largest share of the posterior that may lie over 45 degrees away from a published angle.
  public var maxProbabilityBeyond45Degrees = 0.01
  /// Largest share that may lie over 20 degrees away when converged, and over `positionLimit` from a published position.
  public var maxProbabilityBeyond20Degrees = 0.001
  /// By how much a published position may be off, metres: a degree is much, far away.
  public var positionLimit = 1.5
  /// Largest 90 % cone of a published direction, degrees.
  public var directionConeDegrees = 15.0
  /// Within this height the peer is on our level, metres.
  public var sameLevelHeight = 1.2
  /// Within this elevation the peer is on our level, degrees.
  public var sameLevelElevationDegrees = 10.0
  /// Probability at which a vertical class is named.
  public var verticalDecision = 0.95
  /// Probability below which a named class is dropped.
  public var verticalDrop = 0.90
  /// 1-sigma of the best known axis of the direction (a sine) above which nothing counts as informed.
  public var directionSineSigmaLimit = 0.12
  /// No usable range for this long: drifting, seconds.
  public var rangeTimeout = 1.0
  /// Received power (the first path's, where the radio tells it) below which a link is weak, dBm. At -93 a DW1000 loses one packet in a
  /// hundred at the 6.8 Mb/s that phones range at (channel 5, per 500 MHz; -101 at 850 kb/s, where a DW3000 has -100), as the makers' data
  /// sheets are quoted; they were not at hand.
  public var weakPower = -93.0
  /// Mean luma below which a camera that sees too little is in the dark, 0...1; what sees enough is not.
  public var darkLuma = 0.06
  /// Fewer tracked features than this tell nothing.
  public var fewFeatures = 8
  /// The camera must fail this long before lighting is a reason, seconds.
  public var darkDelay = 0.5
  /// A peer becomes a state of the filter when its direction is known to this 90 % cone, degrees.
  public var handOverConeDegrees = 6.0
  /// ... and after this many ranges.
  public var handOverRanges = 30
  /// The hypotheses are opened anew when the last ranges, taken alone, are this much better logPredictiveDensity than by what is believed:
  /// natural logarithm of the odds. Were the models of a radio's errors right, 10 would do; errors that last longer than they think
  /// add up to more on real radios (docs/estimator.md).
  public var restartLogOdds = 25.0
  /// A peer that stood is taken to walk when the latest ranges are this much better logPredictiveDensity so, natural logarithm of the odds. What
  /// is looked for is carried off once in five minutes, and every third of a second may be that moment: at 7, half of this, it is as
  /// likely as not. Errors that last longer than the models think pass for isMoving, so the other half is reserve (docs/estimator.md).
  public var movingLogOdds = 14.0
  /// Probability beforehand that a peer isMoving when the search for it begins: six seconds of five minutes.
  public var movingPrior = 0.02
  /// One that isMoving is taken to stand again at these odds: who isMoving stops after some six seconds.
  public var stoppedLogOdds = 3.0
  /// A radio is taken to err more than before with these odds against it every third of a second: once in some seventy seconds of moving
  /// about, natural logarithm.
  public var noiseIncreaseLogOdds = 5.5
  /// Probability beforehand that the angles of arrival of a link mean something else than the recording says: an array that sits otherwise, another
  /// sign, a reflector. Until the ranges of a device that moves have borne them out, so much of the posterior is what the ranges say by themselves.
  public var aoaInvalidPrior = 0.01
  /// By how much the drift of another tracker during a search is taken for larger than its recording states, a ratio: wheels slip and optical flow misses the
  /// ground, in spells, which over minutes add up to what is stated.
  public var odometryDriftScale = 1.5
  /// How fast a hand that was not quiet may have moved before the trajectory began, m/s.
  public var handSpeedSigma = 0.5
  /// What of the camera's calibration is estimated on the way.
  public var calibration = CalibrationConfiguration()
  /// Rings around peers of which the updates' details tell.
  public var zones = ZoneConfiguration()
  /// What is assumed of a link.
  public var ranging = RangingConfiguration()

  /// The defaults.
  public init() {}
}
