import Datasets
import Exporting
import Foundation
import FuseCommandTestSupport
import JSONText
import RunResults
import SensorData
import Testing
import Wording

/// Texts of others on a terminal and in a spreadsheet.
@Suite struct PlainTextTests {
  @Test(arguments: [
    "\u{1B}[2J", "\u{1B}]0;title\u{07}", "\u{0}", "\r", "\u{8}", "\u{7F}", "\u{9B}31m", "\u{202E}gpj.exe", "\u{2066}",
    "\u{2028}",
  ])
  func whatMovesTheCursorIsShown(_ text: String) {
    let shown = PlainText.visible("a\(text)b")
    #expect(shown.hasPrefix("a\\u{") && shown.hasSuffix("b"))
    #expect(!shown.unicodeScalars.contains { $0.properties.generalCategory == .control })
  }

  @Test func otherTextsStay() {
    for text in ["", "Schlüssel \u{1F511} 鍵", "a\tb\nc", "-0.5 \u{B1} 2 \u{B0}"] {
      #expect(PlainText.visible(text) == text)
    }
  }

  @Test func aLongMessageIsCut() {
    let message = PlainText.message(String(repeating: "x", count: 20_000))
    #expect(message.count < 2100 && message.hasSuffix("(18000 more characters)"))
    #expect(PlainText.message("short") == "short")
  }

  /// A spreadsheet computes what begins with one of four signs (OWASP, CSV injection).
  @Test(arguments: ["=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)", "\tx"])
  func aPeerIsNoFormula(_ peer: String) throws {
    let scratch = try Scratch()
    let folder = try OutputFolder(path: scratch.path("run"))
    try folder.write(UpdateRecord(timestamp: Timestamp(nanoseconds: 5), peer: peer, status: "unknown"))
    try folder.commit(result: [:], timing: [:])
    let file = try OutputFile(path: scratch.path("t.csv"), inputs: [])
    try CSVExport.write(run: scratch.path("run"), to: file)
    try file.commit()
    let row = String(decoding: try scratch.bytes("t.csv"), as: UTF8.self).split(separator: "\n")[1]
    #expect(row.hasPrefix("5,'") || row.hasPrefix("5,\"'"), "\(row)")
  }

  /// JSON goes to terminals, too.
  @Test func jsonEscapesControls() throws {
    var json = JSONWriter()
    json.string("\u{1B}\u{7F}\u{80}\u{9B}\u{A0}ü\u{7FF}")
    #expect(String(decoding: json.bytes, as: UTF8.self) == "\"\\u001b\\u007f\\u0080\\u009b\u{A0}ü\u{7FF}\"")
  }
}
