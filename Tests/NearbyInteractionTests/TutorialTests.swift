import Foundation
import Testing

/// The code blocks of the pages are parts of the examples, which `tools/finder-sample` builds.
@Suite struct TutorialTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// Swift blocks of a page.
  static func blocks(_ page: String) throws -> [[String]] {
    let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { rest in
      lines(rest.components(separatedBy: "\n```")[0])
    }
  }

  /// All Swift files of the sample package.
  static func sources() throws -> [[String]] {
    let folder = root.appendingPathComponent("Examples/Finder")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".swift") && !$0.hasPrefix(".build")
    }
    return try paths.sorted().map {
      lines(try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
    }
  }

  /// The sample app needs these two modules only.
  @Test func theSampleAppImportsTwoModules() throws {
    let path = "Examples/Finder/Sources/FinderApp/Finder.swift"
    let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    let imports = Self.lines(text).filter { $0.hasPrefix("import ") || $0.hasPrefix("@") && $0.contains("import ") }
    #expect(imports == ["import Foundation", "import NearbyInteraction"])
  }

  @Test(arguments: [
    ("Sources/NearbyInteraction/NearbyInteraction.docc/FindATag.md", 6), ("docs/nearby-interaction.md", 1),
    ("docs/test-your-finder.md", 3),
  ]) func everyBlockIsInAnExample(page: String, count: Int) throws {
    let (blocks, sources) = (try Self.blocks(page), try Self.sources())
    #expect(blocks.count == count)
    for block in blocks {
      let isInExample = sources.contains { source in
        source.indices.contains { source[$0...].starts(with: block) }
      }
      #expect(isInExample, "\(page): \(block.first ?? "")")
    }
  }
}
