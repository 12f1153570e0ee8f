import Datasets
import EventLines
import Foundation
import FuseCaptureFormat
import JSONText
import PrecisionFinding
import RunResults
import Settings

/// What a session is created from: the first line of a stream, and settings of the finder.
package struct SessionSetup: Sendable {
  /// The first line.
  package let header: StreamHeader
  /// The finder's settings.
  package let configuration: FinderConfiguration
  /// Warnings, one line each.
  package let warnings: [String]
  /// The body as it was sent.
  package let body: [UInt8]

  /// Reads the body of a request.
  ///
  /// - Throws: `StreamFault`, `DatasetError` or `ConfigurationFile.Fault` with what was found and expected.
  package init(body: [UInt8]) throws {
    self.body = body
    var parser = LineParser()
    let parsed: ParsedLine
    do throws(TextFault) {
      parsed = try body.withUnsafeBufferPointer { bytes throws(TextFault) in try parser.parse(bytes) }
    } catch { throw StreamFault(source: "body", line: 1, fault: error) }
    guard case .header(let tree) = parsed else {
      throw StreamFault(
        source: "body", line: 1,
        fault: TextFault(found: "no header", expected: "{\"version\":1,\"trajectory\":...,\"rig\":{...}}"))
    }
    let (header, warnings) = try StreamHeader.read(tree, source: "body", line: 1, alsoKnown: ["config"])
    self.header = header
    var settings = JSONWriter()
    switch tree["config"] {
    case nil, .null?: configuration = FinderConfiguration()
    case .object?:
      settings.value(tree["config"]!)
      configuration = try ConfigurationFile.parse(String(decoding: settings.bytes, as: UTF8.self), file: "config")
    default:
      throw StreamFault(source: "body", line: 1, fault: TextFault(found: "config is no object", expected: "settings"))
    }
    self.warnings = warnings
  }
}

