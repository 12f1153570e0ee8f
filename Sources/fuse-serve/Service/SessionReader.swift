import Datasets
import EventLines
import Foundation
import JSONText
import LiveSessions
import Logging
import RunResults

/// What a reader of a session gets, in order, whatever carries it: updates from the stored lines, a piece at a time, and
/// what else happens. Nothing is queued for it, and a slow one holds up nobody.
struct SessionReader {
  /// What a reader asked for.
  struct Wish: Sendable {
    var cursor = UpdateCursor()
    /// Updates a second and peer; nil: all.
    var rate: Double?
    var tellsLatency = false
    var showsDirections = false

    /// Reads the query of a request, and the id of the last event that the reader has.
    ///
    /// - Throws: `Fault` in words.
    init(query: [Substring: Substring], lastEventID: String?) throws(Fault) {
      // The header, which a browser sends when it connects again, is the newer one.
      for last in [query["lastEventId"].map(String.init), lastEventID].compactMap({ $0 }) {
        guard let resumed = UpdateCursor(lastEventID: last) else {
          throw Fault(words: "Last-Event-ID is no index of an update, expected a whole number")
        }
        cursor = resumed
      }
      if let text = query["rate"] {
        guard let value = Double(text), value >= 0.1, value <= 1000 else {
          throw Fault(words: "another rate, expected updates a second and peer from 0.1 to 1000")
        }
        rate = value
      }
      let details = query["details"].map { $0.split(separator: ",", omittingEmptySubsequences: false) } ?? []
      guard details.allSatisfy({ $0 == "latency" || $0 == "directions" }) else {
        throw Fault(words: "other details, expected latency, directions or both with a comma between them")
      }
      (tellsLatency, showsDirections) = (details.contains("latency"), details.contains("directions"))
    }

    struct Fault: Error { var words: String }
  }

  /// One thing that a reader gets.
  enum Item {
    /// An update: its index, its line.
    case update(Int, ArraySlice<UInt8>)
    /// What else happens: its name, its data as JSON.
    case event(String, [UInt8])
    /// Nothing happened for long.
    case alive
  }

  /// What comes next.
  enum Turn {
    /// Some items, and more may be there.
    case items([Item])
    /// All there is: wait for a signal.
    case wait([Item])
    /// The last items.
    case over([Item], state: String)
  }

  /// Bytes of updates that are read at a time.
  static let piece = 8 << 10
  /// Seconds between signs of life.
  static let heartbeat = 15.0
  /// Updates from which a reader with a rate takes the newest: of a long history it wants the present.
  private static let present = 4096

  let session: LiveSession
  private var wish: Wish
  private var position: UpdateStore.Position
  private var lastItem = DispatchTime.now().uptimeNanoseconds
  private var isSuspended = false
  private var directions = 0
  private var told = 0
  private var verdict: RunVerdict?

  /// A reader; it has called `changes` of the session's updates.
  init(_ session: LiveSession, _ wish: Wish) throws {
    (self.session, self.wish) = (session, wish)
    position = try session.updates.position(of: wish.cursor.next)
  }

  /// Seconds to wait behind updates, where the reader asked for a rate.
  var pause: Double? { wish.rate.map { 1 / $0 } }

  /// What comes next.
  mutating func next() throws -> Turn {
    let turn = try look()
    switch turn {
    case .items(let items), .wait(let items), .over(let items, _):
      if !items.isEmpty { lastItem = DispatchTime.now().uptimeNanoseconds }
    }
    return turn
  }

  private mutating func look() throws -> Turn {
    // Another node goes on, from the same number.
    if session.hasMoved { return .over([], state: "moved") }
    let state = session.updates.state
    var items: [Item] = []
    // Before the updates that rest on it.
    if let now = session.verdict, now != verdict {
      verdict = now
      items.append(Self.event("verdict", now.json))
    }
    if wish.rate != nil {
      items += try newest(count: state.count)
    } else if wish.cursor.next < state.count {
      if position.index < wish.cursor.next { position = try session.updates.position(of: wish.cursor.next) }
      let lines = try session.updates.read(&position, bytes: Self.piece)
      for (index, line) in zip(wish.cursor.chunk(of: wish.cursor.next + lines.count, limit: .max), lines) {
        add(index, line, to: &items)
      }
    }
    if wish.cursor.next < session.updates.state.count { return .items(items) }
    if wish.showsDirections {
      let new = session.directions(after: directions)
      directions = new.newest
      items += new.lines.map { .event("directions", Array($0)) }
    }
    let status = session.currentStatus
    if status.skipTurn != told {
      told = status.skipTurn
      items.append(Self.event("warning", ["warnings": .texts(status.skips)]))
    }
    for (isOver, word) in [
      (session.isDeleted, "deleted"), (state.isFinal, "finished"), (status.state == .failed, "failed"),
    ] where isOver {
      return .over(items + [Self.event("state", ["state": .string(word)])], state: word)
    }
    if session.isSuspended != isSuspended {
      isSuspended.toggle()
      items.append(Self.event("state", ["state": .string(isSuspended ? "suspended" : "active")]))
    } else if items.isEmpty, Double(DispatchTime.now().uptimeNanoseconds - lastItem) * 1e-9 > Self.heartbeat - 5 {
      items.append(.alive)
    }
    return .wait(items)
  }

  private static func event(_ name: String, _ data: JSONValue) -> Item {
    return .event(name, data.bytes)
  }

  /// The newest update of each peer of those not yet sent, with the count of those left out.
  private mutating func newest(count: Int) throws -> [Item] {
    guard wish.cursor.next < count else { return [] }
    if count - wish.cursor.next > Self.present { wish.cursor.skip(to: count - Self.present) }
    if position.index != wish.cursor.next { position = try session.updates.position(of: wish.cursor.next) }
    var peers: [UpdatePeer?] = []
    var last: [UpdatePeer?: ArraySlice<UInt8>] = [:]
    while position.index < count {
      let lines = try session.updates.read(&position, bytes: Self.piece, lines: count - position.index)
      if lines.isEmpty { break }
      for line in lines {
        let peer = UpdatePeer(line: line)
        peers.append(peer)
        // A copy: a slice holds all that was read with it.
        last[peer] = ArraySlice(Array(line))
      }
    }
    let first = wish.cursor.next
    let wanted = wish.cursor.newest(peers)
    let missed = wish.cursor.takeMissed()
    var items: [Item] = missed > 0 ? [.event("missed", Array("\(missed)".utf8))] : []
    for index in wanted { add(index, last[peers[index - first]]!, to: &items) }
    return items
  }

  private func add(_ index: Int, _ line: ArraySlice<UInt8>, to items: inout [Item]) {
    items.append(.update(index, line))
    guard wish.tellsLatency else { return }
    let latency = session.updates.latency(index)
    items.append(
      Self.event(
        "latency",
        [
          "index": .integer(index), "arrival": latency.map { .integer(Int($0.arrival)) } ?? .null,
          "published": latency.map { .integer(Int($0.published)) } ?? .null,
          "rates": ["events": .number(session.currentStatus.eventRate)],
        ]))
  }
}

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
