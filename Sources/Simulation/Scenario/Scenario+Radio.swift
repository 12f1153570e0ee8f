import Geometry

extension Scenario {
  /// The UWB radio and its errors.
  package struct Radio: Equatable, Sendable {
    /// Ranges per second and peer.
    package var rate = 10.0
    /// White noise, metres.
    package var rangeNoise = 0.08
    /// Standard deviation of the slowly wandering (Gauss-Markov) error, metres.
    package var driftDeviation = 0.05
    /// Its correlation time, seconds.
    package var driftTime = 1.0
    /// Share of the time without line of sight, on top of what walls and the body block.
    package var nlosShare = 0.05
    /// Mean length of a blocked spell, seconds.
    package var nlosDwell = 0.5
    /// Mean excess of a blocked spell, metres: exponential, one-sided.
    package var nlosBias = 0.5
    /// Spells without line of sight besides, seconds; each has one excess, drawn like those.
    package var nlosIntervals: [ClosedRange<Double>] = []
    /// Share of ranges that never arrive, each for itself.
    package var dropoutShare = 0.02
    /// Share of the time in which no range arrives, in spells.
    package var silentShare = 0.0
    /// Mean length of such a spell, seconds.
    package var silentDwell = 1.0
    /// Share of gross errors.
    package var outlierShare = 0.005
    /// Largest gross error to either side, metres.
    package var outlierSize = 4.0
    /// What the radio claims its 1-sigma is, metres; nil: the true total of noise and drift.
    package var claimedDeviation: Double?
    /// Distance beyond which nothing arrives, metres.
    package var reach: Double?
    /// Angle off the back camera's direction beyond which nothing arrives, radians.
    package var cone: Double?
    /// Angles of arrival; nil: the radio measures none.
    package var angles: Angles?
    /// Received power; nil: the radio tells none.
    package var power: Power?
    /// The radio guesses whether the sight is blocked, wrongly with this share; nil: it does not guess.
    package var guessErrorShare: Double?
    /// Seconds from a range to the moment at which it is known, at least.
    package var latency = 0.0
    /// Mean of the further, exponentially distributed delay, seconds.
    package var latencyJitter = 0.0
    /// Antennas in the body (device axes), metres, by id; they take turns.
    package var antennas = ["": Vector3(-0.02, 0.065, 0)]

    /// Share of the wandering error's variance that all antennas have in common, 0...1.
    package var driftCommonShare = 0.5
    /// Standard deviation of the constant error that each antenna has for itself, metres.
    package var antennaBias = 0.0

    /// A phone's radio.
    package init() {}

    /// The 1-sigma that stands in the recording.
    var statedDeviation: Double {
      claimedDeviation ?? (rangeNoise * rangeNoise + driftDeviation * driftDeviation).squareRoot()
    }
  }

  /// How angles of arrival are measured.
  package struct Angles: Equatable, Sendable {
    /// White noise of azimuth and elevation straight ahead, radians.
    package var noise: Double
    /// Half the width of the field in which angles are measured, radians.
    package var reach = Angle.degrees(60)
    /// Whether the antennas lie in one plane: then a peer behind it looks like its mirror image before it, and the noise
    /// grows towards the plane.
    package var isPlanar = false
    /// By how much the array sits turned to the right of where the recording says it sits, radians: azimuths are too small by that.
    package var turned = 0.0
    /// 1-sigma of what all azimuths of the device, and all elevations, err by alike, whatever the peer, radians: how the array sits, how its
    /// phases were calibrated.
    package var offset = 0.0
    /// Whether azimuths count the wrong way, to the left.
    package var isReflected = false

    /// Angles with this white noise, radians.
    package init(noise: Double) { self.noise = noise }
  }

  /// How received power is told.
  package struct Power: Equatable, Sendable {
    /// At one metre in free space, dBm.
    package var atOneMetre: Double
    /// White noise, dB.
    package var noise = 1.0
    /// What a blocked first path loses, dB.
    package var firstPathLoss = 10.0
    /// What all paths together lose when the first is blocked, dB.
    package var totalLoss = 4.0

    /// Power as of a transmitter that is this strong at one metre, dBm.
    package init(atOneMetre: Double) { self.atOneMetre = atOneMetre }
  }
}
