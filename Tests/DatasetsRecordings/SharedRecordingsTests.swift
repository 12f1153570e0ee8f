import Datasets
import SensorData
import TestSupport
import Testing

/// Contents of the recordings outside the repository, counted by other means (`wc -l`, `cut | sort -u`).
struct Contents: Sendable {
  var name: String
  var imu = 0
  var frames = 0
  var features = 0
  var poses = 0
  var ranges = 0
  var peers = 1
  var antennas = 1
  var truth = 0
  var source = TrajectorySource.imuAndCamera

  static let all = [
    Contents(name: "sim/corridor1", imu: 40001, frames: 2000, features: 199_944, ranges: 1000, truth: 5001),
    Contents(name: "sim/gore", imu: 40001, frames: 2000, features: 199_966, ranges: 1000, truth: 5001),
    Contents(name: "sim/room1", imu: 22001, frames: 2200, features: 219_948, ranges: 1100, truth: 5501),
    Contents(name: "sim/hh_walk", imu: 13930, frames: 1392, features: 139_200, ranges: 697, truth: 3483),
    Contents(name: "sim/hh_sweep", imu: 13930, frames: 1392, features: 139_196, ranges: 697, truth: 3483),
    Contents(name: "real/tango-handheld", imu: 12579, frames: 496, features: 86918, ranges: 580, truth: 496),
    Contents(
      name: "real/starloc-loop-2d_s5", poses: 670, ranges: 2680, peers: 4, truth: 670, source: .odometry),
    Contents(
      name: "real/starloc-loop-2d-fast_s1", imu: 3989, poses: 3204, ranges: 7602, peers: 8, antennas: 2, truth: 3204,
      source: .odometry),
    Contents(
      name: "real/ntu-niv20170812_3", poses: 11474, ranges: 11474, peers: 2, antennas: 4, truth: 11474,
      source: .odometry),
  ]
}

@Suite struct SharedRecordingsTests {
  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)), arguments: Contents.all)
  func everyRecordingReadsToItsEndWithoutDamage(expected: Contents) throws {
    let recording = try Recording.open(SharedData.recording(expected.name))
    #expect(recording.name == expected.name.split(separator: "/").last.map(String.init))
    #expect(recording.metadata.title != nil)
    #expect(recording.warnings == [])
    #expect(recording.trajectorySource == expected.source)
    #expect(recording.rig.radio?.antennas.count == expected.antennas)

    var found = Contents(name: expected.name, antennas: expected.antennas, source: expected.source)
    var peers: Set<String> = []
    var last = Timestamp(nanoseconds: .min)
    let reader = try recording.events()
    while let event = try reader.next() {
      #expect(event.arrival >= last)
      last = event.arrival
      switch event.event {
      case .imu: found.imu += 1
      case .odometry: found.poses += 1
      case .frame(let frame):
        found.frames += 1
        found.features += frame.features.count
      case .range(let range):
        found.ranges += 1
        peers.insert(range.peer)
      case .device: break
      }
    }
    found.peers = peers.count
    #expect(reader.damage.allSatisfy { $0.total == 0 })
    #expect(try recording.lastTimestamp() == last)

    let truth = try #require(try recording.groundTruthStates())
    while try truth.next() != nil { found.truth += 1 }
    #expect(truth.damage.total == 0)
    let positions = try #require(try recording.groundTruthPeers())
    var named: Set<String> = []
    while let position = try positions.next() { named.insert(position.peer) }
    #expect(named == peers)

    #expect(found.imu == expected.imu)
    #expect(found.frames == expected.frames)
    #expect(found.features == expected.features)
    #expect(found.poses == expected.poses)
    #expect(found.ranges == expected.ranges)
    #expect(found.peers == expected.peers)
    #expect(found.truth == expected.truth)
  }
}
