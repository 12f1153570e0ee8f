import Datasets
import Foundation
import Geometry
import Importing
import JSONText
import SensorData
import Testing

/// A sample of each kind, written from a known walk, imports to that walk.
@Suite struct RoundTripTests {
  /// What an imported folder holds.
  private struct Imported {
    var recording: Recording
    var imu: [IMUSample] = [], poses: [OdometryPose] = [], ranges: [RangeMeasurement] = []
    var truth: [GroundTruthState] = [], peers: [GroundTruthPeer] = []
    var report: ImportReport

    init(_ kind: ImportKind, _ source: String, to output: String, map: String? = nil) throws {
      report = try Importer.run(kind, source: source, output: output, options: .init(map: map))
      var options = ReadingOptions()
      (options.needsTrajectory, options.strict) = (false, true)
      recording = try Recording.open(URL(fileURLWithPath: output), options: options)
      let events = try recording.events()
      while let event = try events.next()?.event {
        switch event {
        case .imu(let sample): imu.append(sample)
        case .odometry(let pose): poses.append(pose)
        case .range(let range): ranges.append(range)
        case .frame, .device: break
        }
      }
      let states = try recording.groundTruthStates(), places = try recording.groundTruthPeers()
      while let state = try states?.next() { truth.append(state) }
      while let place = try places?.next() { peers.append(place) }
    }

    /// No fault, and the walk itself. `start`: what the walk's beginning is stamped, nanoseconds.
    func check(start: Int64, antennas: [String: Vector3] = [:], biased: Double = 0, late: Double = 0, clock: Double = 0)
    {
      #expect(!report.hasFault, "\(report.findings)")
      func seconds(_ t: Timestamp) -> Double { Double(t.nanoseconds - start) / 1e9 }
      let mount = recording.rig.imu?.bodyFromIMU.rotation ?? .identity
      for sample in imu.dropFirst(2).dropLast(2) {
        let (rate, force) = Walk.motion(seconds(sample.timestamp))
        #expect((mount * sample.angularVelocity - rate).norm < 2e-3 + 8 * clock)
        #expect((mount * sample.specificForce - force).norm < 0.02 + 20 * clock)
      }
      let sensor = recording.rig.odometry?.bodyFromSensor ?? .identity
      for pose in poses {
        let there = pose.worldFromSensor * sensor.inverse, known = Walk.pose(seconds(pose.timestamp))
        #expect((there.translation - known.translation).norm < 1e-5)
        #expect((there.rotation.inverse * known.rotation).log.norm < 1e-5)
      }
      for range in ranges {
        let peer = Walk.peers.first { $0.id == range.peer }?.place ?? Walk.peers[0].place
        let antenna = range.antenna.flatMap { antennas[$0] } ?? .zero
        let known = Walk.range(seconds(range.timestamp), peer, antenna: antenna)
        #expect(abs(range.range - known - biased) < 1e-3 + 2 * late)
      }
      for peer in peers {
        let place = Walk.peers.first { $0.id == peer.peer }?.place
        #expect(place.map { ($0 - peer.position).norm < 1e-4 } ?? false)
      }
    }
  }

  private static let epoch = Int64(Walk.start) * 1_000_000_000

  @Test(arguments: ["", "data/walk_s1/"]) func starloc(at: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.starloc(source, at)
    let imported = try Imported(.starloc, source.url.path, to: output.url.path)
    let antennas = Dictionary(uniqueKeysWithValues: ForeignSamples.starlocAntennas.map { ($0.id, $0.place) })
    imported.check(start: 1_600_000_000_000_000_000, antennas: antennas, biased: 0.05, clock: 0.005)
    #expect(imported.ranges.count == 2800 && imported.peers.count == 3 && imported.poses.count == 2800)
    #expect(imported.recording.rig.radio?.antennas == antennas)
    #expect(imported.imu.count == 2800)
    // The unit's clock, found by its rotation.
    let shift = try #require(imported.report.figures["imu.csv clock shift [s]"])
    #expect(abs(shift + ForeignSamples.starlocShift) < 0.005)
    // The device: -z looks along the body's +x.
    let ahead = imported.recording.rig.bodyFromDevice.rotation * Vector3(0, 0, -1)
    #expect((ahead - Vector3(1, 0, 0)).norm < 1e-6)
  }

