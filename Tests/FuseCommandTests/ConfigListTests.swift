import Foundation
import FuseCommandTestSupport
import PrecisionFinding
import RunResults
import Settings
import Testing

/// `fuse config`: the list is a settings file with the defaults.
@Suite struct ConfigListTests {
  /// Read back it gives the defaults, so that no default in it is wrong and no line is malformed.
  @Test func theListIsAFileOfTheDefaults() throws {
    let listing = try FuseProcess.run(["config", "--list"])
    try #require(listing.status == 0, "\(listing.stderr)")
    #expect(try ConfigurationFile.parse(listing.stdout, file: "list") == FinderConfiguration())
    let lines = listing.stdout.split(separator: "\n").map(String.init)
    for key in ConfigurationKey.all {
      #expect(lines.contains { $0.trimmingCharacters(in: .whitespaces).hasPrefix("\(key.shortName): ") }, "\(key.name)")
    }
    // Only the list of pairs cannot be broken.
    #expect(lines.allSatisfy { $0.count <= 80 || $0.contains("noiseCandidates") })
  }

  /// Every setting has a sentence, and a unit unless it is a flag.
  @Test func everySettingIsExplained() {
    for key in ConfigurationKey.all {
      #expect(key.meaning.count >= 15 && key.meaning.hasSuffix("."), "\(key.name)")
      #expect(key.unit.isEmpty == (key.permitted == "true or false"), "\(key.name)")
      #expect(!key.name.hasSuffix("Degrees") || key.unit == "deg" || key.unit == "probability", "\(key.name)")
    }
    #expect(Set(ConfigurationKey.all.map(\.meaning)).count == ConfigurationKey.all.count)
  }

  @Test func aWordSelects() throws {
    let nlos = try FuseProcess.run(["config", "--list", "NLOSSpread"]).stdout
    #expect(nlos.contains("  nlosSpread: 0.8\n") && nlos.contains("longNLOSSpread") && !nlos.contains("biasPrior"))
    let wrong = try FuseProcess.run(["config", "--list", "reorderWidow"])
    #expect(wrong.status == 2 && wrong.stderr.contains("did you mean 'reorderWindow'?"))
    #expect(try FuseProcess.run(["config"]).status == 64)
  }

  @Test func aFileIsChecked() throws {
    let scratch = try Scratch()
    try "ranging:\n  biasPrior: 0.5\n".write(toFile: scratch.path("c.yaml"), atomically: true, encoding: .utf8)
    #expect(try FuseProcess.run(["config", scratch.path("c.yaml")]).stdout.hasSuffix("\n  ranging.biasPrior\n"))
    try "ranging:\n  biasPriors: 0.5\n".write(toFile: scratch.path("c.yaml"), atomically: true, encoding: .utf8)
    let wrong = try FuseProcess.run(["config", scratch.path("c.yaml")])
    #expect(wrong.status == 2 && wrong.stderr.contains("c.yaml:2:") && wrong.stderr.contains("'ranging.biasPrior'?"))
  }
}
