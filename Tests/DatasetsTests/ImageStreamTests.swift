import Datasets
import DatasetsTestSupport
import Foundation
import Images
import SensorData
import Testing

/// Recordings with images instead of tracks: the tracker's input, and the handling of unusable images.
@Suite struct ImageStreamTests {
  /// Returns its input: the image's grey level as a feature's id, and the number of readings before.
  private final class EchoTracker: ImageTracking {
    private var readings = 0

    func add(_ sample: IMUSample) { readings += 1 }

    func frames(_ images: [GrayImage?], exposures: [Double?], at stamp: Timestamp) -> [CameraFrame] {
      images.enumerated().compactMap { camera, image in
        image.map {
          CameraFrame(
            timestamp: stamp, camera: camera,
            features: [FeatureObservation(featureID: Int64($0.pixels[0]), u: Double(readings), v: 0)],
            exposure: exposures[camera])
        }
      }
    }
  }

  private static let list = "mav0/cam0/data.csv"
  private static let count = 1200

  private static func name(_ index: Int) -> String { "\(Fixture.start + Int64(index) * 5_000_000).png" }

  private static func options(readsAhead: Bool = false, strict: Bool = false, ignoresTracks: Bool = false)
    -> ReadingOptions
  {
    ReadingOptions(
      strict: strict,
      tracking: ImageTrackingOptions(readsAhead: readsAhead, ignoresTracks: ignoresTracks) { _, _ in EchoTracker() })
  }

  /// A recording of many tiny images.
  private static func fixture(cameras: Int = 1, count: Int = Self.count) throws -> Fixture {
    let fixture = try Fixture()
    try fixture.remove(Fixture.features)
    let yaml = Fixture.cameraYAML.replacingOccurrences(of: "[640, 480]", with: "[24, 16]")
    for camera in 0..<cameras {
      try fixture.write("mav0/cam\(camera)/sensor.yaml", yaml)
      try fixture.write(
        "mav0/cam\(camera)/data.csv", "#timestamp [ns],filename",
        (0..<count).map { "\(Fixture.start + Int64($0) * 5_000_000),\(name($0))" })
      for index in 0..<count {
        let pixels = [UInt8](repeating: UInt8((index + camera) % 256), count: 24 * 16)
        let bytes = try GrayImage(width: 24, height: 16, pixels: pixels).png()
        try fixture.write("mav0/cam\(camera)/data/\(name(index))", data: Data(bytes))
      }
    }
    return fixture
  }

  @Test func theTrackerSeesEveryImageAndTheReadingsBeforeIt() throws {
    let fixture = try Self.fixture()
    let reading = try fixture.read(Self.options())
    #expect(reading.frames.count == Self.count && reading.imu.count == Fixture.rows)
    for (index, frame) in reading.frames.enumerated() {
      #expect(frame.features[0].featureID == Int64(index % 256) && frame.features[0].u == Double(index + 1))
    }
    // The same on a second thread, and when the reading ends early.
    #expect(try fixture.read(Self.options(readsAhead: true)).events == reading.events)
    var short = Self.options()
    short.to = 2
    #expect(try fixture.read(short).frames == reading.frames.prefix(401).map { $0 })
  }

  @Test func bothCamerasComeTogether() throws {
    let fixture = try Self.fixture(cameras: 2, count: 300)
    // cam1 lacks one frame, has one without counterpart, and a third is slightly late.
    try fixture.edit("mav0/cam1/data.csv", line: 12) { _ in "\(Fixture.start + 52_000_000),\(Self.name(10))" }
    try fixture.edit("mav0/cam1/data.csv", line: 22) { _ in "\(Fixture.start + 100_900_000),\(Self.name(20))" }
    let recording = try fixture.open(Self.options())
    #expect(recording.rig.cameras.count == 2 && recording.rig.cameras[1].featureIDs == .shared)
    let reading = try Reading(recording)
    let frames = reading.frames
    #expect(frames.count == 599 && reading.counts("mav0/cam1/data.csv") == [.unpairedImage: 1])
    #expect(frames.filter { $0.timestamp.nanoseconds == Fixture.start + 100_000_000 }.map(\.camera) == [0, 1])
    #expect(try fixture.read(Self.options(strict: true)).frames == frames)
    #expect(frames.filter { $0.timestamp.nanoseconds == Fixture.start + 50_000_000 }.map(\.camera) == [0])
    #expect(frames.prefix(4).map(\.camera) == [0, 1, 0, 1])
  }

