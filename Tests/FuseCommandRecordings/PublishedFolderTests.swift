import Foundation
import FuseCommandTestSupport
import Testing

/// Folders in the layout of the datasets' archives run unchanged.
@Suite struct PublishedFolderTests {
  /// Runs it twice, on one thread the second time, and evaluates it against its ground truth.
  private func figures(_ folder: PublishedFolder, _ scratch: Scratch) throws -> (
    outcome: FuseProcess.Outcome, ate: Double?
  ) {
    let outcome = try FuseProcess.run(["run", folder.url.path, "-o", scratch.path("out")])
    #expect(outcome.status == 0, "\(outcome.stderr)")
    let again = try FuseProcess.run(["run", folder.url.path, "-o", scratch.path("again"), "--sequential", "--quiet"])
    #expect(again.status == 0)
    for name in ["trajectory.tum", "updates.jsonl", "result.json"] {
      let (one, other) = ("out/\(name)", "again/\(name)")
      let files = FileManager.default
      #expect(files.contents(atPath: scratch.path(one)) == files.contents(atPath: scratch.path(other)))
    }
    let judged = try FuseProcess.run(["eval", scratch.path("out"), "--format", "jsonl", "--no-ideal", "--quiet"])
    let line = try JSONSerialization.jsonObject(with: Data(judged.stdout.utf8)) as? [String: Any]
    return (outcome, line?["ateYawAligned"] as? Double)
  }

  /// Machine Hall with two dropped frames, a frame that only cam0 has, and a damaged image.
  @Test func euRoC() throws {
    let scratch = try Scratch()
    let folder = try PublishedFolder(in: scratch.url, camera: "resolution_px: [752, 480], focal_length_px: 458")
    try folder.convertToEuRoC(dropped: [14, 15])
    var list = try folder.text("mav0/cam1/data.csv").components(separatedBy: "\r\n")
    list.remove(at: 10)
    try folder.write("mav0/cam1/data.csv", list.joined(separator: "\r\n"))
    let damaged = try folder.rows("mav0/cam0/data.csv")[20].split(separator: ",")[1]
    try folder.write("mav0/cam0/data/\(damaged)", "")
    let (outcome, ate) = try figures(folder, scratch)
    #expect(outcome.stderr.contains("mav0/cam0/data.csv: 1 of 53 rows skipped (damagedImage 1)"), "\(outcome.stderr)")
    #expect(try #require(ate) < 0.05)
    // The positions of the laser tracker alone are no ground truth, and a warning says so.
    try folder.remove("mav0/state_groundtruth_estimate0")
    let blind = try FuseProcess.run(["run", folder.url.path, "-o", scratch.path("blind")])
    #expect(blind.status == 0 && blind.stderr.contains("leica0: positions without attitude are no ground truth"))
  }

  /// Fisheyes, 16 bits, Kalibr's calibration, exposures in `dso`, truth of a motion-capture room.
  @Test func tumVI() throws {
    let scratch = try Scratch()
    let lens = "lens: {model: equidistant, coefficients: [0.0035, 0.0007, -0.002, 0.0002]}"
    let folder = try PublishedFolder(
      in: scratch.url, camera: "resolution_px: [512, 512], focal_length_px: 191, \(lens)")
    try folder.convertToTUMVI()
    let (outcome, ate) = try figures(folder, scratch)
    #expect(!outcome.stderr.contains("skipped"), "\(outcome.stderr)")
    #expect(try #require(ate) < 0.05)
    let track = try FuseProcess.run(["track", folder.url.path])
    #expect(track.status == 0 && track.stdout.contains("cam1: "), "\(track.stderr)")
    let frames = try folder.rows("mav0/cam0/frames.csv")
    #expect(frames.count == 55 && frames.allSatisfy { $0.split(separator: ",").last == "3000000" })
  }
}
