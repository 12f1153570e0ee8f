import Datasets
import Foundation
import Geometry
import Importing
import SensorData
import TestSupport
import Testing

/// Phones' apps: their folders, zips and JSON, to the walk that they were written from, or to a clear reason.
@Suite struct PhoneImportTests {
  /// What a folder holds, and how far it is off the walk.
  private struct Imported {
    var report: ImportReport
    var imu: [IMUSample] = [], poses: [OdometryPose] = [], ranges: [RangeMeasurement] = []
    let output: Folder

    init(_ kind: ImportKind, _ source: String, map: String? = nil) throws {
      output = try Folder()
      report = try Importer.run(kind, source: source, output: output.url.path, options: .init(map: map))
      var options = ReadingOptions()
      (options.needsTrajectory, options.strict) = (false, true)
      let recording = try Recording.open(output.url, options: options)
      let mount = recording.rig.odometry?.bodyFromSensor ?? .identity
      #expect(recording.rig.bodyFromDevice == .identity && recording.statesDevice)
      let events = try recording.events()
      while let event = try events.next()?.event {
        switch event {
        case .imu(let sample): imu.append(sample)
        case .odometry(let pose):
          poses.append(OdometryPose(timestamp: pose.timestamp, worldFromSensor: pose.worldFromSensor * mount.inverse))
        case .range(let range): ranges.append(range)
        case .frame, .device: break
        }
      }
    }

    func check(start: Double, tolerance: Double = 2e-3) {
      func seconds(_ t: Timestamp) -> Double { Double(t.nanoseconds - Int64((start * 1e9).rounded())) / 1e9 }
      for sample in imu.dropFirst(2).dropLast(2) {
        let (rate, force) = Walk.motion(seconds(sample.timestamp))
        #expect((sample.angularVelocity - rate).norm < tolerance && (sample.specificForce - force).norm < 0.02)
      }
      for pose in poses {
        let known = Walk.pose(seconds(pose.timestamp)), there = pose.worldFromSensor
        #expect((there.translation - known.translation).norm < 1e-5)
        #expect((there.rotation.inverse * known.rotation).log.norm < 1e-5)
      }
      #expect(!ranges.isEmpty)
      for range in ranges {
        let peer = Walk.peers.first { $0.id == range.peer }?.place ?? Walk.peers[0].place
        #expect(abs(range.range - Walk.range(seconds(range.timestamp), peer)) < 2e-3)
      }
    }
  }

  private func stamps(_ output: Folder) throws -> [[Int64]] {
    try output.text("video/cam0.csv").split(separator: "\n").dropFirst().map {
      $0.split(separator: ",").map { Int64($0)! }
    }
  }

  @Test func record3D() throws {
    let source = try Folder()
    try PhoneSamples.record3D(source)
    let absolute = try Imported(.record3d, source.url.path)
    absolute.check(start: 0)
    #expect(!absolute.report.hasFault && absolute.report.next == ImportReport.run && absolute.poses.count == 420)
    #expect(try stamps(absolute.output).count == 420)
    let lens = try absolute.output.text("video/cam0.yaml")
    #expect(lens.contains("resolution: [720, 960]") && lens.contains("intrinsics: [800.0, 801.0, 358.0, 475.0]"))
    // Poses that begin at zero, with initPose: taken onto it. Without it nobody knows where down is.
    let begin = ForeignSamples.yUp(Walk.pose(0) * Pose(rotation: ForeignSamples.deviceFromCamera))
    try PhoneSamples.record3D(source, begin: begin)
    try Imported(.record3d, source.url.path).check(start: 0)
    let text = try source.text("metadata.json")
    try source.write("metadata.json", text.replacingOccurrences(of: "initPose", with: "x"))
    let error = #expect(throws: DatasetError.self) { try Imported(.record3d, source.url.path) }
    #expect(error?.found.contains("begin at zero") == true && error?.expected.contains("initPose") == true)
  }

  @Test func record3DInItsOwnFile() throws {
    let (source, packed) = (try Folder(), try Folder())
    try PhoneSamples.record3D(source, named: "metadata")
    try source.write("rgbd/0.jpg", "no table")
    try PhoneSamples.zip(source, to: packed, "scan.r3d")
    #expect(ImportKind.guess(packed.path("scan.r3d"))?.kind == .record3d)
    let imported = try Imported(.record3d, packed.path("scan.r3d"))
    imported.check(start: 0)
    #expect(try imported.output.contents().keys.allSatisfy { !$0.contains("unpacked") && !$0.contains("rgbd") })
  }

