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
    var outlierSize = 4.0
    /// 1-sigma stated by the radio, metres; nil: the true total of noise and drift.
    private var claimedDeviation: Double?
    /// 1-sigma of the constant biases that the recording states, metres, as of a calibrated radio; nil: none.
    package var claimedBiasDeviation: Double?
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
      rangeBias: RangeBias(standardDeviation: radio.claimedBiasDeviation),
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
    var isPlanar = false
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
    var firstPathLoss = 10.0
    /// Loss of all paths together in NLOS, dB.
    var totalLoss = 4.0

    /// Power with this value at one metre, dBm.
    package init(atOneMetre: Double) { self.atOneMetre = atOneMetre }
  }
}

extension Scenario.Radio {
  func read(_ f: inout Fields) throws(ScenarioError) -> Self {
    var radio = self
    try f.number("rate_hz", 0.1...200).map { radio.rate = $0 }
    try f.number("range_noise_std_m", 0...10).map { radio.rangeNoise = $0 }
    try f.number("drift_std_m", 0...10).map { radio.driftDeviation = $0 }
    try f.number("drift_time_s", 0.01...1000).map { radio.driftTime = $0 }
    try f.number("multipath_std_m", 0...10).map { radio.multipathDeviation = $0 }
    try f.number("multipath_length_m", 0.01...100).map { radio.multipathLength = $0 }
    try f.number("multipath_angle_deg", 1...1000).map { radio.multipathAngle = Angle.degrees($0) }
    try f.number("antenna_pattern_std_m", 0...10).map { radio.patternDeviation = $0 }
    try f.integer("antenna_pattern_degree", 1...12).map { radio.patternDegree = $0 }
    radio.shadow = try Scenario.BodyShadow(&f)
    try f.number("nlos_share", 0...0.95).map { radio.nlosShare = $0 }
    try f.number("nlos_dwell_s", 0.01...1000).map { radio.nlosDwell = $0 }
    try f.number("nlos_excess_m", 0...50).map { radio.nlosBias = $0 }
    try f.timeIntervals("nlos_spells").map { radio.nlosIntervals = $0 }
    try f.number("dropout_share", 0...1).map { radio.dropoutShare = $0 }
    try f.number("silent_share", 0...0.95).map { radio.silentShare = $0 }
    try f.number("silent_dwell_s", 0.01...1000).map { radio.silentDwell = $0 }
    try f.number("outlier_share", 0...1).map { radio.outlierShare = $0 }
    try f.number("outlier_size_m", 0...100).map { radio.outlierSize = $0 }
    try f.number("claimed_range_std_m", 0.001...10).map { radio.claimedDeviation = $0 }
    try f.number("claimed_bias_std_m", 0.001...100).map { radio.claimedBiasDeviation = $0 }
    try f.number("max_range_m", 0.1...1000).map { radio.reach = $0 }
    try f.number("range_reach_deg", 1...180).map { radio.cone = Angle.degrees($0) }
    radio.angles = try Scenario.Angles(&f)
    radio.power = try Scenario.Power(&f)
    try f.number("nlos_guess_error_share", 0...1).map { radio.nlosReportErrorShare = $0 }
    try f.number("latency_s", 0...2).map { radio.latency = $0 }
    try f.number("latency_jitter_s", 0...2).map { radio.latencyJitter = $0 }
    if let antennas = try f.vectors("antennas_m", -2...2) {
      guard !antennas.isEmpty else { throw f.refuse("antennas_m", "a radio has an antenna") }
      guard antennas.keys.allSatisfy(Fields.isName) else {
        throw f.refuse("antennas_m", "a comma, a quotation mark or a line break cannot stand in a column")
      }
      radio.antennas = antennas
    }
    radio.filter = try f.section("range_filter") { f throws(ScenarioError) in try RangeFilter(&f) }
    try f.flag("range_filter_stated").map { radio.statesFilter = $0 }
    guard radio.filter != nil || !radio.statesFilter else { throw f.missing("range_filter") }
    try f.number("drift_common_share", 0...1).map { radio.driftCommonShare = $0 }
    try f.number("antenna_bias_std_m", 0...10).map { radio.antennaBias = $0 }
    return radio
  }
}

extension Scenario.Angles {
  /// Nil without `angle_noise_std_deg`, which the other keys require.
  fileprivate init?(_ f: inout Fields) throws(ScenarioError) {
    let noise = try f.number("angle_noise_std_deg", 0.001...90)
    let reach = try f.number("angle_reach_deg", 1...90)
    let isPlanar = try f.flag("angle_array_planar")
    let yawOffset = try f.number("angle_turned_deg", -180...180)
    let offset = try f.number("angle_offset_std_deg", 0...90)
    let isReflected = try f.flag("angle_mirrored")
    guard let noise else {
      guard reach == nil, isPlanar == nil, yawOffset == nil, offset == nil, isReflected == nil else {
        throw f.missing("angle_noise_std_deg")
      }
      return nil
    }
    self.init(noise: Angle.degrees(noise))
    reach.map { self.reach = Angle.degrees($0) }
    isPlanar.map { self.isPlanar = $0 }
    yawOffset.map { self.yawOffset = Angle.degrees($0) }
    offset.map { self.offset = Angle.degrees($0) }
    isReflected.map { self.isReflected = $0 }
  }
}

extension RangeFilter {
  /// One kind, in the keys of `uwb0/sensor.yaml`.
  fileprivate init(_ f: inout Fields) throws(ScenarioError) {
    let count = try f.integer("mean_of", 1...1000)
    let weight = try f.number("exponential", 0.001...1)
    let lag = try f.number("lag", 0...10)
    let kinds: [RangeFilter] = [
      count.map { .mean(count: $0) }, weight.map { .exponential(weight: $0) }, lag.map { .lag(seconds: $0) },
    ].compactMap { $0 }
    guard kinds.count == 1 else { throw f.missing("mean_of, exponential or lag") }
    self = kinds[0]
  }
}

extension Scenario.Power {
  /// Nil without `power_at_1m_dbm`, which the other keys require.
  fileprivate init?(_ f: inout Fields) throws(ScenarioError) {
    let strength = try f.number("power_at_1m_dbm", -120...0)
    let noise = try f.number("power_noise_std_db", 0...20)
    let firstPath = try f.number("nlos_first_path_loss_db", 0...60)
    let total = try f.number("nlos_power_loss_db", 0...60)
    guard let strength else {
      guard noise == nil, firstPath == nil, total == nil else { throw f.missing("power_at_1m_dbm") }
      return nil
    }
    self.init(atOneMetre: strength)
    noise.map { self.noise = $0 }
    firstPath.map { firstPathLoss = $0 }
    total.map { totalLoss = $0 }
  }
}
