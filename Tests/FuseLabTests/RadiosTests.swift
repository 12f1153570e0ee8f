import Testing
import fuse_lab

/// Random radios.
@Suite struct RadiosTests {
  /// That of a number is the one of the recorded figures.
  @Test func aRadioIsAsRecorded() {
    let members = RandomRadio(17).members
    #expect(
      members.map { "\($0.key): \($0.value)" } == [
        "rate_hz: 16.63", "range_noise_std_m: 0.128", "drift_std_m: 0.183",
        "drift_time_s: 1.34", "nlos_share: 0.3", "nlos_dwell_s: 1.45",
        "nlos_excess_m: 0.26", "dropout_share: 0.0", "outlier_share: 0.0",
      ])
  }
}
