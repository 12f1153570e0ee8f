import Foundation
import FuzzTargets
import Testing

/// The seeds of the fuzz targets, whole and cut off: what `tools/fuzz` begins with. A fault ends the process.
@Suite(.serialized) struct CorpusTests {
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fuzz/Corpus").standardizedFileURL

  private static func seeds(_ target: FuzzTarget) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: corpus.appendingPathComponent(target.rawValue), includingPropertiesForKeys: nil
    ).sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTarget.allCases) func takesEverySeed(_ target: FuzzTarget) throws {
    let seeds = try Self.seeds(target)
    #expect(!seeds.isEmpty)
    for seed in seeds {
      let bytes = [UInt8](try Data(contentsOf: seed))
      target.run(bytes)
      for share in 0..<8 { target.run(Array(bytes.prefix(bytes.count * share / 8))) }
    }
  }

  @Test func everyFolderOfTheCorpusHasATarget() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
    #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
  }
}
