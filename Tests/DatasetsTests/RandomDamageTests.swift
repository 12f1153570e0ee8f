import Datasets
import DatasetsTestSupport
import Foundation
import Simulation
import Testing

/// Random damage of a folder's bytes: a message, or events that meet their guarantees.
@Suite struct RandomDamageTests {
  private static let files = [
    Fixture.imu, Fixture.imuCalibration, Fixture.features, Fixture.frames, Fixture.cameraCalibration, Fixture.ranges,
    Fixture.radioCalibration, Fixture.odometry, Fixture.odometryCalibration, "dataset.yaml", "mav0/events0/data.csv",
  ]

  /// A short recording with every kind of file.
  private func fixture() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.addOdometry()
    try fixture.write(Fixture.odometry, Fixture.poseHeader, (0..<300).map { "\(Fixture.time($0)),0,1,2,1,0,0,0" })
    try fixture.write(Fixture.imu, Fixture.imuHeader, Array(Fixture.imuRows().prefix(300)))
    try fixture.write(Fixture.features, Fixture.featureHeader, Array(Fixture.featureRows().prefix(300)))
    try fixture.write(
      Fixture.frames, "#timestamp [ns],mean_luma []", (0..<40).map { "\(Fixture.start + Int64($0) * 50_000_000),0.5" })
    try fixture.write(Fixture.ranges, Fixture.rangeHeader, Array(Fixture.rangeRows().prefix(300)))
    try fixture.write("mav0/events0/data.csv", "#timestamp [ns],event [],peer_id []", ["\(Fixture.start),moving,"])
    try fixture.write("dataset.yaml", "title: t\ndevice_T_BS: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\n")
    return fixture
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func neverACrashNeverNonsense(seed: UInt64) throws {
    let fixture = try fixture()
    var random = SeededRandom(seed: seed, stream: 40)
    var failures = 0
    for _ in 0..<60 {
      let name = Self.files[Int(random.next() % UInt64(Self.files.count))]
      let healthy = try Data(contentsOf: URL(fileURLWithPath: fixture.path(name)))
      var damaged = [UInt8](healthy)
      for _ in 0...(random.next() % 4) { Self.damage(&damaged, &random) }
      try fixture.write(name, data: Data(damaged))
      do {
        try check(fixture.read(ReadingOptions(usesOdometry: random.chance(0.5) ? true : nil)))
      } catch let error as DatasetError {
        failures += 1
        #expect(error.file.hasPrefix(fixture.folder.path) && !error.description.contains("\n"))
      }
      try fixture.write(name, data: healthy)
    }
    #expect(failures > 10, "most damage is within the first rows, and is seen")
  }

  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    guard !bytes.isEmpty else { return }
    let offset = Int(random.next() % UInt64(bytes.count))
    switch random.next() % 6 {
    case 0: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
    case 1: bytes[offset] ^= 1 << UInt8(random.next() % 8)
    case 2: bytes.removeSubrange(offset..<min(bytes.count, offset + Int(random.next() % 40)))
    case 3: bytes.insert(contentsOf: Array("[-e9,\n{&*:\"".utf8).shuffled(using: &random), at: offset)
    case 4: bytes.removeSubrange(offset...)
    default: bytes.insert(contentsOf: bytes[offset..<min(bytes.count, offset + 60)], at: offset)
    }
  }

  private func check(_ reading: Reading) {
    #expect(reading.events.allSatisfy { $0.arrival >= $0.event.timestamp })
    #expect(zip(reading.events, reading.events.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
    #expect(reading.imu.allSatisfy { $0.angularVelocity.isFinite && $0.specificForce.isFinite })
    #expect(reading.ranges.allSatisfy { $0.range.isFinite && $0.range >= 0 && !$0.peer.isEmpty })
    let features = reading.frames.map(\.features)
    #expect(features.joined().allSatisfy { $0.u.isFinite && $0.v.isFinite })
    #expect(features.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0.featureID < $1.featureID } })
    for pose in reading.poses.map(\.worldFromSensor) {
      let q = pose.rotation
      let length = q.w * q.w + q.v.squaredNorm
      guard abs(length - 1) < 1e-12, pose.translation.isFinite else {
        Issue.record("a pose that is none: \(pose)")
        return
      }
    }
  }
}
