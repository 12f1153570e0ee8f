import Foundation
import FuseCommandTestSupport
import TestSupport
import Testing

/// `hh_walk` with 1.5 m added to every range. Where `range_bias_std: 1.5` is stated, the angles are those of the
/// filter, for a premise that is stated to be uncertain is not refuted; where it is not stated, `rangeBias` is named.
@Suite(.enabled(if: SharedData.isHere, Comment(rawValue: SharedData.message)))
struct StatedBiasTests {
  private struct Run {
    var updates: Int
    var angles: Int
    var codes: [String]
    var tag: RunResult.PeerErrors
  }

  private static func run(states: Bool, _ settings: String = "{}\n") throws -> Run {
    struct Diagnosed: Decodable {
      struct Diagnosis: Decodable { var code: String }
      var diagnoses: [Diagnosis]
    }
    let scratch = try Scratch()
    let recording = scratch.url.appendingPathComponent("recording")
    try FileManager.default.copyItem(at: SharedData.recording("sim/hh_walk").resolvingSymlinksInPath(), to: recording)
    let radio = recording.appendingPathComponent("mav0/uwb0")
    let rows = try String(contentsOf: radio.appendingPathComponent("data.csv"), encoding: .utf8)
      .split(separator: "\n").map { row -> String in
        var cells = row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let range = Double(cells[2]) { cells[2] = String(range + 1.5) }
        return cells.joined(separator: ",")
      }
    try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: radio.appendingPathComponent("data.csv"))
    if states {
      let yaml = radio.appendingPathComponent("sensor.yaml")
      try (Data(contentsOf: yaml) + Data("range_bias_std: 1.5\n".utf8)).write(to: yaml)
    }
    try Data(settings.utf8).write(to: scratch.url.appendingPathComponent("settings.yaml"))
    let run = try FuseProcess.run(
      ["run", recording.path, "-o", scratch.path("out"), "--quiet", "--config", scratch.path("settings.yaml")])
    #expect(run.status == 0, "\(run.stderr)")
    let decoder = JSONDecoder()
    let result = try decoder.decode(RunResult.self, from: scratch.bytes("out/result.json"))
    let diagnosed = try decoder.decode(Diagnosed.self, from: scratch.bytes("out/result.json"))
    let tag = try #require(result.errors?.peers.values.first)
    return Run(
      updates: try #require(result.peers.values.first).updates, angles: tag.intervals,
      codes: diagnosed.diagnoses.map(\.code), tag: tag)
  }

  @Test func aStatedBiasKeepsItsAngles() throws {
    let run = try Self.run(states: true)
    #expect(run.codes.isEmpty, "\(run.codes)")
    let unwatched = try Self.run(states: true, "watchesPremises: false\n")
    #expect(unwatched.angles > 900)
    #expect(run.angles >= unwatched.angles * 99 / 100, "\(run.angles) of \(unwatched.angles)")
    #expect(try #require(run.tag.coverage90) > 0.9)
    #expect(try #require(run.tag.angleErrorDegrees).rms < 5)
    print("hh_walk + 1.5 m, stated: \(run.angles) angles of \(run.updates), without premises \(unwatched.angles)")
  }

  @Test func aBiasThatIsNotStatedIsNamed() throws {
    #expect(try Self.run(states: false).codes == ["rangeBias"])
  }
}
