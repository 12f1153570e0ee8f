import Foundation
import FuseCommandTestSupport
import Images
import TestSupport
import Testing

/// A simulated recording with images is used as without; images alone are tracked.
@Suite struct ImageRecordingTests {
  private static let scenario = """
    name: brief
    description: a short look around
    peers: [{id: tag, ahead_m: 3, right_m: 1, up_m: 0}]
    camera: {rate_hz: 10, tracks: 40}
    motion:
      - hold: {duration_s: 1.2}
      - arc: {duration_s: 1.5, horizontal_deg: 20, horizontal_period_s: 1.5}
    """

  @Test func tracksWinOverImages() throws {
    let scratch = try Scratch()
    func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }
    try Data(Self.scenario.utf8).write(to: URL(fileURLWithPath: path("brief.yaml")))
    let plain = try FuseProcess.run(["simulate", path("brief.yaml"), "-o", path("plain/r")])
    let withImages = try FuseProcess.run(["simulate", path("brief.yaml"), "-o", path("pictured/r"), "--images"])
    #expect(plain.status == 0 && withImages.status == 0, "\(withImages.stderr)")
    #expect(withImages.stdout.hasSuffix(", 28 images\n") && withImages.stderr.isEmpty)
    let files = FileManager.default
    for name in try files.subpathsOfDirectory(atPath: path("plain")) where name.contains(".") {
      #expect(
        files.contents(atPath: path("plain/" + name)) == files.contents(atPath: path("pictured/" + name)), "\(name)")
    }
    #expect(try files.contentsOfDirectory(atPath: path("pictured/r/mav0/cam0/data")).count == 28)
    for kind in ["plain", "pictured"] {
      let run = try FuseProcess.run(["run", path(kind + "/r"), "-o", path(kind + "-out"), "--quiet"])
      #expect(run.status == 0, "\(run.stderr)")
    }
    for name in ["updates.jsonl", "trajectory.tum", "result.json"] {
      let (a, b) = (
        files.contents(atPath: path("plain-out/" + name)), files.contents(atPath: path("pictured-out/" + name))
      )
      #expect(a == b && a != nil, "\(name)")
    }
    try files.removeItem(atPath: path("pictured/r/mav0/cam0/features.csv"))
    try files.removeItem(atPath: path("pictured/r/mav0/cam0/frames.csv"))
    try runsAreTheSameFromImagesAndFromFiles(path("pictured/r"), path)
  }

  /// `run` on images, the same on one thread, `track` and then `run`: the same updates and poses. And images of the
  /// tracks.
  private func runsAreTheSameFromImagesAndFromFiles(_ folder: String, _ path: (String) -> String) throws {
    func outputs(_ name: String, _ arguments: [String] = []) throws -> [Data?] {
      let run = try FuseProcess.run(["run", folder, "-o", path(name), "--quiet"] + arguments)
      #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
      return ["updates.jsonl", "trajectory.tum"].map { FileManager.default.contents(atPath: path(name + "/" + $0)) }
    }
    let fromImages = try outputs("a")
    #expect(try fromImages.allSatisfy { $0 != nil } && outputs("b", ["--sequential"]) == fromImages)
    let track = try FuseProcess.run(["track", folder])
    #expect(track.status == 0 && track.stdout.hasPrefix("cam0: 28 frames, "), "\(track.stderr)")
    let features = FileManager.default.contents(atPath: folder + "/mav0/cam0/features.csv")
    #expect(try outputs("c") == fromImages)
    let again = try FuseProcess.run(["track", folder])
    #expect(again.status == 2 && again.errorLines.count == 1 && again.stderr.contains("--force"))
    let forced = try FuseProcess.run(["track", folder, "--force", "--sequential", "--quiet"])
    #expect(forced.status == 0 && forced.stdout.isEmpty)
    #expect(FileManager.default.contents(atPath: folder + "/mav0/cam0/features.csv") == features && features != nil)
    let overlay = try FuseProcess.run(["track", folder, "--overlay", path("look")])
    #expect(overlay.status == 0 && overlay.stdout == "\(path("look")): 3 images\n")
    for name in try FileManager.default.contentsOfDirectory(atPath: path("look")) {
      let image = try GrayImage(encoded: [UInt8](#require(FileManager.default.contents(atPath: path("look/" + name)))))
      #expect(image.width == 640 && image.height == 480 && image.pixels.count { $0 == 255 } > 300)
    }
  }

  @Test func thereMustBeImagesToTrack() throws {
    let track = try FuseProcess.run(["track", Repository.root.appendingPathComponent("datasets/demo").path])
    #expect(track.status == 2 && track.errorLines.count == 1 && track.stderr.contains("found no images"))
  }

  @Test func imagesNeedACamera() throws {
    let scratch = try Scratch()
    let file = scratch.url.appendingPathComponent("blind.yaml")
    let text = "name: blind\ndescription: no eyes\ncamera: none\nmotion:\n  - hold: {duration_s: 1}\n"
    try Data(text.utf8).write(to: file)
    let output = scratch.url.appendingPathComponent("out")
    let run = try FuseProcess.run(["simulate", file.path, "-o", output.path, "--images"])
    #expect(run.status == 2 && run.stderr == "error: blind: found no camera, expected one for --images\n")
    #expect(!FileManager.default.fileExists(atPath: output.path))
  }
}