/// A secret that a client keeps and the service knows only by its hash.
package struct TokenHash: Equatable, Sendable {
  /// SHA-256, 64 hexadecimal digits.
  package let hexadecimal: String

  /// The hash of a token.
  package init(of token: String) {
    hexadecimal = InputDigest.sha256(of: Array(token.utf8))
  }

  /// A hash that was kept.
  package init(hexadecimal: String) { self.hexadecimal = hexadecimal }

  /// Whether this is the hash of a token; takes as long whatever the token is.
  package func matches(_ token: String) -> Bool {
    let other = TokenHash(of: token).hexadecimal
    guard other.utf8.count == hexadecimal.utf8.count else { return false }
    // Swift's `|` and `^` bind alike: without the parentheses hashes that differ may count as equal.
    return zip(other.utf8, hexadecimal.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// A new secret of 192 bits from the system's generator.
  package static func newToken() -> String { random(bytes: 24) }

  /// Random bytes as hexadecimal digits.
  package static func random(bytes count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return String(
      decoding: bytes.flatMap { byte in [byte >> 4, byte & 15].map { $0 + ($0 < 10 ? 48 : 87) } }, as: UTF8.self)
  }
}

/// The payload of a session's first record: its identity and how it was asked for.
package struct SessionIdentity: Sendable {
  /// The session's id: random, also the name of its folder.
  package var id: String
  /// Hash of the token that may send.
  package var ingest: TokenHash
  /// Hash of the token that may read.
  package var read: TokenHash
  /// The name of the token that created it.
  package var owner: String
  /// What it was created from.
  package var body: [UInt8]

  /// Whose sessions are that no named token created.
  package static let defaultOwner = "default"

  /// An identity from its parts.
  package init(id: String, ingest: TokenHash, read: TokenHash, owner: String = defaultOwner, body: [UInt8]) {
    self.id = id
    self.owner = owner
    self.ingest = ingest
    self.read = read
    self.body = body
  }

  /// The payload: id and, behind a blank, the owner's name where it is not the default; hashes; body. Each but the last on
  /// a line.
  package var payload: [UInt8] {
    let name = owner == Self.defaultOwner ? "" : " \(owner)"
    return Array("\(id)\(name)\n\(ingest.hexadecimal)\n\(read.hexadecimal)\n".utf8) + body
  }

  /// Reads a payload; nil where it is none.
  package init?(payload: [UInt8]) {
    let parts = payload.split(separator: 0x0A, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let texts = parts.prefix(3).map { String(decoding: $0, as: UTF8.self) }
    let names = texts[0].split(separator: " ", maxSplits: 1).map(String.init)
    guard let id = names.first, Self.isID(id) else { return nil }
    self.init(
      id: id, ingest: TokenHash(hexadecimal: texts[1]), read: TokenHash(hexadecimal: texts[2]),
      owner: names.count > 1 ? names[1] : Self.defaultOwner, body: Array(parts[3]))
  }

  /// Whether a text has the form of an id: nothing else becomes a name of a file.
  package static func isID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}

/// Limits of the service; every one is an option of the command.
package struct SessionLimits: Sendable {
  /// Sessions that are open: neither finished nor parked.
  package var sessions = 100
  /// Sessions that are kept, in any state.
  package var keptSessions = 20_000
  /// Bytes of a batch, unpacked.
  package var batchBytes = 4 << 20
  /// Bytes of a line.
  package var lineBytes = LineParser.longestLine
  /// Measurements a second and session.
  package var eventsPerSecond = 20_000.0
  /// Peers of a session.
  package var peers = 64
  /// Batches of a session that wait for the finder.
  package var waitingBatches = 64
  /// Seconds without a batch after which a session is suspended for its readers.
  package var idle = 10.0
  /// Seconds without a batch after which a session's finder leaves memory.
  package var park = 120.0
  /// Seconds without data after which a session that never had any ends.
  package var empty = 300.0
  /// Updates a second and session, over the seconds of the clock.
  package var updatesPerSecond = 10_000.0
  /// Bytes of a session, of its batches and its updates.
  package var sessionBytes = 16 << 30
  /// Bytes of the disk that stay free; at most a twentieth of the disk.
  package var diskReserve = 64 << 20
  /// Seconds that a session is kept after its last call; nil: until it is deleted.
  package var retention: Double? = 86_400

  /// The defaults.
  package init() {}
}

/// What the sessions of a process share.
final class SessionResources: @unchecked Sendable {
  let log: WriteAheadLog
  let limits: SessionLimits
  /// Monotonic time, seconds: what decides who is idle.
  let clock: @Sendable () -> Double
  let recovery: RecoveryQueue
  /// Where batches of all sessions are ordered and logged.
  let intake: SerialThread
  /// What was published, of all sessions.
  let feed = UpdateFeed()
  /// From the arrival of what releases an update to its publication.
  let updateLatency = LatencyHistogram()
  private let folder: String
  private let lock = NSLock()
  private var roomMaker: (@Sendable (LiveSession) -> Bool)?
  private var loser: (@Sendable (LiveSession) -> Void)?
  /// What several nodes share; nil: this one is alone.
  let store: SessionStore?

  init(
    log: WriteAheadLog, limits: SessionLimits, recovery: RecoveryQueue, folder: String,
    store: SessionStore?, clock: @escaping @Sendable () -> Double
  ) throws(LogError) {
    self.store = store
    self.log = log
    self.limits = limits
    self.clock = clock
    self.recovery = recovery
    self.folder = folder
    intake = try SerialThread()
  }

  /// Who makes room for a session that comes back.
  func setRoomMaker(_ body: @escaping @Sendable (LiveSession) -> Bool) { lock.withLock { roomMaker = body } }

  /// Who lets sessions go that are another node's.
  func setLoser(_ body: @escaping @Sendable (LiveSession) -> Void) { lock.withLock { loser = body } }

  /// A session is another node's.
  func lose(_ session: LiveSession) {
    session.leave()
    lock.withLock { loser }?(session)
  }

  /// Whether a session that was parked may be open again.
  func makeRoom(for session: LiveSession) -> Bool { lock.withLock { roomMaker }?(session) ?? true }

  /// Whether the disk has more free than is kept in reserve: then a batch, and what comes of it, finds room.
  var hasDiskSpace: Bool {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return true }
    let unit = Int(status.f_frsize)
    return Int(status.f_bavail) * unit > min(limits.diskReserve, Int(status.f_blocks) * unit / 20)
  }
}
