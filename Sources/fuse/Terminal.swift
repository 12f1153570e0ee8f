import Datasets
import Dispatch
import Foundation
import RunResults
import Wording

/// Buffered standard output. Once its reader has gone away (`| head -1`) the rest is discarded: what the command does
/// beside it goes on.
struct StandardOutput {
  private var hasReader = true
  private var buffer: [UInt8] = []

  /// Writes bytes as they are, buffered.
  mutating func write(_ bytes: [UInt8]) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 15 { try flush() }
  }

  /// Writes a line of text immediately; of others' texts only what is seen (`PlainText`).
  mutating func line(_ text: String) throws {
    buffer.append(contentsOf: PlainText.visible(text).utf8)
    buffer.append(UInt8(ascii: "\n"))
    try flush()
  }

  /// Writes the buffer.
  mutating func flush() throws {
    var done = 0
    while hasReader, done < buffer.count {
      let count = buffer.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress! + done, $0.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE {
          hasReader = false
          break
        }
        throw CommandError("standard output: cannot be written: \(String(cString: strerror(errno)))")
      }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

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

/// How wide a table may be.
enum TerminalWidth {
  /// The columns of the terminal on stdout, at least 80; 80 where stdout is none.
  static func columns() -> Int {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 80 }
    return max(80, Int(size.ws_col))
  }
}

/// SIGHUP, SIGINT and SIGTERM end the process, as ever, but first remove what it has not finished writing.
///
/// One that the caller ignores (`nohup`, a job of a script) stays ignored.
enum EndingSignals {
  nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []
  private static let lock = NSLock()
  nonisolated(unsafe) private static var interruption: (@Sendable () -> Void)?
  private static let numbers = [SIGHUP, SIGINT, SIGTERM]

  /// From now on.
  static func watch() {
    for number in numbers {
      // Nil is the default; a process begins with that, or ignores it.
      guard signal(number, SIG_IGN) == nil else { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if number == SIGINT, let body = takeInterruption() { return body() }
        Leftovers.removeForGood()
        // As if it had not been caught; a caller may have blocked the signal, then with the code that shells give it.
        signal(number, SIG_DFL)
        kill(getpid(), number)
        usleep(100_000)
        _exit(128 + number)
      }
      source.resume()
      sources.append(source)
    }
  }

  /// What the next SIGINT does instead of ending the process, once; nil: it ends it.
  static func onInterruption(_ body: (@Sendable () -> Void)?) { lock.withLock { interruption = body } }

  private static func takeInterruption() -> (@Sendable () -> Void)? {
    lock.withLock {
      defer { interruption = nil }
      return interruption
    }
  }

  /// As it was: for another program in this process's place, which inherits what is ignored.
  static func forget() {
    guard !sources.isEmpty else { return }
    for source in sources { source.cancel() }
    sources = []
    for number in numbers { signal(number, SIG_DFL) }
  }
}

/// Resource use of a run so far, measured by the operating system.
struct ResourceUse {
  /// Seconds on the wall since `began`.
  var wall: Double
  /// Seconds of processor time of the whole process.
  var cpu: Double
  /// Largest resident memory of the process, bytes.
  var peakMemory: Int

  /// The cost since a moment given by `DispatchTime`'s nanoseconds.
  init(since began: UInt64) {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      peakMemory = Int(usage.ru_maxrss) * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      peakMemory = Int(usage.ru_maxrss)
    #endif
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    wall = Double(DispatchTime.now().uptimeNanoseconds - began) * 1e-9
    cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}

extension RunFolder {
  /// The output folder that a user named; its warnings are said.
  ///
  /// - Throws: `DatasetError`.
  static func named(
    _ path: String, isUnverified: Bool, keeping kept: Kept, warn: (String) -> Void = StandardError.warn
  ) throws(DatasetError) -> RunFolder {
    let run = try RunFolder(path: path, isVerified: !isUnverified, keeping: kept)
    run.warnings.forEach(warn)
    return run
  }
}