  /// Every kind of bad image is counted, also in short recordings.
  @Test(arguments: [
    ("missing", DamageKind.missingImage), ("empty", .damagedImage), ("truncated", .damagedImage),
    ("text", .damagedImage),
    ("smaller", .wrongImageSize), ("huge", .damagedImage), ("folder", .missingImage),
  ])
  func badImagesAreCounted(_ how: String, _ kind: DamageKind) throws {
    for row in [0, 7, 29] {
      let fixture = try Self.fixture(count: 30)
      try Self.damage(fixture, row, how)
      let reading = try fixture.read(Self.options(readsAhead: true))
      #expect(reading.counts(Self.list) == [kind: 1] && reading.frames.count == 29)
      let error = try #require(throws: DatasetError.self) { try fixture.read(Self.options(strict: true)) }
      #expect(error.line == row + 2 && error.file.hasSuffix(Self.list) && error.found.contains(Self.name(row)))
    }
  }

  private static func damage(_ fixture: Fixture, _ row: Int, _ how: String) throws {
    let file = "mav0/cam0/data/\(name(row))"
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path(file)))
    switch how {
    case "missing": try fixture.remove(file)
    case "empty": try fixture.write(file, data: Data())
    case "truncated": try fixture.write(file, data: whole.dropLast(20))
    case "text": try fixture.write(file, "P5 24 16 255\n")
    case "smaller":
      let image = GrayImage(width: 23, height: 16, pixels: [UInt8](repeating: 1, count: 23 * 16))
      try fixture.write(file, data: Data(image.png()))
    case "huge":
      // 20,000 x 20,000 by its header: refused before memory is allocated.
      var bytes = [UInt8](whole)
      for offset in [16, 20] { bytes.replaceSubrange(offset..<offset + 4, with: [0, 0, 0x4E, 0x20]) }
      try fixture.write(file, data: Data(bytes))
    default:
      try fixture.remove(file)
      try FileManager.default.createDirectory(atPath: fixture.path(file), withIntermediateDirectories: true)
    }
  }

  /// Up to half of the images may be bad; more end the reading early.
  @Test func mostlyBadImagesEndTheReading() throws {
    for (bad, isFatal) in [(15, false), (16, true)] {
      let fixture = try Self.fixture(count: 30)
      for row in (0..<30).reversed().prefix(bad) { try Self.damage(fixture, row, "empty") }
      if isFatal {
        let error = try #require(throws: DatasetError.self) { try fixture.read(Self.options()) }
        #expect(error.line == 16 && error.found.hasPrefix("16 of 30 images that cannot be used"))
        #expect(error.found.contains(Self.name(14)))
      } else {
        let reading = try fixture.read(Self.options())
        #expect(reading.frames.count == 15 && reading.counts(Self.list) == [.damagedImage: 15])
      }
    }
    let fixture = try Self.fixture(count: 200)
    try fixture.remove("mav0/cam0/data")
    try fixture.write("mav0/cam0/data/nothing", "")
    let error = try #require(throws: DatasetError.self) { try fixture.read(Self.options(readsAhead: true)) }
    #expect(error.line == 2 && error.found.hasPrefix("20 of 20 images"))
  }

  /// Half of the exposure is added to timestamps of its start, from either file; frames carry the exposure.
  @Test(arguments: ["mav0/cam0/exposure.csv", "mav0/cam0/times.txt", "dso/cam0/times.txt"])
  func exposuresMoveStamps(_ file: String) throws {
    let fixture = try Self.fixture(count: 30)
    func exposure(_ row: Int) -> Int { 1_000_000 + 100_000 * (row % 7) }
    // One image has no exposure.
    let rows = (0..<30).filter { $0 != 11 }
    if file.hasSuffix("csv") {
      try fixture.write(
        file, "#timestamp [ns], exposure time[ns]", rows.map { "\(Fixture.time($0)), \(exposure($0))" })
    } else {
      try fixture.write(
        file, "# a comment",
        rows.map {
          let time = Fixture.time($0), text = String(1_000_000_000 + time % 1_000_000_000).dropFirst()
          return "\(time) \(time / 1_000_000_000).\(text) \(Double(exposure($0)) / 1e6)"
        })
    }
    let plain = try fixture.read(Self.options()).frames
    #expect(try fixture.open(Self.options()).lastTimestamp().nanoseconds == Fixture.time(Fixture.rows - 1))
    #expect(plain.map(\.timestamp.nanoseconds) == (0..<30).map(Fixture.time))
    for (stamps, sign) in [("start", Int64(1)), ("end", -1), ("middle", 0)] {
      try fixture.write("dataset.yaml", "image_stamps: \(stamps)\n")
      let reading = try fixture.read(Self.options())
      #expect(reading.counts(Self.list) == (sign == 0 ? [:] : [.missingExposure: 1]))
      let expected = (0..<30).filter { sign == 0 || $0 != 11 }
      #expect(
        reading.frames.map(\.timestamp.nanoseconds)
          == expected.map { Fixture.time($0) + sign * Int64(exposure($0) / 2) })
      for (row, frame) in zip(expected, reading.frames) {
        #expect(
          abs((frame.exposure ?? 1) - Double(exposure(row)) * 1e-9) < 1e-12 || (row == 11 && frame.exposure == nil))
      }
    }
    try fixture.write("dataset.yaml", "image_stamps: begin\n")
    #expect(throws: DatasetError.self) { try fixture.open(Self.options()) }
  }

  @Test func stampsOfTheStartNeedExposures() throws {
    let fixture = try Self.fixture(count: 30)
    try fixture.write("dataset.yaml", "image_stamps: start\n")
    let error = try #require(throws: DatasetError.self) { try fixture.open(Self.options()) }
    #expect(error.found.contains("no exposures"))
    for line in [
      "1 twelve 1.5", "1 12", "1 12 -3", "1 12 nan", "1 9999999999.999999999 1", "1 12345678901 1", "1 .5 1",
      "1 1.5e3 1",
    ] {
      try fixture.write("mav0/cam0/times.txt", "0 12 1.5\n\(line)\n")
      let fault = try #require(throws: DatasetError.self) { try fixture.read(Self.options()) }
      #expect(fault.line == 2 && fault.file.hasSuffix("times.txt"), "\(line)")
    }
  }

  @Test func theSecondCameraHasItsOwnSize() throws {
    let fixture = try Self.fixture(cameras: 2, count: 10)
    try fixture.replace("mav0/cam1/sensor.yaml", "[24, 16]", with: "[16, 20]")
    for row in 0..<10 {
      let image = GrayImage(width: 16, height: 20, pixels: [UInt8](repeating: 3, count: 320))
      try fixture.write("mav0/cam1/data/\(Self.name(row))", data: Data(image.png()))
    }
    #expect(try fixture.read(Self.options()).frames.map(\.camera) == (0..<20).map { $0 % 2 })
  }

  @Test func namesStayInTheFolder() throws {
    let fixture = try Self.fixture(count: 200)
    for name in ["../data.csv", "/etc/passwd", ".."] {
      try fixture.edit(Self.list, line: 5) { $0.prefix { $0 != "," } + "," + name }
      let error = try #require(throws: DatasetError.self) { try fixture.read(Self.options()) }
      #expect(error.line == 5)
    }
  }

  @Test func tracksTakePrecedenceUnlessImagesAreRequested() throws {
    let fixture = try Self.fixture(count: 200)
    try fixture.write(
      Fixture.features, Fixture.featureHeader, (0..<200).map { "\(Fixture.start + Int64($0) * 5_000_000),5000,1,1" })
    #expect(try fixture.read(Self.options()).frames[0].features[0].featureID == 5000)
    #expect(try fixture.read(Self.options(ignoresTracks: true)).frames[0].features[0].featureID == 0)
    #expect(try fixture.open(Self.options(ignoresTracks: true)).hasTracks)
  }

  @Test func aMaskIsReadAndMustFit() throws {
    let fixture = try Self.fixture(count: 200)
    try fixture.write(
      "mav0/cam0/mask.png",
      data: Data(GrayImage(width: 24, height: 16, pixels: [UInt8](repeating: 9, count: 384)).png()))
    var options = Self.options()
    nonisolated(unsafe) var seen: [GrayImage?] = []
    options.tracking = ImageTrackingOptions(readsAhead: false) { _, masks in
      seen = masks
      return EchoTracker()
    }
    _ = try fixture.read(options)
    #expect(seen.first??.pixels.first == 9)
    // Regression: a mask was read as a table when searching for the end of the recording.
    #expect(try fixture.open(options).lastTimestamp().nanoseconds == Fixture.time(Fixture.rows - 1))
    try fixture.write(
      "mav0/cam0/mask.png", data: Data(GrayImage(width: 4, height: 4, pixels: [UInt8](repeating: 9, count: 16)).png()))
    let error = try #require(throws: DatasetError.self) { try fixture.read(options) }
    #expect(error.file.hasSuffix("mask.png") && error.found.contains("4x4"))
  }

  /// Written tracks read back as the same frames.
  @Test func writtenTracksReadBack() throws {
    let fixture = try Self.fixture(cameras: 2, count: 200)
    try fixture.write(
      "mav0/cam0/exposure.csv", "#timestamp [ns],exposure time[ns]", (0..<100).map { "\(Fixture.time($0)),\(7 * $0)" })
    let recording = try fixture.open(Self.options())
    let writer = try TrackWriter(recording)
    let frames = try Reading(recording).frames.map { frame in
      var frame = frame
      frame.meanLuma = 0.1234
      frame.view = .covered
      frame.measures = ImageMeasures(
        darkShare: 0.5, saturatedShare: 0.25, texture: 3.1415, sharpness: 2, noise: 1.5, coverage: 0.125)
      return frame
    }
    for frame in frames { try writer.write(frame, arrival: frame.timestamp) }
    #expect(try writer.commit() == ["mav0/cam1/sensor.yaml: feature_ids: shared"])
    #expect(try fixture.read().frames == frames)
    #expect(try fixture.open().rig == recording.rig && fixture.open().warnings == recording.warnings)
  }
}
