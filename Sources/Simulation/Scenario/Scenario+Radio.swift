import Geometry
import SensorData

extension Scenario {
  /// The UWB radio and its errors.
  package struct Radio: Equatable, Sendable {
    /// Ranges per second and peer.
    package var rate = 10.0
    /// White noise, metres.
    package var rangeNoise = 0.08
    /// Standard deviation of the drift, a first-order Gauss-Markov process, metres.
    package var driftDeviation = 0.05
    /// Its correlation time, seconds.
    package var driftTime = 1.0
    /// Standard deviation of the error that is bound to the pose, metres.
    package var multipathDeviation = 0.0
    /// Distance of two antenna places, metres, and angle between two attitudes, radians, at which this error correlates by
    /// e^(-1/2) = 0.61; angle nil: the attitude does not matter.
    package var multipathLength = 0.3
    package var multipathAngle: Double?
    /// Standard deviation of an antenna's pattern, the error that depends on the peer's direction in device axes, metres,
    /// and the highest degree of its spherical functions.
    package var patternDeviation = 0.0
    package var patternDegree = 3
    /// Excess behind the person who holds the device; nil: none.
    package var shadow: BodyShadow?
    /// Fraction of time in NLOS, in addition to walls and body.
    package var nlosShare = 0.05
    /// Mean length of an NLOS interval, seconds.
    package var nlosDwell = 0.5
    /// Mean NLOS bias, metres: exponential, constant within an interval.
    package var nlosBias = 0.5
    /// Additional NLOS intervals, seconds; the bias of each is drawn from the same distribution.
    package var nlosIntervals: [ClosedRange<Double>] = []
    /// How the radio smooths the ranges of each link and antenna before it reports them, nil: not at all, and whether the
    /// recording states it.
    package var filter: RangeFilter?
    package var statesFilter = false
    /// Probability that a range never arrives, independently.
    package var dropoutShare = 0.02
    /// Fraction of time without any range, in intervals.
    package var silentShare = 0.0
    /// Mean length of such an interval, seconds.
    package var silentDwell = 1.0
    /// Probability of an outlier.
    package var outlierShare = 0.005
    /// Outlier errors are uniform within plus or minus this, metres.
    package var outlierSize = 4.0
    /// 1-sigma stated by the radio, metres; nil: the true total of noise and drift.
    package var claimedDeviation: Double?
    /// Distance beyond which nothing arrives, metres.
    package var reach: Double?
    /// Angle off the back camera's direction beyond which nothing arrives, radians.
    package var cone: Double?
    /// Angles of arrival (AoA); nil: not measured.
    package var angles: Angles?
    /// Received power; nil: not reported.
    package var power: Power?
    /// Probability that the radio's reported LOS/NLOS state is wrong; nil: not reported.
    package var nlosReportErrorShare: Double?
    /// Least delay from a range to its arrival, seconds.
    package var latency = 0.0
    /// Mean of the further, exponentially distributed delay, seconds.
    package var latencyJitter = 0.0
    /// Antennas in the body (device axes), metres, by id; used in rotation.
    package var antennas = ["": Vector3(-0.02, 0.065, 0)]

    /// Fraction of the drift's variance that is common to all antennas, 0...1.
    package var driftCommonShare = 0.5
    /// Standard deviation of each antenna's own bias, metres.
    package var antennaBias = 0.0

    /// A phone's radio.
    package init() {}

    /// The 1-sigma stated in the recording.
    var statedDeviation: Double {
      claimedDeviation ?? (rangeNoise * rangeNoise + driftDeviation * driftDeviation).squareRoot()
    }
  }

  /// The radio's calibration as a recording states it.
  var radioCalibration: RadioCalibration {
    RadioCalibration(
      antennas: radio.antennas, rangeNoise: radio.statedDeviation, rate: radio.rate,
      rangeFilter: radio.statesFilter ? radio.filter : nil,
      mobility: peers.reduce(into: [:]) { stated, peer in stated[peer.id] = peer.mobility })
  }

  /// Measurement of angles of arrival.
  package struct Angles: Equatable, Sendable {
    /// White noise of azimuth and elevation straight ahead, radians.
    package var noise: Double
    /// Half the width of the angular field in which angles are measured, radians.
    package var reach = Angle.degrees(60)
    /// Whether the antennas lie in one plane: a peer behind it then yields the angles of its reflection in front of it,
    /// and the noise grows towards the plane.
    package var isPlanar = false
    /// Rotation of the array to the right of its stated mount, radians: azimuths are too small by this.
    package var yawOffset = 0.0
    /// 1-sigma of the AoA bias, radians: one constant for all azimuths of the device and one for all elevations, from
    /// the array's mount and its phase calibration.
    package var offset = 0.0
    /// Whether azimuths have the wrong sign, positive to the left.
    package var isReflected = false

    /// AoA with this white noise, radians.
    package init(noise: Double) { self.noise = noise }
  }

  /// Reported received power.
  package struct Power: Equatable, Sendable {
    /// At one metre in free space, dBm.
    package var atOneMetre: Double
    /// White noise, dB.
    package var noise = 1.0
    /// Loss of the first path in NLOS, dB.
    package var firstPathLoss = 10.0
    /// Loss of all paths together in NLOS, dB.
    package var totalLoss = 4.0

    /// Power with this value at one metre, dBm.
    package init(atOneMetre: Double) { self.atOneMetre = atOneMetre }
  }
}
