import Foundation

/// The three streams that every process begins with.
enum StandardStreams {
  /// Makes them safe to write to. Where the caller closed one, the null device takes its place: otherwise the next
  /// file that is opened would get its number, and messages would end in a result. A reader that goes away is an error
  /// of the write and kills nothing.
  static func secure() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      guard fcntl(descriptor, F_GETFD) < 0, errno == EBADF else { continue }
      // The lowest free number is this one: those below are open.
      _ = open("/dev/null", O_RDWR)
    }
    signal(SIGPIPE, SIG_IGN)
  }
}
