import Datasets
import DatasetsTestSupport
import Foundation
import Geometry
import SensorData
import Testing

/// Permitted forms of a table.
@Suite struct TableTests {
  @Test func valuesComeOutAsTheyWentIn() throws {
    let fixture = try Fixture()
    try fixture.write(
      Fixture.imu, Fixture.imuHeader,
      [
        "1403636579758555392,-0.0991347015132779,0.14730578886832138,0.02722713633111154,8.1476917083333333,-0.37592158,-2.4e1"
      ])
    try fixture.write(
      Fixture.ranges,
      "#timestamp [ns],peer_id [],range [m],range_std [m],azimuth [rad],elevation [rad],angle_std [rad],antenna_id [],"
        + "rssi [dBm],first_path_power [dBm],nlos [],technology []",
      ["1403636579758555393,tag é,0,0.1,-0.5,0.25,0.05,,-80.5,-82,0.75,UWB ch9", "1403636579758555394,b,7,,,,,,,,,"])
    let reading = try fixture.read()
    #expect(
      reading.imu == [
        IMUSample(
          timestamp: Timestamp(nanoseconds: 1_403_636_579_758_555_392),
          angularVelocity: Vector3(-0.0991347015132779, 0.14730578886832138, 0.02722713633111154),
          specificForce: Vector3(8.1476917083333333, -0.37592158, -24))
      ])
    #expect(
      reading.ranges == [
        RangeMeasurement(
          timestamp: Timestamp(nanoseconds: 1_403_636_579_758_555_393), peer: "tag é", range: 0,
          standardDeviation: 0.1, azimuth: -0.5, elevation: 0.25, angleStandardDeviation: 0.05, rssi: -80.5,
          firstPathPower: -82, nonLineOfSight: 0.75, technology: "UWB ch9"),
        RangeMeasurement(timestamp: Timestamp(nanoseconds: 1_403_636_579_758_555_394), peer: "b", range: 7),
      ])
  }

  @Test(arguments: [
    "#timestamp [ns],peer_id [],range [m]\n5,a,1.5\n",
    "#timestamp,peer_id,range\n5,a,1.5\n",
    "# timestamp [ns], peer_id [], range [m]\r\n5, a, 1.5\r\n",
    "timestamp[ns] ,peer_id,range [ m ]\n\n5\t, a ,1.5 \n\n",
    "\u{FEFF}#timestamp [ns],peer_id [],range [m]\n5,a,+1.50e0",
    "range [m],#timestamp [ns],peer_id []\n1.5,5,a\n".replacingOccurrences(of: "#", with: ""),
    "#range [m],peer_id [],timestamp [ns]\n1.5,a,5\n",
  ])
  func spellingsOfTheSameTable(text: String) throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.ranges, text)
    #expect(
      try fixture.read().ranges == [RangeMeasurement(timestamp: Timestamp(nanoseconds: 5), peer: "a", range: 1.5)])
    #expect(try fixture.open().warnings == [])
  }

  @Test func otherSpellingsOfAUnitAreTheSameUnit() throws {
    let fixture = try Fixture()
    try fixture.replace(Fixture.imu, "[rad s^-1]", with: "[rad/s]")
    try fixture.replace(Fixture.imu, "[m s^-2]", with: "[m/s^2]")
    #expect(try fixture.read().imu.count == Fixture.rows)
  }

  @Test func unknownColumnsAndKeysAreWarnings() throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.ranges, "#timestamp [ns],peer_id [],range [m],channel []\n5,a,1.5,9\n")
    try fixture.write(Fixture.radioCalibration, Fixture.identity + "vendor: someone\n")
    try fixture.write("mav0/lidar0/data.csv", "")
    let recording = try fixture.open()
    let root = fixture.folder.path
    #expect(
      recording.warnings == [
        "\(root)/mav0/lidar0 is not known and not used",
        "\(root)/mav0/uwb0/sensor.yaml:2: key 'vendor' is not known and not used",
        "\(root)/mav0/uwb0/data.csv:1: column 'channel' is not known and not used",
      ])
    #expect(try fixture.read().ranges.count == 1)
  }

  @Test func odometryIsRenormalised() throws {
    let fixture = try Fixture()
    try fixture.addOdometry()
    try fixture.write(Fixture.odometry, Fixture.poseHeader, ["5,1,2,3,0.995,0,0,0", "6,1,2,3,0,0,-1.005,0"])
    let reading = try fixture.read(ReadingOptions(usesOdometry: true))
    #expect(reading.poses.map(\.worldFromSensor.rotation) == [.identity, Rotation(w: 0, x: 0, y: -1, z: 0)])
    #expect(reading.poses[0].worldFromSensor.translation == Vector3(1, 2, 3))
  }

  @Test func eventsAreAnOpenList() throws {
    let fixture = try Fixture()
    try fixture.write(
      "mav0/events0/data.csv", "#timestamp [ns],event [],peer_id []\n5,suspend,\n5,peerEnded,tag-1\n6,dance,\n")
    let events = try fixture.read().device
    #expect(events.map(\.name) == ["suspend", "peerEnded", "dance"])
    #expect(events.map(\.peer) == [nil, "tag-1", nil])
    #expect(try fixture.open().firstTimestamp == Timestamp(nanoseconds: Fixture.start), "events are no sensor")
  }

  @Test func rowsInOrderOfArrival() throws {
    let fixture = try Fixture()
    try fixture.write(
      Fixture.ranges,
      "#timestamp [ns],arrival [ns],peer_id [],range [m]\n10,20,a,1\n30,30,a,2\n20,31,a,3\n10,40,b,4\n40,45,a,5\n")
    let events = try fixture.read().events.filter { if case .range = $0.event { true } else { false } }
    #expect(events.map(\.event.timestamp.nanoseconds) == [10, 30, 20, 10, 40])
    #expect(events.map(\.arrival.nanoseconds) == [20, 30, 31, 40, 45])
    try fixture.write(
      Fixture.ranges, "#timestamp [ns],arrival [ns],peer_id [],range [m]\n10,20,a,1\n30,30,a,2\n10,40,a,4\n")
    #expect(try fixture.read().counts(Fixture.ranges) == [.duplicate: 1])
    let late = try #require(throws: DatasetError.self) { _ = try fixture.read(ReadingOptions(strict: true)) }
    #expect(late.line == 4 && late.found.contains("second row"), "late data can be a duplicate too")
    try fixture.write(
      Fixture.ranges, "#timestamp [ns],arrival [ns],peer_id [],range [m]\n10,20,a,1\n15,19,a,2\n")
    let back = try #require(throws: DatasetError.self) { _ = try fixture.read(ReadingOptions(strict: true)) }
    #expect(back.line == 3 && back.expected == "rows in order of arrival")
  }

  @Test func rangesOfOneTimeDifferByPeerOrAntenna() throws {
    let fixture = try Fixture()
    try fixture.write(Fixture.radioCalibration, "antennas: {\"1\": [0, 0, 0], \"2\": [0.1, 0, 0]}\n")
    try fixture.write(Fixture.ranges, Fixture.rangeHeader + ",antenna_id []\n5,a,1,1\n5,a,1,2\n5,b,1,1\n")
    #expect(try fixture.read().ranges.count == 3)
    try fixture.write(Fixture.ranges, Fixture.rangeHeader + ",antenna_id []\n5,a,1,1\n5,a,1,2\n5,a,1,1\n")
    #expect(try fixture.read().counts(Fixture.ranges) == [.duplicate: 1])
  }
}
