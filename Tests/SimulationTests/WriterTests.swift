import Datasets
import Foundation
import Geometry
import SensorData
import Simulation
import TestSupport
import Testing

@Suite struct WriterTests {
  private static func text(_ files: [String: [UInt8]], _ name: String) throws -> [Substring] {
    String(decoding: try #require(files[name]), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static let stamp = "#timestamp [ns]"

  /// The headers are exactly those of the format.
  @Test func headersAreThoseOfTheContract() throws {
    var scenario = try Scenario.named("two-peers")
    scenario.odometry = Scenario.Odometry()
    scenario.radio.antennas = ["left": Vector3(-0.03, 0.06, 0), "right": Vector3(0.03, 0.06, 0)]
    let files = try DatasetWriter.files(try Simulator(scenario: scenario, seed: 1).recording())
    #expect(
      files.keys.sorted() == [
        "dataset.yaml", "mav0/cam0/features.csv", "mav0/cam0/frames.csv", "mav0/cam0/sensor.yaml", "mav0/imu0/data.csv",
        "mav0/imu0/sensor.yaml", "mav0/odometry0/data.csv", "mav0/odometry0/sensor.yaml",
        "mav0/peers_groundtruth0/data.csv", "mav0/state_groundtruth_estimate0/data.csv", "mav0/uwb0/data.csv",
        "mav0/uwb0/sensor.yaml",
      ])
    let pose = ",p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []"
    let headers = [
      "mav0/imu0/data.csv":
        ",w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]",
      "mav0/cam0/features.csv": ",feature_id [],u [px],v [px]",
      "mav0/cam0/frames.csv": ",mean_luma []",
      "mav0/uwb0/data.csv": ",peer_id [],range [m],range_std [m],antenna_id []",
      "mav0/odometry0/data.csv": pose,
      "mav0/peers_groundtruth0/data.csv": ",peer_id [],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m]",
      "mav0/state_groundtruth_estimate0/data.csv": pose
        + ",v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1],b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad s^-1],b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]",
    ]
    for (name, header) in headers {
      let lines = try Self.text(files, name)
      #expect(lines[0] == Self.stamp + header)
      #expect(lines.last == "", "\(name) ends with a line break")
      let columns = header.split(separator: ",").count + 1
      var last: Int64 = 0
      for line in lines.dropFirst().dropLast() {
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        let time = try #require(Int64(cells[0]))
        #expect(cells.count == columns && time >= last && time >= 1_700_000_000_000_000_000)
        last = time
      }
    }
    let radio = String(decoding: files["mav0/uwb0/sensor.yaml"]!, as: UTF8.self)
    #expect(radio.contains("antennas:\n  \"left\": [-0.03, 0.06, 0.0]\n  \"right\": [0.03, 0.06, 0.0]\n"))
  }

  @Test func writtenSamplesAreTheMeasuredOnes() throws {
    let recording = try Simulator(scenario: Scenario.named("still"), seed: 4).recording()
    let lines = try Self.text(DatasetWriter.files(recording), "mav0/imu0/data.csv").dropFirst().dropLast()
    let samples = recording.events.compactMap { if case .imu(let sample) = $0.event { sample } else { nil } }
    #expect(lines.count == samples.count)
    for (line, sample) in zip(lines, samples) {
      let cells = line.split(separator: ",")
      #expect(Int64(cells[0]) == sample.timestamp.nanoseconds)
      for k in 0..<3 {
        #expect(abs(Double(cells[1 + k])! - sample.angularVelocity[k]) <= 0.51e-7)
        #expect(abs(Double(cells[4 + k])! - sample.specificForce[k]) <= 0.51e-6)
      }
    }
  }

  @Test func sameSeedSameBytesAndOtherSeedOtherBytes() throws {
    let scenario = try Scenario.named("dark")
    let once = try DatasetWriter.files(Simulator(scenario: scenario, seed: 7).recording())
    let again = try DatasetWriter.files(Simulator(scenario: scenario, seed: 7).recording())
    let other = try DatasetWriter.files(Simulator(scenario: scenario, seed: 8).recording())
    #expect(once == again)
    #expect(once["mav0/uwb0/data.csv"] != other["mav0/uwb0/data.csv"])
    #expect(once["mav0/imu0/data.csv"] != other["mav0/imu0/data.csv"])
    // The settings of one sensor do not change the others' numbers.
    var lowerNoise = scenario
    lowerNoise.radio.rangeNoise = 0.01
    lowerNoise.camera!.tracks = 10
    let changed = try DatasetWriter.files(Simulator(scenario: lowerNoise, seed: 7).recording())
    #expect(changed["mav0/imu0/data.csv"] == once["mav0/imu0/data.csv"])
    #expect(changed["mav0/state_groundtruth_estimate0/data.csv"] == once["mav0/state_groundtruth_estimate0/data.csv"])
    #expect(changed["mav0/uwb0/data.csv"] != once["mav0/uwb0/data.csv"])
  }

  @Test func anExistingFolderLosesOnlyTheWritersOwnFiles() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-writer-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    var scenario = try Scenario.named("still")
    scenario.motion = [.motion(.hold(duration: 1))]
    scenario.odometry = Scenario.Odometry()
    try DatasetWriter(folder: folder).write(Simulator(scenario: scenario, seed: 1).recording())
    let notes = folder.appendingPathComponent("mav0/odometry0/notes.txt")
    try Data("mine".utf8).write(to: notes)
    scenario.odometry = nil
    let recording = try Simulator(scenario: scenario, seed: 2).recording()
    try DatasetWriter(folder: folder).write(recording)
    #expect(FileManager.default.contents(atPath: notes.path) == Data("mine".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("mav0/odometry0/data.csv").path))
    for (name, bytes) in try DatasetWriter.files(recording) {
      #expect(FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) == Data(bytes))
    }
    let file = folder.appendingPathComponent("dataset.yaml")
    #expect(throws: OutputError.self) { try DatasetWriter(folder: file).write(recording) }
  }

