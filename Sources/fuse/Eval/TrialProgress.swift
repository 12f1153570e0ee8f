import Foundation
import RunResults

/// One line on stderr with the number of finished trials and the estimated remaining time: only on a terminal.
struct TrialProgress {
  private let total: Int
  private let began = DispatchTime.now().uptimeNanoseconds
  private let isShown: Bool

  /// Progress of `total` trials.
  init(total: Int, isQuiet: Bool) {
    self.total = total
    isShown = !isQuiet && total > 1 && isatty(STDERR_FILENO) == 1
  }

  /// Shows the number of finished trials.
  func show(done: Int) {
    guard isShown, done > 0 else { return }
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    let left = elapsed / Double(done) * Double(total - done)
    write("\r\u{1B}[K\(done) of \(total) runs, \(Words.fixed(left, 0)) s left (Ctrl-C: stop and report finished runs)")
  }

  /// Ends the line.
  func erase() { if isShown { write("\r\u{1B}[K") } }

  private func write(_ text: String) { StandardError.write(text) }
}
