import Geometry
import SensorData

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