  @Test func miluv() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.miluv(source)
    let imported = try Imported(.miluv, source.path("data/default_1"), to: output.url.path)
    imported.check(
      start: 0, antennas: ["10": Vector3(0.13, -0.17, -0.05), "11": Vector3(-0.17, 0.14, -0.05)])
    #expect(imported.ranges.count == 840 && imported.peers.count == 3)
    #expect(imported.poses.count == 1400, "the repeated stamp is left out")
    #expect(imported.report.counts["odometry0 rows left out, stamp repeated"] == 1)
    #expect(imported.report.counts["ranges of no tag of this robot"] == 84)
  }

  @Test func spectacular() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.spectacular(source)
    let imported = try Imported(.spectacular, source.url.path, to: output.url.path)
    imported.check(start: Self.epoch)
    #expect(imported.imu.count > 2750 && imported.truth.count == 140 && imported.ranges.count == 420)
    // Interpolated from 100 Hz to the gyroscope's 200.
    let camera = try #require(try CalibrationFile(path: output.path("video/cam0.yaml")).pose("T_BS"))
    #expect((camera * Vector3(0, 0, 0) - Vector3(-0.3, 0.1, 0.2)).norm < 1e-9)
  }

  @Test func flatMatricesAreColumnByColumn() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.spectacular(source)
    try source.replace(
      "calibration.json", "[[0, -1, 0, 0.1], [0, 0, -1, 0.2], [1, 0, 0, 0.3], [0, 0, 0, 1]]",
      "[0, 0, 1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0.1, 0.2, 0.3, 1]")
    _ = try Importer.run(.spectacular, source: source.url.path, output: output.url.path)
    let camera = try #require(try CalibrationFile(path: output.path("video/cam0.yaml")).pose("T_BS"))
    #expect((camera * Vector3(0, 0, 0) - Vector3(-0.3, 0.1, 0.2)).norm < 1e-9)
  }

  @Test func arkitNI() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.arkitNI(source)
    let imported = try Imported(.arkitNI, source.url.path, to: output.url.path)
    let delay = try #require(imported.report.figures["Nearby Interaction's delay [s]"])
    #expect(abs(delay - ForeignSamples.niDelay) < 0.01)
    imported.check(start: 5_000_000_000, late: 0.01)
    #expect(imported.report.counts["ni.csv rows that repeat the last"] == 19)
    let measured = try #require(imported.ranges.first { $0.azimuth != nil })
    let u = (Walk.pose(0).inverse * Walk.peers[0].place).normalized
    #expect(abs(measured.azimuth! - atan2(u.x, -u.z)) < 1e-3 && abs(measured.elevation! - asin(u.y)) < 1e-3)
  }

  @Test func stray() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.stray(source)
    let imported = try Imported(.stray, source.url.path, to: output.url.path)
    imported.check(start: 0)
    #expect(imported.poses.count == 840 && imported.imu.count == 1400 && imported.ranges.count == 420)
  }

  @Test func sensorLogger() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.sensorLogger(source)
    let imported = try Imported(.sensorLogger, source.url.path, to: output.url.path)
    imported.check(start: Self.epoch)
    #expect(imported.imu.count == 1399, "the first has no acceleration before it")
  }

  /// As published with blanks, and with commas.
  @Test(arguments: [" ", ","]) func plaza(separator: String) throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.plaza(source)
    for table in ["DR", "TD", "GT", "TL"] {
      let name = "Plaza9_\(table).txt"
      try source.write(name, source.text(name).replacingOccurrences(of: " ", with: separator))
    }
    let imported = try Imported(.plaza, source.url.path, to: output.url.path)
    #expect(!imported.report.hasFault)
    #expect(imported.poses.count == 200 && imported.ranges.count == 200 && imported.peers.count == 3)
    for (pose, truth) in zip(imported.poses, imported.truth) {
      #expect((pose.worldFromSensor.translation - truth.worldFromBody.translation).norm < 0.05)
    }
    let ahead = imported.recording.rig.bodyFromDevice.rotation * Vector3(0, 0, -1)
    #expect((ahead - Vector3(1, 0, 0)).norm < 1e-9)
  }

  @Test func csv() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.csv(source)
    let imported = try Imported(.csv, source.url.path, to: output.url.path, map: source.path("map.yaml"))
    imported.check(start: Self.epoch)
    #expect(imported.imu.count == 1400 && imported.poses.count == 700 && imported.ranges.count == 665)
    #expect(imported.report.counts["uwb0 failed ranges"] == 35)
  }

  @Test(arguments: ForeignSamples.kinds)
  func theKindIsGuessedAndImportsAreDeterministic(kind: ImportKind) throws {
    let source = try Folder()
    let (path, map) = try ForeignSamples.write(kind, to: source)
    #expect(ImportKind.guess(path)?.kind == kind)
    let (a, b) = (try Folder(), try Folder())
    let report = try Importer.run(kind, source: path, output: a.url.path, options: .init(map: map))
    // "next: fuse run" is said exactly where a run begins.
    let runs = Recording.obstacle(toRun: a.url.path) == nil
    #expect((report.next == ImportReport.run) == (runs && !report.hasFault), "\(report.next)")
    #expect(try JSONValue(contentsOf: a.path("import.json"))["next"]?.text == report.next)
    _ = try Importer.run(kind, source: path, output: b.url.path, options: .init(map: map))
    #expect(try a.contents() == b.contents())
    #expect(try a.contents().keys.contains("import.json") && a.contents().keys.contains("dataset.yaml"))
    #expect(ImportKind.guess(a.url.path) == nil, "a dataset folder is no foreign source")
  }
}
