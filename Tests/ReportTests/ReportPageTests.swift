import Datasets
import Foundation
import JSONText
import Report
import ReportTestSupport
import RunResults
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
    return try #require(JSONValue(parsing: Array(page[begin..<end].utf8))?.at("runs", 0))
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

  /// Several runs on one page, an over-confident one first whatever the order of the arguments.
  @Test func theWorstRunIsFirst() throws {
    var good = HandMadeRun()
    good.name = "good"
    good.updates = (0..<20).map { good.update(0.3 * Double($0)) }
    var open = good
    open.name = "open"
    for index in open.updates.indices { open.updates[index].status = "notConverged" }
    var bad = good
    bad.name = "bad"
    for index in bad.updates.indices {
      bad.updates[index].horizontalAngle = .init(value: 0.3, standardDeviation: 0.05, low: 0.2, high: 0.4)
    }
    var broken = open
    broken.name = "broken"
    let cause = RunVerdict.Finding(
      state: .broken, code: "rangeUnit", family: "radio", peer: "tag", sentence: "ranges look to be in millimetres",
      remedy: "write ranges in metres")
    broken.result = ["start": 0, "verdict": RunVerdict([cause]).json]
    let inputs = try [good, open, broken, bad].map { try $0.input() }
    #expect(ReportPage.ordered(inputs).map(\.name) == ["broken", "bad", "open", "good"])
    #expect(ReportPage.ordered(inputs.reversed()).map(\.name) == ["broken", "bad", "open", "good"])
    let page = String(decoding: ReportPage.html(ReportPage.ordered(inputs)), as: UTF8.self)
    #expect(page.contains("<title>4 runs - fuse report</title>"))
    let begin = try #require(page.range(of: "id=\"data\">")).upperBound
    let end = try #require(page.range(of: "</script>", range: begin..<page.endIndex)).lowerBound
    let all = try #require(JSONValue(parsing: Array(page[begin..<end].utf8)))
    #expect((1..<4).map { all.at("runs", $0, "peers", 0, "honesty")?.text } == ["over-confident", "honest", "honest"])
    #expect(all.at("runs", 0, "peers", 0, "words")?.text == "set-up broken")
    #expect(
      all.at("runs", 0, "peers", 0, "headline")?.text
        == "ranges look to be in millimetres: write ranges in metres; the radio says 3.4 m")
    #expect((1..<4).map { all.at("runs", $0, "peers", 0, "finding")?.text } == ["found", "not yet", "found"])
  }

  @Test func theSameInputGivesTheSameBytes() throws {
    var run = HandMadeRun()
    run.updates = (0..<50).map { run.update(0.1 * Double($0)) }
    #expect(try page(run) == page(run))
  }
}
