import Datasets
import DatasetsTestSupport
import Foundation
import Geometry
import SensorData
import Testing

/// Opening, choosing, merging.
@Suite struct RecordingTests {
  @Test func theMergeIsInOrderOfArrivalThenRank() throws {
    let fixture = try Fixture()
    try fixture.addOdometry()
    try fixture.write("mav0/events0/data.csv", "#timestamp [ns],event []\n\(Fixture.start),moving\n")
    let events = try fixture.read(ReadingOptions(usesOdometry: true)).events
    #expect(events.prefix(5).map(\.event.rank) == [0, 1, 2, 3, 4])
    for (a, b) in zip(events, events.dropFirst()) {
      #expect(a.arrival < b.arrival || (a.arrival == b.arrival && a.event.rank <= b.event.rank))
    }
    #expect(events.count == 3 * Fixture.rows + 200 + 1)
  }

  @Test func theTrajectoryComesFromTheCameraWhenItIsFast() throws {
    let fixture = try Fixture()
    try fixture.addOdometry()
    #expect(try fixture.open().trajectorySource == .imuAndCamera)
    #expect(try fixture.read().poses.isEmpty, "odometry that is not the trajectory is not read")
    #expect(try fixture.open(ReadingOptions(usesOdometry: true)).trajectorySource == .odometry)
    let quarter = (0..<40).map { "\(Fixture.start + Int64($0) * 250_000_000),1,2,3" }
    try fixture.write(Fixture.features, Fixture.featureHeader, quarter)
    #expect(try fixture.open().trajectorySource == .imuAndCamera)
    let slower = (0..<40).map { "\(Fixture.start + Int64($0) * 260_000_000),1,2,3" }
    try fixture.write(Fixture.features, Fixture.featureHeader, slower)
    #expect(try fixture.open().trajectorySource == .odometry)
    #expect(try fixture.open(ReadingOptions(usesOdometry: false)).trajectorySource == .imuAndCamera)
    try fixture.remove("mav0/odometry0")
    #expect(try fixture.open().trajectorySource == .imuAndCamera, "slow, but all there is")
  }

  @Test func imagesBesideOdometryAreAWarning() throws {
    let fixture = try Fixture()
    try fixture.addOdometry()
    try fixture.remove(Fixture.features)
    try fixture.write("mav0/cam0/data.csv", "#timestamp [ns],filename\n1,1.png\n")
    let recording = try fixture.open()
    #expect(recording.trajectorySource == .odometry)
    #expect(recording.warnings.contains { $0.contains("are not looked at") })
    #expect(recording.rig.cameras.isEmpty)
    #expect(recording.rig.bodyFromDevice.rotation == Rotation(w: 0, x: 1, y: 0, z: 0), "cam0 still defines D")
  }

  @Test func aFolderThatCannotRunCanStillBeLookedAt() throws {
    let fixture = try Fixture()
    try fixture.remove("mav0/cam0")
    let recording = try fixture.open(ReadingOptions(needsTrajectory: false))
    #expect(recording.trajectorySource == nil)
    #expect(try fixture.read(ReadingOptions(needsTrajectory: false)).imu.count == Fixture.rows)
  }

  @Test func anEarlierEndGivesAPrefix() throws {
    let fixture = try Fixture()
    let whole = try fixture.read().events
    let part = try fixture.read(ReadingOptions(to: 3)).events
    #expect(part.count < whole.count && part.last?.arrival.seconds(since: whole[0].arrival) == 3)
    #expect(Array(whole.prefix(part.count)) == part)
  }

  @Test func aLaterBeginningAndOnePeer() throws {
    let fixture = try Fixture()
    let part = try fixture.read(ReadingOptions(from: 4, peer: "tag-1"))
    #expect(part.events.first?.event.timestamp == Timestamp(nanoseconds: Fixture.start + 4_000_000_000))
    #expect(Set(part.ranges.map(\.peer)) == ["tag-1"])
    #expect(part.ranges.count == 600)
    #expect(try fixture.read(ReadingOptions(from: .nan, to: 1e300)).imu.count == Fixture.rows)
    #expect(try fixture.read(ReadingOptions(from: 1e300)).events.isEmpty)
  }

  @Test func theSpanOfARecording() throws {
    let fixture = try Fixture()
    let recording = try fixture.open()
    #expect(recording.firstTimestamp == Timestamp(nanoseconds: Fixture.start))
    #expect(try recording.lastTimestamp() == Timestamp(nanoseconds: Fixture.time(Fixture.rows - 1)))
    withExtendedLifetime(fixture) {}
  }

