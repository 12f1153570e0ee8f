import Datasets
import DatasetsTestSupport
import SensorData
import Testing

/// `range_bias` of a radio, subtracted from every range when it is read, its `range_filter` and its peers' `mobility`.
@Suite struct RangeBiasTests {
  private static func ranges(_ yaml: String, _ rows: [String], _ columns: String = "") throws -> [Double] {
    let fixture = try Fixture()
    try fixture.write(Fixture.radioCalibration, yaml)
    try fixture.write(Fixture.ranges, Fixture.rangeHeader + columns, rows)
    return try fixture.read().ranges.map(\.range)
  }

  @Test func aNumberIsOfEveryRange() throws {
    #expect(try Self.ranges(Fixture.identity + "range_bias: 0.5\n", ["1,a,2", "2,b,3", "3,a,0.25"]) == [1.5, 2.5, 0])
  }

  @Test func peersAndAntennasAdd() throws {
    let yaml =
      "antennas: {\"1\": [0, 0, 0], \"2\": [0.1, 0, 0]}\n"
      + "range_bias: {peers: {a: 0.5, b: -0.25}, antennas: {\"2\": 0.125}}\n"
    #expect(
      try Self.ranges(yaml, ["1,a,2,1", "2,a,2,2", "3,b,2,2", "4,c,2,1"], ",antenna_id []") == [1.5, 1.375, 2.125, 2])
  }

  @Test func itIsInTheCalibration() throws {
    let fixture = try Fixture()
    #expect(try fixture.open().rig.radio?.rangeBias.standardDeviation == nil)
    try fixture.write(Fixture.radioCalibration, Fixture.identity + "range_bias: 0.5\nrange_bias_std: 0.4\n")
    let bias = try #require(try fixture.open().rig.radio?.rangeBias)
    #expect(bias.common == 0.5 && bias.standardDeviation == 0.4)
  }

  @Test(
    arguments: [
      ("", nil), ("range_filter: {mean_of: 10}\n", RangeFilter.mean(count: 10)),
      ("range_filter: {exponential: 0.25}\n", .exponential(weight: 0.25)),
      ("range_filter:\n  lag: 0.4\n", .lag(seconds: 0.4)),
    ] as [(String, RangeFilter?)])
  func filtersAreInTheCalibration(_ yaml: String, _ filter: RangeFilter?) throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.radioCalibration, Fixture.identity + yaml)
    let recording = try fixture.open()
    #expect(recording.rig.radio?.rangeFilter == filter && recording.warnings.isEmpty)
  }

  @Test func whatCarriesThePeersIsInTheCalibration() throws {
    let fixture = try Fixture()
    try fixture.write(
      Fixture.radioCalibration, Fixture.identity + "mobility: {peers: {keys: item, \"7\": person}}\n")
    let recording = try fixture.open()
    #expect(recording.rig.radio?.mobility == ["keys": .item, "7": .person] && recording.warnings.isEmpty)
  }

  @Test(arguments: [
    ("mobility: person\n", "mobility without peers"), ("mobility: {peers: {a: dog}}\n", "mobility of peer 'a': dog"),
    ("range_filter: 10\n", "range_filter without a kind"), ("range_filter: {}\n", "range_filter"),
    ("range_filter: {mean: 10}\n", "range_filter: mean"), ("range_filter: {mean_of: 2.5}\n", "mean_of: 2.5"),
    ("range_filter: {mean_of: 0}\n", "mean_of: '0'"), ("range_filter: {exponential: 2}\n", "exponential: '2'"),
    ("range_filter: {lag: 1, mean_of: 3}\n", "range_filter: lag, mean_of"),
    ("range_bias: long\n", "range_bias: 'long'"), ("range_bias: {peers: {a: long}}\n", "a: 'long'"),
    ("range_bias: {peer: {a: 1}}\n", "key 'peer'"), ("range_bias_std: -1\n", "range_bias_std"),
    ("range_bias: 5000\n", "range_bias: '5000'"), ("range_bias: {peers: 3}\n", "no keys below peers"),
    ("antennas: {\"1\": [0, 0, 0]}\nrange_bias: {antennas: {\"2\": 1}}\n", "antenna '2'"),
  ])
  func faultsAreNamed(_ yaml: String, _ found: String) throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.radioCalibration, Fixture.identity + yaml)
    let error = try #require(throws: DatasetError.self) { _ = try fixture.read() }
    #expect(error.found.contains(found), "\(error)")
  }
}
