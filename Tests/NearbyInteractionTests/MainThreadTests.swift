import Foundation
import TestSupport
import Testing

/// Programs that play on the main thread, where nobody else runs the main queue.
@Suite struct MainThreadTests {
  /// What `phone-program` prints, by its first word.
  static func run(_ what: String, _ recording: String = "demo") throws -> [String: String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("phone-program")
    process.arguments = [what, Repository.root.appendingPathComponent("datasets/\(recording)").path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        line.split(separator: " ", maxSplits: 1).map(String.init)
      }.map { ($0[0], $0.count > 1 ? $0[1] : "") }, uniquingKeysWith: { $1 })
  }

  /// Work of two hops runs before the next callback, and the delegate's own queue may wait for the main queue.
  @Test func mainQueueRunsBetweenEvents() throws {
    let seen = try Self.run("hops")
    let shown = try #require(seen["shown"].flatMap { Int($0) })
    #expect(shown > 40)
    #expect(seen["between"] == "\(shown)", "each was shown before the next came")
  }

  /// Regression: a finder ran although nobody had asked for camera assistance.
  @Test func sessionsWithoutAssistanceCostLittle() throws {
    let seen = try Self.run("plain")
    #expect(seen["nearest"] == "1")
    let seconds = try #require(seen["played"].flatMap { Double($0) })
    #expect(seconds < 0.2, "processor time for 5 s of the demo: \(seconds) s")
  }

  /// A session that was made before a device was installed hears why it does not run.
  @Test func sessionsBeforeTheDeviceAreTold() throws {
    #expect(try Self.run("early").filter { $0.key != "opened" } == ["calls": "1", "code": "-5889"])
  }

  /// Regression: an app that restarts in `didInvalidateWith` played for ever.
  @Test func endlessRestartsAreStopped() throws {
    let seen = try Self.run("loop")
    #expect(seen["calls"] == "100")
    #expect(seen["thrown"]?.contains("100 times in a row and all refused with userDidNotAllow") == true)
  }
}