  @Test func nonFiniteNumbersAreRefusedWithFileAndLine() throws {
    let start = Simulator.start
    func contents(_ events: [SensorEvent]) -> DatasetContents {
      DatasetContents(
        title: "t", source: "s", licence: "l", note: "n", rig: RigCalibration(), events: events.map { TimedEvent($0) },
        truth: [], peers: [])
    }
    let good = SensorEvent.range(RangeMeasurement(timestamp: start, peer: "a", range: 2))
    for value in [Double.nan, .infinity, -.infinity, 1e300] {
      let bad = SensorEvent.range(RangeMeasurement(timestamp: start, peer: "b", range: value))
      let error = #expect(throws: DatasetWritingError.self) { try DatasetWriter.files(contents([good, bad])) }
      #expect(error?.description.hasPrefix("mav0/uwb0/data.csv:3:") == true)
    }
  }

  @Test func lateEventsGetAnArrivalColumnAndNumbersTheirDecimals() throws {
    let start = Simulator.start
    let ranges = [0.0, -0.00004, 12.34566, 1234.5].enumerated().map { k, value in
      RangeMeasurement(
        timestamp: start.advanced(byNanoseconds: Int64(k)), peer: "a", range: value, rssi: k == 1 ? -71.5 : nil)
    }
    let events = ranges.map { TimedEvent(.range($0), arrival: start.advanced(byNanoseconds: 9)) }
    let contents = DatasetContents(
      title: "t", source: "s", licence: "l", note: "n", rig: RigCalibration(), events: events, truth: [], peers: [])
    let lines = try Self.text(DatasetWriter.files(contents), "mav0/uwb0/data.csv")
    #expect(
      lines == [
        "#timestamp [ns],peer_id [],range [m],rssi [dBm],arrival [ns]",
        "1700000000000000000,a,0.0000,,1700000000000000009",
        "1700000000000000001,a,0.0000,-71.5000,1700000000000000009",
        "1700000000000000002,a,12.3457,,1700000000000000009", "1700000000000000003,a,1234.5000,,1700000000000000009",
        "",
      ])
  }

  private static let shipped = [
    "demo", "still", "straight", "arc", "arc-above", "search", "two-peers", "nlos", "dark", "approach", "moving",
    "arc-aoa",
  ]

  /// All recordings together are at most 15 MB, and every one is compared by a test.
  @Test func allRecordingsTogetherAreSmall() throws {
    let folder = Repository.root.appendingPathComponent("datasets")
    let entries = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(entries == (Self.shipped + ["README.md", "expected.json", "scenarios"]).sorted())
    var size = 0
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(file).path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      size += attributes[.size] as? Int ?? 0
    }
    #expect(size > 5_000_000 && size < 15_000_000)
  }
}
