import Estimator
import Ranging
import SensorData

/// The settings of a finder. The defaults serve every radio and hand; each states its unit.
public struct FinderConfiguration: Equatable, Sendable {
  /// Whether the premises of the set-up (units, axes, mounts, lenses, clocks, conventions) are tested against the data, and what is
  /// refuted withdraws what rests on it: docs/diagnoses.md.
  public var watchesPremises = true
  /// Whether the features' noise is learnt from the images where it exceeds the stated `pixel_noise_sigma`. Off: where half of
  /// the tracks slide it takes them for noise (docs/decisions/0036-images-tell-their-noise.md).
  public var learnsPixelNoise = false
  /// How late an event may arrive and still be put in order, seconds.
  public var reorderWindow = 0.05
  /// Spacing of the regular updates, seconds of event time.
  public var updateInterval = 0.1
  /// Uncertainty of the device's axes, 1-sigma, degrees: the residual of a calibration, which no number of ranges
  /// averages out. An uncalibrated device wants 0.7 or more: screen, IMU and antennas disagree by about that.
  public var axesUncertaintyDegrees = 0.2
  /// Largest 90 % half-width of a published horizontal angle, degrees.
  public var angleHalfWidthDegrees = 15.0
  /// Largest probability that may lie over 45 degrees away from a published angle.
  public var maxProbabilityBeyond45Degrees = 0.01
  /// Largest probability that may lie over 20 degrees away when converged: its measured risk is below what users are promised (docs/experiments/publication.md).
  public var maxProbabilityBeyond20Degrees = 0.005
  /// Largest probability that may lie beyond the largest error of a published position; and that the angles of arrival of a peer that joins the
  /// trajectory filter are inconsistent.
  public var maxProbabilityBeyondPositionLimit = 0.001
  /// Largest error of a published position, metres.
  public var positionLimit = 1.5
  /// The same as a share of the distance; the larger of both counts: no radio promises a fixed length at any distance.
  public var positionLimitShare = 0.25
  /// Largest 90 % cone of a published direction, degrees.
  public var directionConeDegrees = 15.0
  /// Vertical distance within which the peer is on the same level, metres.
  public var sameLevelHeight = 1.2
  /// Elevation within which the peer is on the same level, degrees.
  public var sameLevelElevationDegrees = 10.0
  /// Probability at which a vertical class is named.
  public var verticalDecision = 0.95
  /// Probability below which a named class is dropped.
  public var verticalDrop = 0.90
  /// 1-sigma of the best known axis of the direction (a sine) above which no axis counts as observed.
  public var directionSineSigmaLimit = 0.12
  /// Without a usable range for this long the quality is drifting, seconds.
  public var rangeTimeout = 1.0
  /// Received power (the first path's, where the radio reports it) below which a link is weak, dBm. At -93 a DW1000
  /// loses one packet in a hundred at the 6.8 Mb/s that phones range at (channel 5, per 500 MHz; -101 at 850 kb/s,
  /// where a DW3000 has -100), as the makers' data sheets are quoted; they were not at hand.
  public var weakPower = -93.0
  /// Mean luma below which a camera with too few features is in the dark, 0...1.
  public var darkLuma = 0.06
  /// Frames with fewer tracked features than this are not usable.
  public var fewFeatures = 8
  /// The camera must fail this long before lighting is a reason, seconds.
  public var darkDelay = 0.5
  /// The search restarts at this log likelihood ratio of the range-only model against the incumbent over the latest
  /// ranges. With exact noise models 10 would do; errors of real radios last longer than modelled and add up
  /// (docs/experiments/restart.md).
  public var restartLogOdds = 25.0
  /// A stationary peer is taken to move at this log likelihood ratio. Motion starts once in five minutes and is tested
  /// every third of a second: at 7, half of this, it is as likely as not. Radio errors that last longer than modelled
  /// pass for motion; the other half is the margin for them (docs/experiments/moving-peer.md).
  public var movingLogOdds = 14.0
  /// Prior probability that a peer is moving when its search starts. Of an item (`Mobility`) it is a fifth: six seconds of five minutes.
  public var movingPrior = 0.1
  /// The same of a person, and the log likelihood ratios at which one is taken to move, and to be stationary again, in the place of
  /// `movingLogOdds` and `stoppedLogOdds`: a person that walks and rests for some seconds each sets off within a given third of a second once in thirty.
  public var personMovingPrior = 0.9, personMovingLogOdds = 7.0, personStoppedLogOdds = 5.0
  /// A moving peer is taken to be stationary again at this log likelihood ratio: a motion lasts some six seconds.
  public var stoppedLogOdds = 3.0
  /// Log odds against an increase of a radio's noise every third of a second: one in some seventy seconds of moving
  /// about.
  public var noiseIncreaseLogOdds = 5.5
  /// Prior probability that the AoA of a link are inconsistent: a misplaced array, another sign, a reflector. Until the
  /// ranges of a moving device have confirmed them, the filter without AoA keeps this weight in the posterior.
  public var aoaInvalidPrior = 0.01
  /// Factor on the stated drift of another tracker during a search: wheels slip and optical flow loses the ground for
  /// intervals, which over minutes add up to the stated drift.
  public var odometryDriftScale = 1.5
  /// 1-sigma of the speed before the trajectory started of a hand that was not nearly still, m/s.
  public var handSpeedSigma = 0.5
  /// Which parts of the camera's calibration are estimated online.
  public var calibration = CalibrationConfiguration()
  /// Rings around peers that the updates' details report.
  public var zones = ZoneConfiguration()
  /// The models of a link.
  public var ranging = RangingConfiguration()

  /// The defaults.
  public init() {}

  /// The same for a peer of which it is known what carries it.
  func stating(_ mobility: Mobility?) -> FinderConfiguration {
    var copy = self
    switch mobility {
    case nil: break
    case .item: copy.movingPrior /= 5
    case .person:
      (copy.movingPrior, copy.movingLogOdds, copy.stoppedLogOdds) = (
        personMovingPrior, personMovingLogOdds, personStoppedLogOdds
      )
    }
    return copy
  }
}
