import Foundation

/// The parts of a `result.json` used by tests.
package struct RunResult: Decodable {
  package struct Statistics: Decodable {
    package var rms: Double
    package var final: Double
  }
  package struct Trajectory: Decodable {
    package var ateYawAligned: Double
    package var pathLength: Double
  }
  package struct PeerErrors: Decodable {
    package var judged: Int
    package var angleErrorDegrees: Statistics?
    package var intervals: Int
    package var coverage90: Double?
    package var coverage90Tolerant: Double?
    package var finalIntervalHalfWidthDegrees: Double?
    package var converged: Int
    package var falseConverged: Double?
  }
  package struct Errors: Decodable {
    package var trajectory: Trajectory?
    package var peers: [String: PeerErrors]
  }
  package struct Peer: Decodable {
    package var updates: Int
    package var convergedAt: Double?
  }
  package struct Counts: Decodable { package var internalErrors: Int }

  package var peers: [String: Peer]
  package var errors: Errors?
  package var counts: Counts

  /// Runs `fuse run` on a folder, quietly, and reads its results.
  package static func running(_ folder: URL, _ arguments: [String] = []) throws -> (result: RunResult, seconds: Double)
  {
    struct Timing: Decodable {
      var wallSeconds: Double
      var recordingSeconds: Double
    }
    struct Failed: Error { var words: String }
    let scratch = try Scratch()
    let run = try FuseProcess.run(["run", folder.path, "-o", scratch.path("out"), "--quiet"] + arguments, limit: 500)
    guard run.status == 0 else { throw Failed(words: run.stderr) }
    let decoder = JSONDecoder()
    return (
      try decoder.decode(RunResult.self, from: scratch.bytes("out/result.json")),
      try decoder.decode(Timing.self, from: scratch.bytes("out/timing.json")).wallSeconds
    )
  }
}
