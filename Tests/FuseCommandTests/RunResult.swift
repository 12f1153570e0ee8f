import Foundation

/// The parts of a `result.json` used by tests.
struct RunResult: Decodable {
  struct Statistics: Decodable {
    var rms: Double
    var final: Double
  }
  struct Trajectory: Decodable {
    var ateYawAligned: Double
    var pathLength: Double
  }
  struct PeerErrors: Decodable {
    var judged: Int
    var angleErrorDegrees: Statistics?
    var intervals: Int
    var coverage90: Double?
    var coverage90Tolerant: Double?
    var finalIntervalHalfWidthDegrees: Double?
    var converged: Int
    var falseConverged: Double?
  }
  struct Errors: Decodable {
    var trajectory: Trajectory?
    var peers: [String: PeerErrors]
  }
  struct Peer: Decodable {
    var updates: Int
    var convergedAt: Double?
  }
  struct Counts: Decodable { var internalErrors: Int }

  var peers: [String: Peer]
  var errors: Errors?
  var counts: Counts

  /// Runs `fuse run` on a folder, quietly, and reads its results.
  static func running(_ folder: URL, _ arguments: [String] = []) throws -> (result: RunResult, seconds: Double) {
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
