import Datasets
import Foundation
import Images
import SensorData
import Simulation
import Testing

/// The image sensor, and the written image folder.
@Suite struct ImageTests {
  private static func frames(_ simulator: Simulator) -> [CameraFrame] {
    simulator.events().compactMap { if case .frame(let frame) = $0.event { frame } else { nil } }
  }

  private static func short(_ name: String) throws -> Scenario {
    var scenario = try Scenario.named(name)
    scenario.motion = [.motion(.hold(duration: 0.2)), .motion(.turn(duration: 0.5, angle: 0.5, arm: 0.4))]
    return scenario
  }

  /// Mean and variance of a flat grey are those of shot and read noise (and of rounding, 1/12), within four sigma.
  @Test(arguments: [0.02, 0.1, 0.5, 0.8]) func noiseIsShotAndReadNoise(luma: Double) {
    var random = SeededRandom(seed: 4)
    let light = [Float](repeating: 0.3, count: 640 * 480)
    let image = ImageSensor.image(light, width: 640, height: 480, meanLuma: luma, random: &random)
    let n = Double(image.pixels.count)
    let mean = image.pixels.reduce(0) { $0 + Double($1) } / n
    let variance = image.pixels.reduce(0) { $0 + pow(Double($1) - mean, 2) } / n
    let read = Double(ImageSensor.readNoise)
    let expected = read * read + 255 * luma * 255 / Double(ImageSensor.fullWell) + 1.0 / 12
    #expect(abs(mean - 255 * luma) < 4 * (expected / n).squareRoot() + 1e-3)
    // The table of 8192 draws adds its own sampling error.
    #expect(abs(variance / expected - 1) < 4 * (2 / n + 2.0 / 8192).squareRoot())
  }

  @Test func exposureReachesTheMeanThoughBrightPartsSaturate() {
    var random = SeededRandom(seed: 5)
    let light = (0..<640 * 480).map { $0 % 4 == 0 ? Float(1) : 0.2 }
    let image = ImageSensor.image(light, width: 640, height: 480, meanLuma: 0.5, random: &random)
    // A quarter is white, the rest at 1/3; noise saturates at white: 1 grey level at most.
    #expect(abs(image.meanLuma - 0.5) < 1.5 / 255)
  }

  @Test func imageBrightnessMatchesTheFrames() throws {
    let simulator = try Simulator(scenario: Self.short("stereo"), seed: 3)
    let images = try #require(ImageSimulator(simulator))
    let frames = Self.frames(simulator)
    #expect(Set(frames.map(\.camera)) == [0, 1])
    for frame in frames.prefix(6) { #expect(abs(images.image(of: frame).meanLuma - frame.meanLuma!) < 0.003) }
  }

  /// No light: only sensor noise, independent in every image.
  @Test func darknessIsDark() throws {
    var scenario = try Self.short("dark")
    scenario.camera!.dark = [0.0...0.3]
    let simulator = try Simulator(scenario: scenario, seed: 3)
    let images = try #require(ImageSimulator(simulator))
    let frames = Self.frames(simulator)
    let (a, b) = (images.image(of: frames[1]), images.image(of: frames[2]))
    #expect(a.meanLuma < 0.04 && b.meanLuma < 0.04 && a.pixels.max()! < 20)
    let means = (a.meanLuma * 255, b.meanLuma * 255)
    let products = zip(a.pixels, b.pixels).map { (Double($0) - means.0) * (Double($1) - means.1) }
    let noise = pow(Double(ImageSensor.readNoise), 2) + 1
    #expect(abs(products.reduce(0, +) / Double(products.count)) < 4 * noise / Double(products.count).squareRoot())
    // The light is back.
    let lit = frames.first { $0.timestamp.seconds(since: Simulator.start) > 0.31 }!
    #expect(images.radiance(of: frames[1]).allSatisfy { $0 == 0 } && images.image(of: lit).meanLuma > 0.4)
  }

  @Test func sameSeedSameImagesAndOtherSeedOthers() throws {
    func image(_ seed: UInt64, _ number: Int = 4) throws -> GrayImage {
      let simulator = try Simulator(scenario: Self.short("arc"), seed: seed)
      return try #require(ImageSimulator(simulator)).image(of: Self.frames(simulator)[number])
    }
    let once = try image(7)
    #expect(try once == image(7))
    #expect(try once.png() == image(7).png())
    #expect(try once != image(8))
    #expect(try once != image(7, 5))
  }

  /// A room of blank faces, without furniture, is a few flat shades.
  @Test func blankFacesAreFlat() throws {
    var scenario = try Self.short("arc")
    scenario.room.furniture = 0
    scenario.room.blank = Scenario.Face.allCases
    let simulator = try Simulator(scenario: scenario, seed: 3)
    let images = try #require(ImageSimulator(simulator))
    #expect(Set(images.radiance(of: Self.frames(simulator)[3])).count <= 6)
  }

  /// A long exposure blurs motion: differences between neighbours fall, the mean stays.
  @Test func exposureSmearsWhatMoves() throws {
    func image(_ exposure: Double) throws -> [Float] {
      var scenario = try Self.short("arc")
      scenario.camera!.shutter.exposure = exposure
      let simulator = try Simulator(scenario: scenario, seed: 3)
      return try #require(ImageSimulator(simulator)).radiance(of: Self.frames(simulator)[9])
    }
    func roughness(_ image: [Float]) -> Float { zip(image, image.dropFirst()).reduce(0) { $0 + abs($1.0 - $1.1) } }
    let (sharp, smeared) = (try image(0), try image(0.02))
    #expect(roughness(smeared) < 0.5 * roughness(sharp))
    let ratio: Float = smeared.reduce(0, +) / sharp.reduce(0, +)
    #expect(abs(ratio - 1) < 0.01)
  }

  /// Tables are the same with and without images; images are listed; a later recording without images removes them.
  @Test func imagesAreWrittenBesideTheTables() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuse-images-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let simulator = try Simulator(scenario: Self.short("stereo"), seed: 3)
    let contents = simulator.recording()
    let images = try #require(ImageSimulator(simulator))
    let frames = Self.frames(simulator).filter { $0.camera == 1 }.prefix(2)
    try DatasetWriter(folder: folder).write(contents) { staged in
      var writer = CameraImageWriter(folder: staged, camera: 1)
      for frame in frames { try writer.write(images.image(of: frame), at: frame.timestamp) }
      try writer.finish()
    }
    for (name, bytes) in try DatasetWriter.files(contents) {
      #expect(FileManager.default.contents(atPath: folder.appendingPathComponent(name).path) == Data(bytes))
    }
    let camera = folder.appendingPathComponent("mav0/cam1")
    let list = try String(contentsOf: camera.appendingPathComponent("data.csv"), encoding: .utf8)
    let stamps = frames.map { "\($0.timestamp.nanoseconds)" }
    #expect(list == "#timestamp [ns],filename\n" + stamps.map { "\($0),\($0).png\n" }.joined())
    for (frame, stamp) in zip(frames, stamps) {
      let data = try Data(contentsOf: camera.appendingPathComponent("data/\(stamp).png"))
      #expect(try GrayImage(encoded: Array(data)) == images.image(of: frame))
    }
    #expect(try Recording.open(folder, options: ReadingOptions(strict: true)).warnings.isEmpty)
    let other = camera.appendingPathComponent("data/notes.txt")
    try Data("mine".utf8).write(to: other)
    try DatasetWriter(folder: folder).write(contents)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: camera.appendingPathComponent("data").path) == ["notes.txt"])
    #expect(!FileManager.default.fileExists(atPath: camera.appendingPathComponent("data.csv").path))
  }
}
