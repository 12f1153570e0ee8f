import Foundation
import RunResults

/// One line on stderr with the progress of a long run: only on a terminal, a few times a second, erased at the end.
struct ProgressLine {
  private let isShown: Bool
  private let span: Double?
  private let began: UInt64
  private var lastShown: UInt64

  /// A line for a recording of `span` seconds (nil if unknown).
  init(span: Double?, isQuiet: Bool) {
    self.span = span
    isShown = !isQuiet && isatty(STDERR_FILENO) == 1
    began = DispatchTime.now().uptimeNanoseconds
    lastShown = began
  }

  /// Shows that `seconds` of the recording are done, at most every 0.2 s.
  mutating func show(_ seconds: Double) {
    guard isShown else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    guard now &- lastShown > 200_000_000 else { return }
    lastShown = now
    let elapsed = max(1e-9, Double(now - began) * 1e-9)
    let rate = seconds / elapsed
    var text = "\(Words.fixed(seconds, 1)) s, \(Words.fixed(rate, 1)) x real time"
    if let span, span > 0 {
      let left = rate > 0 ? max(0, span - seconds) / rate : 0
      text = "\(Words.fixed(min(100, 100 * seconds / span), 0)) %, " + text + ", \(Words.fixed(left, 0)) s left"
    }
    write("\r\u{1B}[K" + text)
  }

  /// Shows the finished fraction of other work, at most every 0.2 s.
  mutating func show(_ work: String, fraction: Double) {
    guard isShown else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    guard now &- lastShown > 200_000_000 else { return }
    lastShown = now
    write("\r\u{1B}[K\(work): \(Words.fixed(100 * min(max(fraction, 0), 1), 0)) %")
  }

  /// Erases the line.
  func erase() {
    guard isShown, lastShown != began else { return }
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { StandardError.write(text) }
}
