import Foundation
import PrecisionFinding
import Simulation
import TestSupport
import Testing

/// The README's code is compiled here (`ReadmeSnippet.swift`) and run.
@Suite struct ReadmeTests {
  /// After a change of either, copy one into the other.
  @Test func theSnippetIsTheCompiledOne() throws {
    let readme = try String(contentsOf: Repository.root.appendingPathComponent("README.md"), encoding: .utf8)
    let begin = try #require(readme.range(of: "```swift\nimport PrecisionFinding\n"))
    let rest = readme[begin.lowerBound...].dropFirst("```swift\n".count)
    let snippet = try #require(rest.range(of: "```")).lowerBound
    let compiled = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("ReadmeSnippet.swift")
    #expect(try String(contentsOf: compiled, encoding: .utf8) == String(rest[..<snippet]))
  }

  #if os(Linux)
    /// It prints a line an update: at last the tag's angle, in radians.
    @Test func theSnippetPrintsTheAngle() async throws {
      let child = try #require(
        await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
          let simulator = try Simulator(scenario: Scenario.named("arc"), seed: 1)
          printUpdates(of: simulator.events(), rig: simulator.rig)
        })
      let lines = String(decoding: child.standardOutputContent, as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("tag ") }
      #expect(lines.count > 50)
      #expect(lines.first?.contains("no angle") == true)
      let angles = lines.filter { $0.contains("...") }
      #expect(angles.count > 10)
    }
  #endif
}
