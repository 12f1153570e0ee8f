import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// A recording as event lines and back: the folder's bytes.
@Suite struct EventLineRecordings {
  /// Runs a shell command line with `fuse` in its path; at most two minutes.
  private func shell(_ line: String, in scratch: Scratch) throws -> (status: Int32, stdout: String, stderr: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-o", "pipefail", "-c", "timeout 120 bash -o pipefail -c '\(line)'"]
    process.currentDirectoryURL = scratch.url
    process.environment = ["PATH": FuseProcess.binary.deletingLastPathComponent().path + ":/usr/bin:/bin"]
    let (out, err) = (scratch.url.appendingPathComponent("sh.out"), scratch.url.appendingPathComponent("sh.err"))
    for file in [out, err] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: try Data(contentsOf: out), as: UTF8.self),
      String(decoding: try Data(contentsOf: err), as: UTF8.self)
    )
  }

  @Test(arguments: [
    "demo", "arc", "arc-above", "arc-aoa", "dark", "moving", "nlos", "search", "still", "straight", "two-peers",
  ])
  func sameBytes(_ name: String) throws {
    let scratch = try Scratch()
    let folder = Repository.root.appendingPathComponent("datasets/\(name)").path
    let run = try shell("fuse run \(folder) -o folder --quiet", in: scratch)
    try #require(run.status == 0, "\(run.stderr)")
    let piped = try shell("fuse stream \(folder) | fuse run - -o stream --quiet", in: scratch)
    try #require(piped.status == 0, "\(piped.stderr)")
    for file in ["updates.jsonl", "trajectory.tum"] {
      #expect(try scratch.bytes("stream/\(file)") == scratch.bytes("folder/\(file)"), "\(name): \(file)")
    }
  }

  @Test func aPartIsAPrefixAndIsSaid() throws {
    let scratch = try Scratch()
    let folder = Repository.root.appendingPathComponent("datasets/demo").path
    _ = try shell("fuse run \(folder) -o folder --quiet", in: scratch)
    let part = try shell("fuse stream \(folder) | head -n 1000 | fuse run - --format jsonl", in: scratch)
    #expect(part.stderr.contains("what was read is a part of a stream"))
    let whole = try scratch.bytes("folder/updates.jsonl")
    let lines = try scratch.bytes("stdin-fuse/updates.jsonl")
    #expect(!lines.isEmpty && lines.count < whole.count && whole.starts(with: lines))
    #expect(Data(part.stdout.utf8) == lines)
    let result = try #require(
      JSONSerialization.jsonObject(with: scratch.bytes("stdin-fuse/result.json")) as? [String: Any])
    #expect(result["inputs"] is NSNull && result["errors"] is NSNull)
  }

  /// An update leaves with the line that releases it, while the stream goes on.
  @Test func updatesLeaveAsTheyCome() throws {
    let scratch = try Scratch()
    let folder = Repository.root.appendingPathComponent("datasets/demo").path
    // The stream stalls after 1000 lines; the updates so far must be out before it goes on.
    let run = try shell(
      "(fuse stream \(folder) | head -n 1000; sleep 3; wc -l < seen > before) | fuse run - --quiet --format jsonl > seen; wc -l < seen",
      in: scratch)
    let before = Int(
      String(decoding: try scratch.bytes("before"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    let all = Int(run.stdout.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(try #require(before) > 0 && before == all)
  }

  @Test(arguments: [
    ("", "standard input:1: no line"), ("{}", "an object without an event"),
    ("{\"version\":2}", "version 2, expected version 1"),
    ("{\"range\":{\"t\":1,\"peer\":\"a\",\"range\":1}}", "expected the header first"),
  ])
  func faults(_ line: String, _ words: String) throws {
    let scratch = try Scratch()
    try Data((line.isEmpty ? "" : line + "\n").utf8).write(to: scratch.url.appendingPathComponent("lines"))
    let run = try shell("fuse run - < lines", in: scratch)
    #expect(run.status == 2 && run.stderr.hasPrefix("error: ") && run.stderr.contains(words), "\(run.stderr)")
  }
}
