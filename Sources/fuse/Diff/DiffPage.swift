import Foundation
import Report

/// A difference of two runs as one self-contained HTML page.
enum DiffPage {
  /// The page.
  static func html(_ difference: RunDifference, before: String, after: String) -> String {
    let lines = DiffText.lines(difference)
    let body = lines.dropFirst().map(escaped).joined(separator: "\n")
    return """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>fuse diff</title>
      <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
      h1 { font-size: 1.4rem } .same { color: #0a7d3c } .different { color: #b3500f }
      pre { overflow-x: auto; font: 0.85rem/1.5 ui-monospace, monospace }
      svg { width: 100%; height: 9rem; border-bottom: 1px solid } circle { fill: #b3500f }
      @media (prefers-color-scheme: dark) { .same { color: #5fd08b } .different, circle { color: #ffab66; fill: #ffab66 } }
      </style></head><body>
      <h1 class="\(difference.isEmpty ? "same" : "different")">\(escaped(lines.first ?? ""))</h1>
      <p>before: <code>\(escaped(before))</code><br>after: <code>\(escaped(after))</code></p>
      \(timeline(difference))
      <pre>\(body)</pre>
      </body></html>
      """
  }

  /// Where the statuses differ, on the time axis, one row per peer.
  private static func timeline(_ difference: RunDifference) -> String {
    guard let end = difference.spans.map(\.to).max() else { return "" }
    let whole = max(1e-3, end.seconds(since: difference.start))
    let peers = Set(difference.spans.map { $0.peer ?? "" }).sorted()
    let bars = difference.spans.map { span in
      let x = 100 * span.from.seconds(since: difference.start) / whole
      let width = max(0.2, 100 * span.to.seconds(since: span.from) / whole)
      let y = 12 * (peers.firstIndex(of: span.peer ?? "") ?? 0)
      return
        "<rect x=\"\(Words.fixed(x, 2))\" y=\"\(y)\" width=\"\(Words.fixed(width, 2))\" height=\"8\" fill=\"#b3500f\">"
        + "<title>\(escaped("\(span.peer ?? "session"): \(span.before) -> \(span.after)"))</title></rect>"
    }
    return "<p>Where the statuses differ, 0 to \(Words.fixed(whole, 1)) s: "
      + "\(peers.map { escaped($0.isEmpty ? "session" : $0) }.joined(separator: ", "))</p>"
      + "<svg viewBox=\"0 0 100 \(12 * peers.count)\" preserveAspectRatio=\"none\">\(bars.joined())</svg>"
  }

  private static func escaped(_ text: String) -> String { ReportPage.escaped(text) }
}