  @Test(arguments: ["", "up", "apple"]) func mars(sign: String) throws {
    let source = try Folder()
    try PhoneSamples.mars(source, sign: sign == "apple" ? -1 : 1)
    try source.write("map.yaml", "accelerometer_sign: \(sign)\n")
    let imported = try Imported(.mars, source.url.path, map: sign.isEmpty ? nil : source.path("map.yaml"))
    imported.check(start: PhoneSamples.boot)
    // The ranges are since 1970: the log says when that was.
    #expect(imported.report.decisions.contains { $0.contains("the log's clock, which says its own") })
    // No trajectory yet: the frames are in the video, and that is the next step.
    #expect(!imported.report.hasFault && imported.report.next.hasPrefix("fuse-import-video <video> -o <folder>"))
    let stamps = try stamps(imported.output)
    let first = Int64((PhoneSamples.boot * 1e9).rounded()) + 4_000_000 + 10_000_000
    #expect(stamps.count == 420 && stamps[0] == [first], "the middle of exposure and readout")
    let lens = try imported.output.text("video/cam0.yaml")
    #expect(lens.contains("intrinsics: [1000.0, 1001.0]\n") && lens.contains("readout_time_s: 0.02"))
  }

  @Test(arguments: [0, PhoneSamples.boot, Double(Walk.start)]) func iosLogger(start: Double) throws {
    let source = try Folder()
    try PhoneSamples.iosLogger(source, start: start)
    let imported = try Imported(.iosLogger, source.url.path)
    imported.check(start: start)
    #expect(!imported.report.hasFault && imported.report.next == ImportReport.run, "\(imported.report.findings)")
    #expect(imported.imu.count > 1390 && imported.poses.count == 420)
    #expect(try imported.output.text("video/cam0.yaml").contains("intrinsics: [1500.0, 1501.0, 716.0, 950.0]"))
    // Without ARKit's poses the video is the way.
    try source.remove("ARposes.txt")
    let blind = try Imported(.iosLogger, source.url.path)
    #expect(blind.poses.isEmpty && blind.report.next.hasPrefix("fuse-import-video"))
  }

  @Test(arguments: [true, false]) func videoIMU(isWrapped: Bool) throws {
    let source = try Folder()
    try PhoneSamples.videoIMU(source, isWrapped: isWrapped)
    let imported = try Imported(.videoIMU, source.url.path)
    imported.check(start: PhoneSamples.boot, tolerance: 3e-3)
    #expect(imported.imu.count == 1400 && !imported.report.hasFault, "\(imported.report.findings)")
    let stamps = try stamps(imported.output)
    #expect(stamps.count == (isWrapped ? 419 : 420))
    #expect(stamps[0] == [Int64((PhoneSamples.boot * 1e9).rounded()) + 14_000_000])
    let camera = try CalibrationFile(path: imported.output.path("video/cam0.yaml"))
    let pose = try #require(try camera.pose("T_BS"))
    #expect((pose * .zero - Vector3(0.01, 0.05, 0)).norm < 1e-6)
    // The frame's right is the phone's lower end, its depth is out of the back.
    #expect((pose.rotation * Vector3(1, 0, 0) - Vector3(0, -1, 0)).norm < 1e-6)
    #expect((pose.rotation * Vector3(0, 0, 1) - Vector3(0, 0, -1)).norm < 1e-6)
    let k = try #require(try camera.numbers("distortion_coefficients", ""))
    #expect(zip(k, [0.1, 0.02, 0.001, 0.002, 0.003]).allSatisfy { abs($0 - $1) < 1e-6 }, "tangential before k3")
  }

  /// An app that was stopped cuts its last message; bytes that are no messages are said.
  @Test func brokenMessages() throws {
    let source = try Folder()
    try PhoneSamples.videoIMU(source, cutting: 9)
    #expect(try Imported(.videoIMU, source.url.path).imu.count == 1400)
    for bytes in [[], Array("\u{0A}\u{10}abcdefghijklmnop".utf8), [UInt8](repeating: 0xFF, count: 400)] as [[UInt8]] {
      try source.write("video_meta.pb3", bytes: bytes)
      let error = #expect(throws: DatasetError.self) { try Imported(.videoIMU, source.url.path) }
      #expect(error?.file == source.path("video_meta.pb3") && error?.found.contains("no readings") == true)
    }
  }

