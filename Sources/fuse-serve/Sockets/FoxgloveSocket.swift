import Datasets
import EventLines
import Exporting
import Foundation
import Geometry
import HTTPTypes
import Hummingbird
import JSONText
import LiveSessions
import NIOWebSocket
import RunResults
import SensorData

/// `GET /v1/sessions/{id}/foxglove`: a live session for Foxglove, by its WebSocket protocol `foxglove.websocket.v1`, with
/// the topics of `fuse export mcap`, so that its layout serves both.
///
/// Source: https://github.com/foxglove/ws-protocol, docs/spec.md.
struct FoxgloveSocket: Sendable {
  let service: LiveService
  private static let name = "foxglove.websocket.v1"
  /// Seconds between two paths, and poses of one.
  private static let pathTime = 1.0
  private static let longestPath = 5000

  @Sendable func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
    let session = try await SessionCalls.session(request, context, service, .read)
    return try await Handshake.open(request, Self.name, isNamed: true, session, service) { wish in
      Connection(session: session, wish: wish, channels: Channels(session.setup.header.rig))
    }
  }

  private struct Connection: SocketConnection {
    static let limit = 1

    let session: LiveSession
    let wish: SessionReader.Wish
    let channels: Channels

    func receive(_ message: ByteBuffer, _ outbox: Outbox) async {
      guard message.readableBytes > 0 else { return }
      if let fault = channels.take(Array(message.readableBytesView)) {
        outbox.expect()
        outbox.answer(FoxgloveSocket.status(fault))
      }
      outbox.wake()
    }

    func send(
      _ outbox: Outbox, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
      var show = Show(session: session, channels: channels, reader: try SessionReader(session, wish))
      try await show.serve(outbox, wakes, &writer)
    }
  }

  private static func text(_ value: JSONValue) -> [UInt8] {
    return value.bytes
  }

  private static func status(_ words: String) -> [UInt8] {
    text(["op": .string("status"), "level": .integer(1), "message": .string(words)])
  }

  /// What there is to subscribe to, and who has.
  private final class Channels: @unchecked Sendable {
    let topics: [FoxgloveMessages.Topic]
    private let lock = NSLock()
    private var subscribed: [FoxgloveMessages.Topic: Set<UInt32>] = [:]
    private var isFresh = false

    init(_ rig: RigCalibration) {
      typealias Messages = FoxgloveMessages
      topics =
        [Messages.transforms, Messages.path, Messages.updates, Messages.peers, Messages.log]
        + rig.cameras.indices.map { Messages.tracks(camera: $0) }
    }

    /// Carries out what the client asks for; what is wrong with it, in words.
    func take(_ bytes: [UInt8]) -> String? {
      guard let tree = JSONValue(parsing: bytes), case .string(let operation)? = tree["op"] else {
        return "a message that is no operation, expected subscribe or unsubscribe"
      }
      return lock.withLock {
        switch operation {
        case "subscribe":
          guard case .array(let wanted)? = tree["subscriptions"] else { return "no subscriptions, expected some" }
          for one in wanted {
            guard case .integer(let id)? = one["id"], let id = UInt32(exactly: id),
              case .integer(let channel)? = one["channelId"], topics.indices.contains(channel - 1)
            else { return "another subscription, expected id, and channelId from 1 to \(topics.count)" }
            subscribed[topics[channel - 1], default: []].insert(id)
            isFresh = true
          }
        case "unsubscribe":
          guard case .array(let unwanted)? = tree["subscriptionIds"] else { return "no subscriptionIds, expected some" }
          for case .integer(let id) in unwanted {
            guard let id = UInt32(exactly: id) else { continue }
            for topic in topics { subscribed[topic]?.remove(id) }
          }
        default: return "the operation \(operation.prefix(40)), expected subscribe or unsubscribe"
        }
        return nil
      }
    }

    var isWanted: Bool { lock.withLock { subscribed.contains { !$0.value.isEmpty } } }
    func wants(_ topic: FoxgloveMessages.Topic) -> Bool { lock.withLock { subscribed[topic]?.isEmpty == false } }
    func subscriptions(_ topic: FoxgloveMessages.Topic) -> [UInt32] {
      lock.withLock { (subscribed[topic] ?? []).sorted() }
    }

    /// Whether somebody subscribed since it was asked.
    func takeFresh() -> Bool {
      lock.withLock {
        defer { isFresh = false }
        return isFresh
      }
    }
  }

  /// What a client is shown: where it is in poses, updates and frames.
  private struct Show {
    let session: LiveSession
    let channels: Channels
    var reader: SessionReader
    private var scene = FoxgloveMessages()
    private var trajectory = TrajectoryTail()
    private var waiting: [(time: Timestamp, pose: Pose)] = []
    private var device: Pose?
    private var path: [Pose] = []
    private var step = 1
    private var poseCount = 0
    private var batch = 0
    private var latest: Timestamp?
    private var lastPath = DispatchTime.now().uptimeNanoseconds
    private var hasNewPath = false
    private var messages = SocketMessages()

    init(session: LiveSession, channels: Channels, reader: SessionReader) {
      (self.session, self.channels, self.reader) = (session, channels, reader)
    }

    mutating func serve(
      _ outbox: Outbox, _ wakes: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
      greet()
      try await flush(&writer)
      var iterator = wakes.makeAsyncIterator()
      var isOver = false
      var hasBegun = false
      while !Task.isCancelled {
        let state = outbox.take()
        for answer in state.answers { messages.add(text: answer) }
        if let (code, reason) = state.close {
          messages.close(code, reason)
          return try await writer.write(messages.buffer)
        }
        if state.isOver { return }
        var isDone = true
        if channels.isWanted, !hasBegun {
          // A client subscribes to one after the other: history is for all of them.
          try? await Task.sleep(for: .milliseconds(200))
          hasBegun = true
        }
        if hasBegun {
          if channels.takeFresh() { restate() }
          try addPoses()
          if !isOver {
            let turn = try reader.next()
            switch turn {
            case .items(let items):
              try add(items)
              isDone = false
            case .wait(let items): try add(items)
            case .over(let items, let word):
              try add(items)
              isOver = true
              if word != "finished" {
                messages.close(word == "failed" ? .unexpectedServerError : .goingAway, "the session is \(word)")
                return try await writer.write(messages.buffer)
              }
            }
          }
          // Behind the last update.
          if isDone { showPoses(until: nil) }
          if try addTracks() { isDone = false }
          addPath(isDone: isDone)
        }
        try await flush(&writer)
        if isDone, await iterator.next() == nil { return }
      }
    }

    private mutating func flush(_ writer: inout any ResponseBodyWriter) async throws {
      guard !messages.isEmpty else { return }
      let full = messages.buffer
      messages = SocketMessages()
      try await writer.write(full)
    }

    private mutating func greet() {
      messages.add(
        text: FoxgloveSocket.text([
          "op": .string("serverInfo"), "name": .string("fuse serve"), "capabilities": .array([]),
          "supportedEncodings": .array([.string("json")]), "metadata": .object([]),
          "sessionId": .string(String(session.identity.id.prefix(12))),
        ]))
      messages.add(
        text: FoxgloveSocket.text([
          "op": .string("advertise"),
          "channels": .array(
            channels.topics.enumerated().map { index, topic in
              [
                "id": .integer(index + 1), "topic": .string(topic.name), "encoding": .string("json"),
                "schemaName": .string(topic.schemaName), "schema": .string(topic.schema),
                "schemaEncoding": .string("jsonschema"),
              ]
            }),
        ]))
    }

    /// What holds all the time, for who has just subscribed.
    private mutating func restate() {
      let time = latest ?? Timestamp(nanoseconds: 0)
      add(FoxgloveMessages.rig(session.setup.header.rig, at: time))
      hasNewPath = !path.isEmpty
      lastPath = 0
    }

    private mutating func add(_ message: FoxgloveMessages.Message) {
      for id in channels.subscriptions(message.topic) {
        var bytes: [UInt8] = [1]
        withUnsafeBytes(of: id.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: UInt64(max(0, message.time.nanoseconds)).littleEndian) { bytes += $0 }
        messages.add(binary: bytes + message.bytes)
      }
    }

    // MARK: poses and path

    private mutating func addPoses() throws {
      for (time, pose) in try trajectory.next("\(session.folder)/trajectory.tum") {
        waiting.append((time, pose))
        if poseCount % step == 0 { path.append(pose) }
        poseCount += 1
        if path.count > FoxgloveSocket.longestPath {
          path = path.indices.filter { $0.isMultiple(of: 2) }.map { path[$0] }
          step *= 2
        }
        hasNewPath = true
      }
    }

    private mutating func showPoses(until time: Timestamp?) {
      let count = waiting.prefix { time == nil || $0.time <= time! }.count
      for (time, pose) in waiting.prefix(count) {
        if latest == nil { add(FoxgloveMessages.rig(session.setup.header.rig, at: time)) }
        latest = max(latest ?? time, time)
        device = pose
        add(FoxgloveMessages.pose(pose, at: time))
      }
      waiting.removeFirst(count)
    }

    private mutating func addPath(isDone: Bool) {
      let age = Double(DispatchTime.now().uptimeNanoseconds - lastPath) * 1e-9
      guard hasNewPath, isDone, let latest, age > FoxgloveSocket.pathTime else { return }
      add(FoxgloveMessages.path(path, at: latest))
      hasNewPath = false
      lastPath = DispatchTime.now().uptimeNanoseconds
    }

    // MARK: updates and frames

    private mutating func add(_ items: [SessionReader.Item]) throws {
      for case .update(_, let line) in items {
        let bytes = Array(line)
        guard let update = try? bytes.withUnsafeBufferPointer({ try UpdateRecord(line: $0) }) else { continue }
        showPoses(until: update.timestamp)
        latest = max(latest ?? update.timestamp, update.timestamp)
        for message in scene.update(update, line: bytes, device: device?.translation) { add(message) }
      }
    }

    /// What cameras track, of one more batch; whether there may be more.
    private mutating func addTracks() throws -> Bool {
      let wanted = Set(
        session.setup.header.rig.cameras.indices.filter { channels.wants(FoxgloveMessages.tracks(camera: $0)) })
      guard !wanted.isEmpty else {
        batch = session.batchPlaces.count
        return false
      }
      guard let events = try session.events(ofBatch: batch) else { return false }
      batch += 1
      for case .event(let timed) in events {
        if case .frame(let frame) = timed.event, wanted.contains(frame.camera),
          let message = FoxgloveMessages.tracks(frame)
        {
          add(message)
        }
      }
      return true
    }
  }

  /// New poses of a trajectory's file.
  private struct TrajectoryTail {
    private var offset: UInt64 = 0

    mutating func next(_ path: String) throws -> [(Timestamp, Pose)] {
      guard let file = FileHandle(forReadingAtPath: path) else { return [] }
      defer { try? file.close() }
      try file.seek(toOffset: offset)
      let text = [UInt8](try file.read(upToCount: 1 << 20) ?? Data())
      guard let end = text.lastIndex(of: 0x0A) else { return [] }
      offset += UInt64(end + 1)
      return text[...end].split(separator: 0x0A).compactMap { line in
        TrajectoryLine.parse(String(decoding: line, as: UTF8.self))
      }
    }
  }
}
