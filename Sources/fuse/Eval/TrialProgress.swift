import Foundation

/// One line on stderr that says how many trials are done and how long the rest will take: only on a terminal.
struct TrialProgress {
  private let total: Int
  private let began = DispatchTime.now().uptimeNanoseconds
  private let isShown: Bool

  /// Progress of `total` trials.
  init(total: Int, isQuiet: Bool) {
    self.total = total
    isShown = !isQuiet && total > 1 && isatty(STDERR_FILENO) == 1
  }

  /// Shows that so many are done.
  func show(done: Int) {
    guard isShown, done > 0 else { return }
    let elapsed = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    let left = elapsed / Double(done) * Double(total - done)
    write("\r\u{1B}[K\(done) of \(total) runs, \(Words.fixed(left, 0)) s left (Ctrl-C: stop and tell what is known)")
  }

  /// Ends the line.
  func erase() { if isShown { write("\r\u{1B}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
