import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// STAR-loc as downloaded imports to what was once made of it by hand.
@Suite struct ImportRecordings {
  @Test(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message))) func starlocGivesTheSameAnswer() throws
  {
    let shared = try #require(SharedData.root)
    let scratch = try Scratch()
    let made = try FuseProcess.run(
      ["import", "starloc", shared.appendingPathComponent("foreign/starloc").path, "-o", "walk"], in: scratch.url)
    #expect(made.status == 0, "\(made.stdout)\(made.stderr)")
    let reference = shared.appendingPathComponent("real/starloc-loop-2d-fast_s1")
    func rows(_ folder: URL, _ name: String) throws -> [[Double]] {
      let text = String(
        decoding: try Data(contentsOf: folder.appendingPathComponent("mav0/\(name)/data.csv")), as: UTF8.self)
      return text.split(separator: "\n").dropFirst().map {
        $0.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? -1 }
      }
    }
    let walk = scratch.url.appendingPathComponent("walk")
    for name in ["uwb0", "odometry0", "state_groundtruth_estimate0", "peers_groundtruth0"] {
      let (new, old) = (try rows(walk, name), try rows(reference, name))
      #expect(new.count == old.count, "\(name)")
      for (a, b) in zip(new, old) where name != "uwb0" {
        #expect(a[0] == b[0])
        // q and -q are one rotation.
        let sign: Double = a.count == 8 && zip(a[4...], b[4...]).reduce(0, { $0 + $1.0 * $1.1 }) < 0 ? -1 : 1
        #expect(
          zip(a, b).enumerated().allSatisfy { k, pair in abs((k > 3 ? sign : 1) * pair.0 - pair.1) < 2e-6 }, "\(name)")
      }
    }
    for (folder, output) in [(walk.path, "new"), (reference.path, "old")] {
      #expect(try FuseProcess.run(["run", folder, "-o", output, "--quiet"], in: scratch.url, limit: 600).status == 0)
    }
    // The same poses; the device's axes come from the data set's calibration, a third of a degree off the fitted ones.
    func last(_ output: String) throws -> [String: [String: Any]] {
      var found: [String: [String: Any]] = [:]
      for line in String(decoding: try scratch.bytes("\(output)/updates.jsonl"), as: UTF8.self).split(separator: "\n") {
        let update = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        if let peer = update["peer"] as? String { found[peer] = update }
      }
      return found
    }
    let (new, old) = (try last("new"), try last("old"))
    #expect(new.keys.sorted() == old.keys.sorted())
    for (peer, update) in old {
      let (a, b) = (new[peer]?["distance"] as? Double, update["distance"] as? Double)
      #expect(abs(try #require(a) - #require(b)) < 0.01)
      let status = { (u: [String: Any]?) in (u?["convergence"] as? [String: Any])?["status"] as? String }
      #expect(status(new[peer]) == status(update), "\(peer)")
      if let x = new[peer]?["horizontalAngle"] as? Double, let y = update["horizontalAngle"] as? Double {
        #expect(abs(remainder(x - y, 2 * .pi)) < 0.02, "\(peer)")
      }
    }
  }
}
