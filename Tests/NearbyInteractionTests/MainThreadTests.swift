import Foundation
import TestSupport
import Testing

/// Programs that play on the main thread, where nobody else runs the main queue.
@Suite struct MainThreadTests {
  /// What `phone-program` prints, by its first word.
  static func run(_ what: String, _ recording: String = "demo") throws -> [String: String] {
    try run(program: "phone-program", [what], recording)
  }

  /// What a program prints, by its first word.
  static func run(program: String, _ arguments: [String], _ recording: String) throws -> [String: String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(program)
    process.arguments = arguments + [Repository.root.appendingPathComponent("datasets/\(recording)").path]
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

  /// Fifteen apps with names of their own for what this package names, played by `await` at a program's top level, also
  /// after it has waited. Regression: the synchronous method was taken there, and refused.
  @Test func appsWithNamesOfTheirOwnPlayedAtTheTopLevel() throws {
    let seen = try Self.run(program: "top-level-program", [], "demo")
    let lines = [
      "rooms": "found,hall", "state": "near", "list": "keys true", "capabilities": "1 true", "profile": "me 3 true",
      "events": "first", "holding": "inHand", "sound": "noSound", "coach": "look true", "quality": "true true",
      "pointer": "inside true", "tag": "hello 9 true 0", "codec": "short",
      "recorder": "phone 1.0 RecordingError()", "inside": "a true",
    ]
    #expect(lines.count == 15)
    for (app, line) in lines.sorted(by: { $0.key < $1.key }) { #expect(seen[app] == line, "\(app)") }
    #expect(try #require(seen["seconds"].flatMap { Int($0) }) > 15)
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