  @Test func strayHasItsCamera() throws {
    let source = try Folder()
    try ForeignSamples.stray(source)
    let imported = try Imported(.stray, source.url.path)
    let stamps = try stamps(imported.output)
    #expect(stamps.count == 840 && stamps[1] == [16_666_667, 1])
    let lens = try imported.output.text("video/cam0.yaml")
    #expect(lens.contains("intrinsics: [1000.0, 1000.0, 960.0, 720.0]") && lens.contains("T_BS: ["))
    // Newer versions have the lens with each frame.
    try source.remove("camera_matrix.csv")
    try source.line("odometry.csv", 1) { $0 + ", fx, fy, cx, cy" }
    try source.rows("odometry.csv") { $0 + [" 900", " 901", " 950", " 710"] }
    let newer = try Imported(.stray, source.url.path)
    #expect(try newer.output.text("video/cam0.yaml").contains("intrinsics: [900.0, 901.0, 950.0, 710.0]"))
  }

  // MARK: - Packed

  @Test(arguments: [(true, ""), (false, ""), (true, "2024-05-01_walk/")]) func sensorLoggersZip(
    isDeflated: Bool, below: String
  ) throws {
    let (source, packed) = (try Folder(), try Folder())
    try ForeignSamples.sensorLogger(source)
    try source.write("Camera/1.jpg", "no table")
    try PhoneSamples.zip(source, to: packed, "walk.zip", isDeflated: isDeflated, below: below)
    #expect(ImportKind.guess(packed.path("walk.zip"))?.kind == .sensorLogger)
    let (plain, unpacked) = (try Folder(), try Imported(.sensorLogger, packed.path("walk.zip")))
    _ = try Importer.run(.sensorLogger, source: source.url.path, output: plain.url.path)
    for (name, text) in try plain.contents() where name.hasPrefix("mav0/") {
      #expect(try unpacked.output.text(name) == text, "\(name)")
    }
  }

  /// The frames' times as the app's page prints them from its video.
  @Test func sensorLoggersFrames() throws {
    let (source, output) = (try Folder(), try Folder())
    try ForeignSamples.sensorLogger(source)
    let stamps = try source.text("Gyroscope.csv").split(separator: "\n").dropFirst().prefix(3).map {
      String($0.split(separator: ",")[0])
    }
    try source.write(
      "frames.csv", stamps.enumerated().map { "\(Double($0.offset) / 30),\($0.element)\n" }.joined())
    _ = try Importer.run(.sensorLogger, source: source.url.path, output: output.url.path)
    #expect(try output.text("video/cam0.csv") == "#timestamp [ns]\n" + stamps.map { $0 + "\n" }.joined())
  }

