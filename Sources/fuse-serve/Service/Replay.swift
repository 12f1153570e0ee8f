import EventLines
import Foundation
import LiveSessions
import Logging

/// `--replay`: a recording as a live session. `fuse stream` reads it, at its pace.
struct Replay: Sendable {
  /// The recording.
  var folder: String
  /// Times real time.
  var speed: Double

  /// Creates the session and plays the recording on a thread of its own.
  func start(_ registry: SessionRegistry, logger: Logger) async throws -> SessionRegistry.Created {
    let fuse = Bundle.main.executableURL!.deletingLastPathComponent().appendingPathComponent("fuse")
    guard FileManager.default.isExecutableFile(atPath: fuse.path) else {
      throw CommandError("\(fuse.path): no such executable, expected 'fuse' beside fuse-serve")
    }
    let process = Process()
    process.executableURL = fuse
    process.arguments = ["stream", folder, "--pace", "real", "--speed", "\(speed)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let input = pipe.fileHandleForReading
    var splitter = LineSplitter()
    var header: [UInt8]?
    while header == nil {
      guard let data = try input.read(upToCount: 1), !data.isEmpty else {
        throw CommandError("\(folder): 'fuse stream' cannot read it")
      }
      data.withUnsafeBytes { splitter.append($0) }
      _ = try splitter.next { header = Array($0) }
    }
    let created = try await registry.create(SessionSetup(body: header!))
    let descriptor = input.fileDescriptor
    guard let session = try await registry.find(created.id, permits: { _ in true }) else { return created }
    Thread { [splitter] in
      withExtendedLifetime((pipe, process)) {
        do { try Self.feed(session, descriptor, splitter) } catch { logger.error("replay: \(error)") }
        if process.isRunning { process.terminate() }
      }
    }.start()
    return created
  }

  /// Sends what has come as one batch, as a client does: one at a time.
  private static func feed(_ session: LiveSession, _ descriptor: Int32, _ first: LineSplitter) throws {
    var splitter = first
    var sequence: UInt64 = 0
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &room, room.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      room.withUnsafeBytes { splitter.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      var lines: [UInt8] = []
      while try splitter.next({ lines.append(contentsOf: $0 + [0x0A]) }) {}
      guard !lines.isEmpty else { continue }
      let batch = try EventBatch(lines)
      while true {
        let done = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var reply = LiveSession.Reply.gone
        session.submit(sequence, batch) {
          reply = $0
          done.signal()
        }
        done.wait()
        if case .overloaded(let seconds) = reply {
          Thread.sleep(forTimeInterval: min(seconds, 1))
          continue
        }
        guard case .accepted = reply else { return }
        break
      }
      sequence += 1
    }
  }
}
