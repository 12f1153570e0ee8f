import Datasets
import Foundation
import Geometry
import SensorData
import Simulation
import Testing

/// The reader reads what the writer writes: two independent implementations of the format agree.
@Suite struct RoundTripTests {
  /// All features: delayed ranges with angles from two antennas, a rotated IMU, a fisheye with a time offset.
  private static func everything() throws -> Scenario {
    var scenario = try Scenario.named("dark")
    scenario.motion = [.motion(.hold(duration: 1)), .motion(.turn(duration: 1, angle: 0.5, arm: 0.4))]
    scenario.peers.append(Scenario.Peer(id: "a peer: 'é' #1", position: Vector3(2, 1, 0)))
    scenario.imu.bodyFromIMU = Pose(rotation: .exp(Vector3(0.3, -2, 1)), translation: Vector3(0.13, -0.02, 0.05))
    scenario.camera!.distortion = .equidistant(k1: 0.0034, k2: 0.0007, k3: -0.002, k4: 0.0002)
    scenario.camera!.timeOffset = 0.012
    scenario.camera!.dark = [1.0...1.2]
    scenario.radio.antennas = ["left": Vector3(-0.03, 0.06, 0), "right": Vector3(0.03, 0.06, 0)]
    scenario.radio.angles = Scenario.Angles(noise: 0.05)
    scenario.radio.power = Scenario.Power(atOneMetre: -55)
    scenario.radio.nlosReportErrorShare = 0.2
    scenario.peers[0].path = [Scenario.Leg(time: 0.5...1.5, displacement: Vector3(0.3, -0.2, 0.1))]
    scenario.camera!.second = Scenario.Mount()
    scenario.camera!.pixelDecimals = 3
    scenario.events = [
      Scenario.Event(time: 0.7, name: "moving"), Scenario.Event(time: 1, name: "stationary", peer: "tag"),
    ]
    scenario.radio.latency = 0.01
    scenario.radio.latencyJitter = 0.02
    scenario.radio.filter = .exponential(weight: 0.3)
    scenario.radio.statesFilter = true
    scenario.radio.claimedBiasDeviation = 0.07
    return scenario
  }

  private static func inFolder<T>(_ contents: DatasetContents, _ body: (URL) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-round-trip-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try DatasetWriter(folder: folder).write(contents)
    return try body(folder)
  }

  @Test func eventsRigAndTruthReadBack() throws {
    let simulator = try Simulator(scenario: Self.everything(), seed: 3)
    let contents = simulator.recording()
    try Self.inFolder(contents) { folder in
      let recording = try Recording.open(folder, options: ReadingOptions(strict: true))
      #expect(recording.warnings.isEmpty, "\(recording.warnings)")
      #expect(recording.metadata.title == contents.title)
      expectClose(recording.rig, contents.rig)
      let reader = try recording.events()
      for written in contents.events {
        let read = try #require(try reader.next())
        #expect(read.arrival == written.arrival && read.event.timestamp == written.event.timestamp)
        expectClose(read.event, written.event)
      }
      #expect(try reader.next() == nil)
      let truth = try #require(try recording.groundTruthStates())
      for written in contents.truth {
        let read = try #require(try truth.next())
        #expect(read.timestamp == written.timestamp)
        #expect((read.worldFromBody.translation - written.worldFromBody.translation).norm < 2e-6)
        #expect((read.worldFromBody.rotation.inverse * written.worldFromBody.rotation).log.norm < 1e-8)
        #expect((read.velocity! - written.velocity!).norm < 2e-6)
        #expect((read.gyroscopeBias! - written.gyroscopeBias!).norm < 2e-8)
        #expect((read.accelerometerBias! - written.accelerometerBias!).norm < 2e-6)
      }
      #expect(try truth.next() == nil)
      let peers = try #require(try recording.groundTruthPeers())
      for written in contents.peers {
        let read = try #require(try peers.next())
        #expect(read.timestamp == written.timestamp && read.peer == written.peer)
        #expect((read.position - written.position).norm < 1e-6)
      }
      #expect(try peers.next() == nil)
    }
  }

