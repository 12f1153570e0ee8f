import CMosquitto
import Datasets
import Foundation
import JSONText
import LiveSessions
import Logging
import RunResults

/// Sessions at an MQTT broker: each update under a topic of its session and peer, the newest kept by the broker; batches
/// from topics of their sessions, with the same numbers, tokens and answers as over HTTP.
///
/// Nothing is queued while the broker is away: updates are in the sessions' files, and the bridge goes on behind what the
/// broker has confirmed, up to a bound of each session, which it says when it passes it.
final class MQTTBridge: @unchecked Sendable {
  /// Figures for the metrics.
  struct Figures {
    var isConnected = false
    var published = 0
    var missed = 0
    var outages = 0
  }

  private let service: LiveService
  private let address: MQTTAddress
  private let authorities: String?
  private let node: String
  private let backlog: Int
  private let logger: Logger
  /// A pipe whose bytes wake the thread: the reading end, the writing end.
  private let pipe: (read: Int32, write: Int32)
  private let lock = NSLock()
  private var answers: [(topic: String, text: [UInt8])] = []
  /// Updates that subscribers lack, by session: from which index on.
  private var resumptions: [String: Int] = [:]
  private var isOver = false
  private var shown = Figures()
  private let inbox: AsyncStream<(topic: String, bytes: [UInt8])>
  private let inboxEnd: AsyncStream<(topic: String, bytes: [UInt8])>.Continuation
  // Only the bridge's thread uses these.
  private var client: OpaquePointer?
  private var isOpen = false
  private var refusal: String?
  private var cursors: [String: Cursor] = [:]
  private var sent: [Int32: Sent] = [:]
  private var confirmations = MQTTConfirmations()

  /// Messages that the broker has not confirmed, at most.
  private static let outstanding = 100
  /// Messages from clients that wait; what comes beyond is not answered, and is to be sent again.
  private static let waiting = 256

  /// Where a session is.
  private struct Cursor {
    var next: Int
    var confirmed: Int
    var missed = 0
    /// Up to here a subscriber has asked for what it lacks: all of it is sent.
    var asked = 0
    var topics: Set<String> = []
    var state: [UInt8] = []
    /// Confirmed out of their order.
    var early: Set<Int> = []

    init(confirmed: Int) { (next, self.confirmed) = (confirmed, confirmed) }
  }

  private struct Sent {
    var session: String
    var index: Int
  }