  @Test func everyKeyOfTheCalibrations() throws {
    let fixture = try Fixture()
    let rotation = Rotation.exp(Vector3(0.3, -0.2, 0.5))
    let m = rotation.matrix
    // Four decimals: orthonormalised.
    let cells = (0..<3).map { r in
      (0..<3).map { String(format: "%.4f", m[r, $0]) }.joined(separator: ", ") + ", 0.\(r + 1)"
    }
    let matrix = "{cols: 4, rows: 4, data: [\(cells.joined(separator: ", ")), 0, 0, 0, 1]}"
    try fixture.write(Fixture.imuCalibration, "%YAML:1.0\n---\n" + Fixture.imuYAML + "gravity_magnitude: 9.80665\n")
    try fixture.write(
      Fixture.cameraCalibration,
      Fixture.cameraYAML.replacingOccurrences(of: Fixture.identity, with: "T_BS: \(matrix)\n")
        + "pixel_noise_sigma: 2\ntime_offset_cam_to_imu_s: -0.01\nrate_hz: 20\nsensor_type: camera\ncomment: c\n")
    try fixture.write(
      Fixture.radioCalibration,
      "T_BS: [1, 0, 0, 0.1, 0, 1, 0, 0.2, 0, 0, 1, 0.3, 0, 0, 0, 1]\nrange_noise_std: 0.08\nrate_hz: 10.5\n")
    try fixture.addOdometry()
    try fixture.write("dataset.yaml", "title: a title\nsource: s\nlicense: CC0\nnote: n\n")
    let recording = try fixture.open()
    #expect(recording.warnings == [])
    #expect(recording.metadata == Recording.Metadata(title: "a title", source: "s", licence: "CC0", note: "n"))
    let imu = try #require(recording.rig.imu)
    #expect(imu.gravityMagnitude == 9.80665 && imu.accelerometerRandomWalk == 1 && imu.rate == 200)
    #expect(imu.bodyFromIMU == .identity)
    let camera = try #require(recording.rig.cameras.first)
    #expect(camera.pixelNoise == 2 && camera.timeOffset == -0.01 && camera.rate == 20)
    #expect(camera.fx == 400 && camera.fy == 400.5 && camera.width == 640 && camera.height == 480)
    #expect(camera.distortion == .radialTangential(k1: -0.28, k2: 0.07, p1: 0.0002, p2: 1.7e-05))
    #expect((camera.bodyFromCamera.rotation.inverse * rotation).log.norm < 1e-4)
    #expect(camera.bodyFromCamera.translation == Vector3(0.1, 0.2, 0.3))
    #expect(
      recording.rig.radio == RadioCalibration(antennas: ["": Vector3(0.1, 0.2, 0.3)], rangeNoise: 0.08, rate: 10.5))
    #expect(recording.rig.odometry == OdometryCalibration(positionRandomWalk: 0.03, yawRandomWalk: 0.02))
  }

  @Test(arguments: [
    (
      "equidistant", "[0.1, 0.2, 0.3, 0.4]",
      CameraCalibration.Distortion.equidistant(k1: 0.1, k2: 0.2, k3: 0.3, k4: 0.4)
    ),
    ("fov", "[0.93]", .fieldOfView(w: 0.93)), ("fov", "0.93", .fieldOfView(w: 0.93)), ("none", "[]", .none),
    ("radtan", "[1, 2, 3, 4]", .radialTangential(k1: 1, k2: 2, p1: 3, p2: 4)),
    ("plumb_bob", "[1, 2, 3, 4, 0]", .radialTangential(k1: 1, k2: 2, p1: 3, p2: 4)),
    ("plumb_bob", "[1, 2, 3, 4, 5]", .rational(k1: 1, k2: 2, p1: 3, p2: 4, k3: 5)),
    ("radtan", "[1, 2, 3, 4, 5, 6, 7, 8]", .rational(k1: 1, k2: 2, p1: 3, p2: 4, k3: 5, k4: 6, k5: 7, k6: 8)),
    ("rational_polynomial", "[1, 2, 3, 4, 5, 0, 0, 0]", .rational(k1: 1, k2: 2, p1: 3, p2: 4, k3: 5)),
    ("equi", "[0.1, 0, 0, 0]", .equidistant(k1: 0.1, k2: 0, k3: 0, k4: 0)),
    ("kannala_brandt4", "[0.1, 0, 0, 0]", .equidistant(k1: 0.1, k2: 0, k3: 0, k4: 0)),
    ("pinhole-radtan", "[1, 2, 3, 4]", .radialTangential(k1: 1, k2: 2, p1: 3, p2: 4)),
    ("pinhole-equi", "[1, 2, 3, 4]", .equidistant(k1: 1, k2: 2, k3: 3, k4: 4)),
  ])
  func distortions(model: String, coefficients: String, expected: CameraCalibration.Distortion) throws {
    let fixture = try Fixture()
    try fixture.replace(Fixture.cameraCalibration, "radial-tangential", with: model)
    try fixture.replace(Fixture.cameraCalibration, "[-0.28, 0.07, 0.0002, 1.7e-05]", with: coefficients)
    #expect(try fixture.open().rig.cameras[0].distortion == expected)
  }

  @Test(arguments: [
    (
      "omni", "radtan", "1.2, ", "[0.1, 0.2, 0.3, 0.4]",
      CameraCalibration.Distortion.omni(xi: 1.2, k1: 0.1, k2: 0.2, p1: 0.3, p2: 0.4)
    ),
    ("omni-none", "none", "1.2, ", "[]", .omni(xi: 1.2, k1: 0, k2: 0, p1: 0, p2: 0)),
    ("ds", "none", "-0.2, 0.6, ", "[]", .doubleSphere(xi: -0.2, alpha: 0.6)),
    ("eucm", "none", "0.6, 1.1, ", "[]", .extendedUnified(alpha: 0.6, beta: 1.1)),
  ])
  func projections(
    model: String, distortion: String, parameters: String, coefficients: String,
    expected: CameraCalibration.Distortion
  ) throws {
    let fixture = try Fixture()
    try fixture.replace(Fixture.cameraCalibration, "pinhole", with: model)
    try fixture.replace(Fixture.cameraCalibration, "radial-tangential", with: distortion)
    try fixture.replace(Fixture.cameraCalibration, "[400,", with: "[\(parameters)400,")
    try fixture.replace(Fixture.cameraCalibration, "[-0.28, 0.07, 0.0002, 1.7e-05]", with: coefficients)
    let camera = try fixture.open().rig.cameras[0]
    #expect(camera.distortion == expected && camera.fx == 400)
  }
}
