import Foundation

/// How wide a table may be.
enum TerminalWidth {
  /// The columns of the terminal on stdout, at least 80; 80 where stdout is none.
  static func columns() -> Int {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 80 }
    return max(80, Int(size.ws_col))
  }
}