  /// - Throws: `CommandError` where libmosquitto is not there.
  init(
    _ service: LiveService, _ address: MQTTAddress, authorities: String?, node: String, backlog: Int
  ) throws {
    if let words = fuse_mqtt_missing() { throw CommandError("--mqtt: \(String(cString: words))") }
    (self.service, self.address, self.authorities) = (service, address, authorities)
    (self.node, self.backlog, self.logger) = (node, backlog, service.logger)
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw CommandError("--mqtt: no descriptor is left") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    pipe = (ends[0], ends[1])
    (inbox, inboxEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.waiting))
  }

  deinit {
    close(pipe.read)
    close(pipe.write)
  }

  /// What it has done.
  var figures: Figures { lock.withLock { shown } }

  /// Runs until the service stops.
  func run() async {
    let (signals, number) = service.registry.feed.changes()
    let waking = Task { for await _ in signals { self.wake() } }
    let receiving = Task { for await message in inbox { await self.receive(message.topic, message.bytes) } }
    let done = AsyncStream<Void>.makeStream()
    do {
      try OwnThread.start { [self] in
        work()
        done.continuation.finish()
      }
      await withTaskCancellationHandler {
        for await _ in done.stream {}
      } onCancel: {
        self.stop()
      }
    } catch { logger.error("mqtt: \(error)") }
    service.registry.feed.leave(number)
    waking.cancel()
    inboxEnd.finish()
    receiving.cancel()
  }

  private func stop() {
    lock.withLock { isOver = true }
    wake()
  }

  private func wake() {
    // Where it is full, waking is due already.
    var one: UInt8 = 1
    _ = write(pipe.write, &one, 1)
  }

  // MARK: the thread

  private func work() {
    var pause = 0.2
    var since: Date?
    while !lock.withLock({ isOver }) {
      let cause = connectAndServe()
      lock.withLock { shown.isConnected = false }
      drop()
      if lock.withLock({ isOver }) { return }
      let wasOpen = isOpen
      if wasOpen {
        lock.withLock { shown.outages += 1 }
        pause = 0.2
      }
      if since == nil || wasOpen {
        since = Date()
        logger.warning(
          "mqtt: the broker is away (\(cause)): updates stay in their files, \(backlog) of a session are sent later",
          metadata: ["broker": "\(address.name)"])
      }
      isOpen = false
      let end = Date().addingTimeInterval(pause)
      while Date() < end, !lock.withLock({ isOver }) { usleep(50_000) }
      pause = min(pause * 2, 5)
    }
  }

  /// One connection, until it breaks; why it broke.
  private func connectAndServe() -> String {
    var events = fuse_mqtt_events()
    events.connected = { context, code, words in
      let bridge = Unmanaged<MQTTBridge>.fromOpaque(context!).takeUnretainedValue()
      bridge.connected(code == 0 ? nil : String(cString: words!))
    }
    events.confirmed = { context, message in
      Unmanaged<MQTTBridge>.fromOpaque(context!).takeUnretainedValue().confirmed(message)
    }
    events.arrived = { context, topic, bytes, count in
      let bridge = Unmanaged<MQTTBridge>.fromOpaque(context!).takeUnretainedValue()
      bridge.inboxEnd.yield(
        (String(cString: topic!), Array(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))))
    }
    guard let client = fuse_mqtt_new("fuse-\(node)", &events, Unmanaged.passUnretained(self).toOpaque()) else {
      return "no memory"
    }
    self.client = client
    refusal = nil
    func words(_ code: Int32) -> String { String(cString: fuse_mqtt_words(code)) }
    if let user = address.user {
      let code = fuse_mqtt_account(client, user, address.password)
      if code != 0 { return words(code) }
    }
    if address.isEncrypted {
      let code = fuse_mqtt_tls(client, authorities)
      if code != 0 { return words(code) }
    }
    _ = fuse_mqtt_will(client, nodeTopic, "offline", 7)
    var code = fuse_mqtt_connect(client, address.host, Int32(address.port), 10)
    if code != 0 { return words(code) }
    while true {
      code = fuse_mqtt_wait(client, pipe.read, 1000)
      if let refusal { return refusal }
      if code != 0 { return words(code) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      _ = read(pipe.read, &bytes, bytes.count)
      if lock.withLock({ isOver }) { return leave() }
      guard isOpen else { continue }
      if let failure = pump() { return words(failure) }
    }
  }

  private var nodeTopic: String { "\(address.prefix)/nodes/\(MQTTAddress.level(node))" }

  private func connected(_ words: String?) {
    guard words == nil else {
      refusal = "it refuses: \(words!)"
      return
    }
    isOpen = true
    lock.withLock { shown.isConnected = true }
    logger.notice("mqtt: connected", metadata: ["broker": "\(address.name)"])
    _ = fuse_mqtt_subscribe(client, "\(address.prefix)/+/events")
    _ = fuse_mqtt_subscribe(client, "\(address.prefix)/+/resume")
    _ = publish(nodeTopic, Array("online".utf8), isKept: true)
    for id in cursors.keys { cursors[id]!.state = [] }
  }

  /// What was not confirmed is sent again.
  private func drop() {
    if let client { fuse_mqtt_free(client) }
    client = nil
    sent = [:]
    for id in cursors.keys {
      cursors[id]!.next = cursors[id]!.confirmed
      cursors[id]!.early = []
    }
  }

  private func leave() -> String {
    _ = publish(nodeTopic, Array("offline".utf8), isKept: true)
    _ = pump()
    // What the broker confirms in a moment need not be sent again.
    for _ in 0..<20 where !sent.isEmpty { if fuse_mqtt_wait(client, pipe.read, 50) != 0 { break } }
    _ = fuse_mqtt_disconnect(client)
    _ = fuse_mqtt_wait(client, pipe.read, 50)
    return "the service stops"
  }

  private func confirmed(_ message: Int32) {
    guard let one = sent.removeValue(forKey: message), var cursor = cursors[one.session] else { return }
    cursor.early.insert(one.index)
    while cursor.early.remove(cursor.confirmed) != nil { cursor.confirmed += 1 }
    cursors[one.session] = cursor
  }

  // MARK: out

  @discardableResult private func publish(
    _ topic: String, _ bytes: some Collection<UInt8>, isKept: Bool, index: Int? = nil, session: String? = nil
  ) -> Int32 {
    var message: Int32 = 0
    let bytes = Array(bytes)
    let code = bytes.withUnsafeBytes { bytes in
      func hand(_ text: UnsafePointer<CChar>?) -> Int32 {
        fuse_mqtt_publish(client, &message, topic, bytes.baseAddress, bytes.count, isKept ? 1 : 0, text)
      }
      return if let index { "\(index)".withCString(hand) } else { hand(nil) }
    }
    if code == 0, let index, let session { sent[message] = Sent(session: session, index: index) }
    return code
  }

  /// Sends what there is, as much as the broker confirms; a code where that fails.
  private func pump() -> Int32? {
    let due = lock.withLock {
      defer { answers = [] }
      return answers
    }
    for answer in due { publish(answer.topic, answer.text, isKept: false) }
    let sessions = service.registry.all
    let present = Set(sessions.map(\.identity.id))
    for (id, cursor) in cursors where !present.contains(id) { forget(id, cursor) }
    var left = 0
    for session in sessions {
      if let code = pump(session) { return code }
      left += session.updates.state.count - (cursors[session.identity.id]?.next ?? 0)
    }
    // More when the broker has confirmed some.
    return left > 0 && sent.isEmpty ? pump() : nil
  }

  private func pump(_ session: LiveSession) -> Int32? {
    guard !session.hasMoved else { return nil }
    let id = session.identity.id
    var cursor = cursors[id] ?? Cursor(confirmed: confirmations.count(session))
    defer { cursors[id] = cursor }
    let count = session.updates.state.count
    if let from = lock.withLock({ resumptions.removeValue(forKey: id) }), from < cursor.next {
      // What is on its way is confirmed for nobody.
      for (message, one) in sent where one.session == id { sent[message] = nil }
      (cursor.next, cursor.confirmed, cursor.early) = (from, from, [])
      cursor.asked = count
    }
    if count - cursor.next > backlog, cursor.next == cursor.confirmed, cursor.next >= cursor.asked {
      let skipped = count - cursor.next - backlog
      (cursor.next, cursor.confirmed) = (count - backlog, count - backlog)
      cursor.missed += skipped
      lock.withLock { shown.missed += skipped }
      logger.warning("mqtt: \(skipped) updates of a session are left out: more than \(backlog) wait")
    }
    if cursor.next < count, sent.count < Self.outstanding {
      do {
        let (_, number) = try session.updates.changes()
        defer { session.updates.leave(number) }
        var position = try session.updates.position(of: cursor.next)
        while cursor.next < count, sent.count < Self.outstanding {
          let lines = try session.updates.read(
            &position, bytes: SessionReader.piece, lines: min(count - cursor.next, Self.outstanding - sent.count))
          if lines.isEmpty { break }
          for line in lines {
            let peer = UpdatePeer(line: line)?.name
            let topic = "\(address.prefix)/\(id)/updates" + (peer.map { "/\(MQTTAddress.level($0))" } ?? "")
            let code = publish(topic, line, isKept: true, index: cursor.next, session: id)
            if code != 0 { return code }
            cursor.topics.insert(topic)
            cursor.next += 1
          }
          lock.withLock { shown.published += lines.count }
        }
      } catch {
        logger.warning("mqtt: \(error)")
        return nil
      }
    }
    confirmations.remember(session, cursor.confirmed)
    let state = Self.state(session, count, cursor.missed)
    if state != cursor.state {
      cursor.state = state
      let code = publish("\(address.prefix)/\(id)/state", state, isKept: true)
      if code != 0 { return code }
    }
    return nil
  }

  private static func state(_ session: LiveSession, _ count: Int, _ missed: Int) -> [UInt8] {
    let status = session.currentStatus
    let json: JSONValue = [
      "state": .string(session.isSuspended ? "suspended" : status.state.rawValue),
      "verdict": session.verdict?.json ?? .null, "missed": .integer(missed),
    ]
    return json.bytes
  }

  /// A session that is gone leaves nothing with the broker; one that moved is another node's.
  private func forget(_ id: String, _ cursor: Cursor) {
    cursors[id] = nil
    confirmations.forget(id)
    guard service.registry.isAlone else { return }
    for topic in cursor.topics.sorted() + ["\(address.prefix)/\(id)/state"] { publish(topic, [], isKept: true) }
  }

  // MARK: in

  private func receive(_ topic: String, _ bytes: [UInt8]) async {
    let parts = topic.dropFirst(address.prefix.count + 1).split(separator: "/").map(String.init)
    guard parts.count == 2, SessionIdentity.isID(parts[0]) else { return }
    let id = parts[0]
    if parts[1] == "resume" { return resume(id, bytes) }
    let reply: @Sendable (JSONValue, Answers.Outcome) -> Void = { [self] head, outcome in
      let text = SessionSocket.text(head, outcome)
      lock.withLock { answers.append(("\(address.prefix)/\(id)/replies", text)) }
      wake()
    }
    let (request, token) = SocketRequest.withToken(message: bytes)
    let head: JSONValue
    switch request {
    case .fault(let words): return reply([:], .error(.badRequest, words))
    case .batch(let sequence, _): head = ["seq": .integer(Int(sequence))]
    case .finish: head = ["finish": [:]]
    }
    guard bytes.count <= service.registry.limits.batchBytes + SessionSocket.largestFirstLine else {
      return reply(head, .error(.contentTooLarge, "a batch of \(bytes.count) bytes, expected fewer"))
    }
    let session: LiveSession
    do {
      // Every node hears of it: the one that has the session answers, or the first where nobody has.
      guard let token,
        let found = try await service.registry.find(id, waits: false, permits: { $0.ingest.matches(token) })
      else { return reply(head, .error(.notFound, "no such session, or another token")) }
      session = found
    } catch SessionRegistry.Refusal.elsewhere { return } catch { return reply(head, Answers.outcome(error)) }
    switch request {
    case .batch(let sequence, let begin):
      SessionCalls.take(Array(bytes[begin...]), sequence, session, service) { reply(head, $0) }
    case .finish: session.finish { reply(head, Answers.outcome($0)) }
    case .fault: break
    }
  }

  /// A subscriber lacks updates: they are sent again, from an index on.
  private func resume(_ id: String, _ bytes: [UInt8]) {
    guard case .object(let members)? = JSONValue(parsing: bytes), case .integer(let from)? = members.first?.value,
      members.first?.key == "from", from >= 0
    else { return }
    lock.withLock { resumptions[id] = min(resumptions[id] ?? from, from) }
    wake()
  }
}