  @Test func sensorLoggersJSON() throws {
    let (source, packed) = (try Folder(), try Folder())
    try ForeignSamples.sensorLogger(source)
    try PhoneSamples.sensorLoggerJSON(source, to: packed, "walk.json")
    #expect(ImportKind.guess(packed.path("walk.json"))?.kind == .sensorLogger)
    let (plain, output) = (try Folder(), try Folder())
    _ = try Importer.run(.sensorLogger, source: source.url.path, output: plain.url.path)
    let report = try Importer.run(.sensorLogger, source: packed.path("walk.json"), output: output.url.path)
    #expect(try output.text("mav0/imu0/data.csv") == plain.text("mav0/imu0/data.csv"))
    // Nothing but an inertial unit: no trajectory, and the import does not say "next: fuse run".
    #expect(
      report.findings.contains { $0.code == "noTrajectory" && $0.weight == .fault } && report.next != ImportReport.run)
    for (text, found) in [
      ("[{\"sensor\": 3}]", "an element without a sensor"), ("[{\"sensor\":\"Gyroscope\",", "cut short"),
    ] {
      try packed.write("bad.json", text)
      let error = #expect(throws: DatasetError.self) {
        try Importer.run(.sensorLogger, source: packed.path("bad.json"), output: output.url.path)
      }
      #expect(
        error?.file == packed.path("bad.json") && error?.found.contains(found) == true, "\(String(describing: error))")
    }
  }

  /// A damaged archive, one that climbs out of its folder, and an error inside name the archive.
  @Test func brokenZips() throws {
    let (source, packed, output) = (try Folder(), try Folder(), try Folder())
    try ForeignSamples.sensorLogger(source)
    try PhoneSamples.zip(source, to: packed, "walk.zip")
    func error() throws -> DatasetError? {
      #expect(throws: DatasetError.self) {
        try Importer.run(.sensorLogger, source: packed.path("walk.zip"), output: output.url.path)
      }
    }
    let whole = Array(try Data(contentsOf: packed.url.appendingPathComponent("walk.zip")))
    try packed.write("walk.zip", bytes: Array(whole.prefix(whole.count / 2)))
    #expect(try error()?.found.contains("cut short") == true)
    var flipped = whole
    flipped[whole.count / 3] ^= 0x55
    try packed.write("walk.zip", bytes: flipped)
    #expect(try error()?.found.contains("a damaged file in it") == true)
    try PhoneSamples.zip(source, to: packed, "walk.zip", below: "../")
    #expect(try error()?.expected == "names below its own folder")
    try source.cell("Gyroscope.csv", 4, 1, "noon")
    try PhoneSamples.zip(source, to: packed, "walk.zip")
    let inside = try error()
    #expect(inside?.file == packed.path("walk.zip/Gyroscope.csv") && inside?.line == 4)
    #expect(try output.contents().isEmpty)
  }

  /// Bytes that are flipped, cut and doubled end in an error or in a folder, never in a trap.
  @Test(arguments: ["walk.zip", "walk.json", "video_meta.pb3", "metadata.json"]) func damageNeverTraps(name: String)
    throws
  {
    let (source, packed) = (try Folder(), try Folder())
    var kind = ImportKind.sensorLogger
    switch name {
    case "walk.zip", "walk.json":
      try ForeignSamples.sensorLogger(source)
      if name == "walk.zip" {
        try PhoneSamples.zip(source, to: packed, name)
      } else {
        try PhoneSamples.sensorLoggerJSON(source, to: packed, name)
      }
    case "metadata.json":
      kind = .record3d
      try PhoneSamples.record3D(packed)
    default:
      kind = .videoIMU
      try PhoneSamples.videoIMU(packed)
    }
    let whole = Array(try Data(contentsOf: packed.url.appendingPathComponent(name)))
    let path = kind == .sensorLogger ? packed.path(name) : packed.url.path
    var state: UInt64 = 88_172_645_463_325_252
    func random(_ count: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(count))
    }
    var refused = 0
    for round in 0..<60 {
      var bytes = whole
      // Half of the faults near the end, where an archive has its list, or near the beginning.
      for _ in 0...random(4) {
        let at = round % 2 == 0 ? random(bytes.count) : bytes.count - 1 - random(min(bytes.count, 600))
        switch random(4) {
        case 0: bytes[at] ^= UInt8(1 << random(8))
        case 1: bytes[at] = UInt8(random(256))
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random(40)))
        default: bytes.insert(contentsOf: (0...random(9)).map { _ in UInt8(random(256)) }, at: at)
        }
        if bytes.count < 700 { break }
      }
      try packed.write(name, bytes: bytes)
      let output = try Folder()
      do {
        _ = try Importer.run(kind, source: path, output: output.url.path, options: .init(checks: false))
      } catch is DatasetError {
        refused += 1
        #expect(try output.contents().isEmpty)
      }
    }
    #expect(refused > 5)
  }

  // MARK: - Cases

  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message))) func theCasesHaveTheRightAnswer() throws
  {
    let cases = SharedData.recording("cases/phone-kinds")
    for (name, kind, next) in [
      ("ios_logger", ImportKind.iosLogger, ImportReport.run), ("record3d", .record3d, ImportReport.run),
      ("mars", .mars, "fuse-import-video"), ("sensor-logger.zip", .sensorLogger, "mend"),
    ] {
      let source = cases.appendingPathComponent(name).path, output = try Folder()
      #expect(ImportKind.guess(source)?.kind == kind, "\(name)")
      let report = try Importer.run(kind, source: source, output: output.url.path)
      #expect(report.next.hasPrefix(next), "\(name): \(report.next) \(report.findings)")
      #expect(report.counts["imu0 rows"] ?? report.counts["odometry0 rows"] ?? 0 > 100, "\(name)")
    }
    let output = try Folder(), source = cases.appendingPathComponent("vidimu").path
    #expect(ImportKind.guess(source)?.kind == .videoIMU)
    let error = #expect(throws: DatasetError.self) {
      try Importer.run(.videoIMU, source: source, output: output.url.path)
    }
    #expect(error?.found.contains("18 bytes that hold no readings") == true)
  }
}
