import Datasets
import Foundation
import Report
import ReportTestSupport
import Testing

/// The file: contents, escaping, size.
@Suite struct ReportPageTests {
  private static let hostile = "</script><script>alert(\"x\")</script><!-- {{script}} & ' \u{2028}"

  private func page(_ run: HandMadeRun) throws -> String {
    String(decoding: ReportPage.html(try run.input()), as: UTF8.self)
  }

  /// The model within a page.
  private func model(_ page: String) throws -> JSONValue {
    let begin = try #require(page.range(of: "id=\"data\">")).upperBound
    let end = try #require(page.range(of: "</script>", range: begin..<page.endIndex)).lowerBound
    return try #require(JSONValue(parsing: Array(page[begin..<end].utf8)))
  }

  @Test func hostileNamesStayText() throws {
    var plain = HandMadeRun()
    plain.updates = [plain.update(1)]
    var run = HandMadeRun(peer: Self.hostile)
    run.name = Self.hostile
    run.result = ["title": .string(Self.hostile), "configuration": [:]]
    run.updates = [run.update(1)]
    run.updates[0].guidance = Self.hostile
    let (tame, page) = (try page(plain), try page(run))
    func count(_ text: String, in page: String) -> Int { page.components(separatedBy: text).count - 1 }
    for mark in ["<script", "</script", "<!--"] { #expect(count(mark, in: page) == count(mark, in: tame), "\(mark)") }
    let model = try model(page)
    #expect(model["title"]?.text == Self.hostile)
    #expect(model.at("peers", 0, "id")?.text == Self.hostile)
    #expect(page.contains("<title>&lt;/script&gt;&lt;script&gt;alert(&quot;x&quot;)"))
    // Double braces in inserted text are not replaced.
    #expect(page.contains("{{script}} &amp; &#39;"))
  }

  @Test func everyPieceIsFilledInAndNothingIsLoaded() throws {
    var run = HandMadeRun()
    run.updates = [run.update(1)]
    let page = try page(run)
    #expect(page.contains("function timePanel") && page.contains("function drawPhone") && page.contains(".scrubber"))
    for mark in ["{{", "http:", "https:", " src=", "<link", "@import", "url("] {
      #expect(!page.contains(mark), "\(mark)")
    }
  }

  @Test func theSameInputGivesTheSameBytes() throws {
    var run = HandMadeRun()
    run.updates = (0..<50).map { run.update(0.1 * Double($0)) }
    #expect(try page(run) == page(run))
  }
}