  @Test func odometryReadsBack() throws {
    var scenario = try Self.everything()
    scenario.odometry = Scenario.Odometry()
    scenario.camera = nil
    let contents = try Simulator(scenario: scenario, seed: 3).recording()
    let written = contents.events.compactMap { if case .odometry(let pose) = $0.event { pose } else { nil } }
    try Self.inFolder(contents) { folder in
      let recording = try Recording.open(folder, options: ReadingOptions(strict: true))
      #expect(recording.trajectorySource == .odometry)
      #expect(recording.rig.odometry == contents.rig.odometry)
      let reader = try recording.events()
      var read: [OdometryPose] = []
      while let event = try reader.next() { if case .odometry(let pose) = event.event { read.append(pose) } }
      #expect(read.count == written.count && !read.isEmpty)
      for (a, b) in zip(read, written) {
        #expect(a.timestamp == b.timestamp)
        #expect((a.worldFromSensor.translation - b.worldFromSensor.translation).norm < 2e-6)
        #expect((a.worldFromSensor.rotation.inverse * b.worldFromSensor.rotation).log.norm < 1e-8)
      }
    }
  }

  private func expectClose(_ a: Pose, _ b: Pose) {
    #expect((a.translation - b.translation).norm < 1e-12 && (a.rotation.inverse * b.rotation).log.norm < 1e-12)
  }

  private func expectClose(_ read: RigCalibration, _ written: RigCalibration) {
    expectClose(read.bodyFromDevice, written.bodyFromDevice)
    expectClose(read.imu!.bodyFromIMU, written.imu!.bodyFromIMU)
    #expect(read.cameras.count == written.cameras.count)
    var copy = read
    copy.bodyFromDevice = written.bodyFromDevice
    copy.imu!.bodyFromIMU = written.imu!.bodyFromIMU
    for (number, camera) in written.cameras.enumerated() {
      expectClose(read.cameras[number].bodyFromCamera, camera.bodyFromCamera)
      copy.cameras[number].bodyFromCamera = camera.bodyFromCamera
    }
    #expect(copy == written)
  }

  private func expectClose(_ read: SensorEvent, _ written: SensorEvent) {
    switch (read, written) {
    case (.imu(let a), .imu(let b)):
      #expect((a.angularVelocity - b.angularVelocity).norm < 1e-7 && (a.specificForce - b.specificForce).norm < 1e-6)
    case (.device(let a), .device(let b)): #expect(a == b)
    case (.frame(let a), .frame(let b)):
      #expect(a.camera == b.camera)
      #expect(a.features.map(\.featureID) == b.features.map(\.featureID) && abs(a.meanLuma! - b.meanLuma!) < 1e-4)
      #expect(zip(a.features, b.features).allSatisfy { abs($0.u - $1.u) < 1e-3 && abs($0.v - $1.v) < 1e-3 })
    case (.range(let a), .range(let b)):
      #expect(a.peer == b.peer && a.antenna == b.antenna && abs(a.range - b.range) < 1e-4)
      #expect((a.azimuth == nil) == (b.azimuth == nil) && (a.elevation == nil) == (b.elevation == nil))
      #expect(abs((a.azimuth ?? 0) - (b.azimuth ?? 0)) < 1e-4 && abs((a.elevation ?? 0) - (b.elevation ?? 0)) < 1e-4)
      #expect(abs(a.standardDeviation! - b.standardDeviation!) < 1e-4)
      #expect(abs(a.rssi! - b.rssi!) < 1e-4 && abs(a.firstPathPower! - b.firstPathPower!) < 1e-4)
      #expect(a.nonLineOfSight == b.nonLineOfSight)
      #expect(abs((a.angleStandardDeviation ?? 0) - (b.angleStandardDeviation ?? 0)) < 1e-4)
    default: Issue.record("read \(read), written \(written)")
    }
  }
}
