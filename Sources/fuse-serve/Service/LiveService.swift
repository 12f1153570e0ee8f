import Datasets
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import JSONText
import LiveSessions
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// The service: sessions over HTTP.
struct LiveService: Sendable {
  let registry: SessionRegistry
  let logger: Logger
  /// Who may create sessions and operate.
  let tokens: TokenBook
  let access: AccessRules
  /// Connections that are served, and at present.
  let connections: ConnectionLimit
  let metrics = ServiceMetrics()
  let readiness: ReadinessLog
  /// Sessions at a broker; nil: none.
  var mqtt: MQTTBridge?

  /// Seconds that a reader may take nothing while there is something for it.
  static let patience: Int64 = 30

  /// Serves until SIGTERM or SIGINT; then finishes what was accepted. SIGHUP reads certificates and tokens again.
  func run(host: String, port: Int, certificates: Certificates?, replay: Replay?) async throws {
    let scheme = certificates == nil ? "http" : "https"
    let logger = logger
    applyQuotas()
    let application = Application(
      router: router(),
      server: try Self.server(
        certificates, metrics, largestMessage: registry.limits.batchBytes + SessionSocket.largestFirstLine),
      configuration: .init(
        address: .hostname(host, port: port), backlog: 1024, availableConnectionsDelegate: connections),
      services: [
        Housekeeping(service: self), Reloading(service: self, certificates: certificates), Brokerage(bridge: mqtt),
      ],
      onServerRunning: { [self] channel in
        let port = channel.localAddress?.port ?? port
        let name = host.contains(":") ? "[\(host)]" : host
        print("serving on \(scheme)://\(name):\(port)/")
        fflush(nil)
        if let replay { await self.start(replay, base: "\(scheme)://\(name):\(port)") }
        fflush(nil)
      },
      logger: logger)
    try await application.runService()
    registry.close()
    logger.info("stopped; what was accepted is finished")
  }

  private static func server(
    _ certificates: Certificates?, _ metrics: ServiceMetrics, largestMessage: Int
  ) throws -> HTTPServerBuilder {
    let requests = HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        WebSocketDoor(largestMessage: largestMessage), TargetHosts(),
        ReaderGuard(patience: .seconds(patience)) { metrics.endedReader() },
      ],
      idleTimeout: .seconds(60),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
    guard let certificates else { return .http1(configuration: requests) }
    // Browsers speak HTTP/2 over TLS only, and keep to six connections without it.
    return try .http2Upgrade(
      tlsConfiguration: certificates.configuration,
      configuration: .init(idleTimeout: .seconds(60), gracefulCloseTimeout: .seconds(10), streamConfiguration: requests)
    )
  }

  private func start(_ replay: Replay, base: String) async {
    do {
      let created = try await replay.start(registry, logger: logger)
      print("replaying \(replay.folder): \(base)/s/\(created.id)#\(created.readToken)")
      // The scheme of a socket is that of the page with ws in place of http.
      print("in Foxglove: ws\(base.dropFirst(4))/v1/sessions/\(created.id)/foxglove?token=\(created.readToken)")
    } catch { logger.error("replay: \(error)") }
  }

  /// The limits of the tokens, for their sessions.
  func applyQuotas() { for token in tokens.all { registry.account(token.name).change(token.quota) } }

  /// What new sessions lack now, in words: empty where they would be taken.
  var causes: [String] {
    registry.causes
      + (connections.isExceeded
        ? ["connections: more than \(connections.served), expected fewer: --max-connections"] : [])
  }

  private func router() -> Router<ServiceContext> {
    let router = Router(context: ServiceContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(Gate(service: self))
    let sessions = SessionCalls(service: self)
    let overview = Overview(service: self)
    router.get("/v1/sessions", use: overview.list)
    router.get("/v1/updates", use: FeedStream(service: self).open)
    router.post("/v1/sessions", use: sessions.create)
    router.get("/v1/sessions/:id", use: sessions.status)
    router.delete("/v1/sessions/:id", use: sessions.delete)
    router.post("/v1/sessions/:id/events", use: sessions.events)
    router.post("/v1/sessions/:id/finish", use: sessions.finish)
    router.get("/v1/sessions/:id/result.json", use: sessions.result)
    router.get("/v1/sessions/:id/trajectory.tum", use: sessions.trajectory)
    router.get("/v1/sessions/:id/updates.jsonl", use: sessions.updatesFile)
    router.get("/v1/sessions/:id/recording", use: sessions.recording)
    router.get("/v1/sessions/:id/updates", use: UpdateStream(service: self).open)
    router.get("/v1/sessions/:id/socket", use: SessionSocket(service: self).open)
    router.get("/v1/sessions/:id/foxglove", use: FoxgloveSocket(service: self).open)
    let pages = Pages(service: self)
    router.get("/", use: pages.start)
    router.get("/s/:id", use: pages.finding)
    router.get("/page.js", use: pages.script)
    router.get("/page.css", use: pages.style)
    router.get("/openapi.json", use: pages.contract)
    router.get("/healthz") { _, _ in Answers.bytes(Array("ok\n".utf8), "text/plain; charset=utf-8") }
    router.get("/readyz", use: overview.ready)
    router.get("/metrics", use: overview.metrics)
    return router
  }
}

/// Sessions at a broker, as long as the service runs.
private struct Brokerage: Service {
  let bridge: MQTTBridge?

  func run() async throws {
    // A service that ends by itself ends all.
    guard let bridge else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown { await bridge.run() }
  }
}

/// Work beside the requests: readers' heartbeats, sessions that rest, park or end, the log's compaction.
private struct Housekeeping: Service {
  let service: LiveService

  func run() async throws {
    let (registry, logger) = (service.registry, service.logger)
    var before = 0
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(5)) }
      for session in registry.all { session.updates.wake() }
      registry.feed.wake()
      registry.tend()
      service.readiness.look(service.causes)
      let load = registry.counts.open + service.metrics.readerCount
      if load < before { Allocator.trim() }
      before = load
      registry.compactLater { logger.error("log: \($0)") }
    }
  }
}

/// Names a limit in the log when it is reached, and says when none is left.
///
/// A limit may come and go between two looks, so a refused request names it, too. It is one line until a look finds it
/// gone.
final class ReadinessLog: @unchecked Sendable {
  private let lock = NSLock()
  private var named: Set<String> = []
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// A request was refused for a limit with this word.
  func refused(_ word: String) {
    guard lock.withLock({ named.insert(word).inserted }) else { return }
    logger.warning("not ready: \(word): a request was refused for it")
  }

  /// What new sessions lack now, each with its word in front (`LiveService.causes`).
  func look(_ causes: [String]) {
    let words = causes.map { String($0.prefix { $0 != ":" }) }
    let before = lock.withLock {
      defer { named = Set(words) }
      return named
    }
    let fresh = zip(words, causes).filter { !before.contains($0.0) }.map(\.1)
    if !fresh.isEmpty { logger.warning("not ready: \(fresh.joined(separator: "; "))") }
    if words.isEmpty, !before.isEmpty { logger.notice("ready again") }
  }
}

/// What the C library keeps of memory that was freed.
private enum Allocator {
  /// Gives it back to the system: what many readers or sessions held would stay with the process otherwise.
  static func trim() {
    // glibc's; Swift's overlay of it leaves malloc.h out.
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
  }
}

/// SIGHUP: certificates and tokens are read again; what is wrong with them is said, and those of before stay.
private struct Reloading: Service {
  let service: LiveService
  let certificates: Certificates?

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      do {
        try certificates?.reload()
        try service.tokens.reload()
        service.applyQuotas()
        service.logger.notice("certificates and tokens are read again")
      } catch { service.logger.error("those of before stay: \(error)") }
    }
  }
}

/// The calls of the service by path: a closed list, so that no id is a label and another method is told from another path.
enum Routes {
  /// What a path leads to; nil where it leads nowhere.
  static func route(_ path: String) -> (name: String, methods: [HTTPRequest.Method])? {
    let parts = path.split(separator: "/").map(String.init)
    let reading: [HTTPRequest.Method] = [.get, .head]
    switch parts.count {
    case 0: return ("/", reading)
    case 1:
      let name = "/\(parts[0])"
      return documents.contains(name) ? (name, reading) : nil
    case 2 where parts[0] == "s": return ("/s/{id}", reading)
    case 2 where parts == ["v1", "sessions"]: return ("/v1/sessions", reading + [.post])
    case 2 where parts == ["v1", "updates"]: return ("/v1/updates", reading)
    case 3 where parts.starts(with: ["v1", "sessions"]): return ("/v1/sessions/{id}", reading + [.delete])
    case 4 where parts.starts(with: ["v1", "sessions"]):
      let name = "/v1/sessions/{id}/\(parts[3])"
      if ["events", "finish"].contains(parts[3]) { return (name, [.post]) }
      return results.contains(parts[3]) ? (name, reading) : nil
    default: return nil
    }
  }

  private static let documents: Set = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/page.js", "/page.css"]
  private static let results: Set = [
    "updates", "updates.jsonl", "trajectory.tum", "result.json", "recording", "socket", "foxglove",
  ]
}

/// What belongs to a request: with the channel that it came on.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, or the stream of HTTP/2 within one.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

extension Channel {
  /// The channel of the connection: a stream of HTTP/2 is one within it, which the listening one accepted.
  var connection: any Channel {
    guard let parent, parent.parent != nil else { return self }
    return parent
  }
}

extension ResponseBody {
  /// The same body, a piece at a time: the next is written when the channel has seen the one before.
  ///
  /// Without, a writer is far ahead of a channel that is full: what it writes is handed over to the channel's thread, and
  /// only that learns that no more fits.
  func paced(by channel: any Channel) -> ResponseBody {
    if let contentLength, contentLength <= SessionReader.piece { return self }
    let body = self
    return ResponseBody(contentLength: contentLength) { writer in
      try await body.write(
        writer.map { buffer in
          try await channel.eventLoop.submit {}.get()
          return buffer
        })
    }
  }
}

/// Logs as one JSON object a line on stderr.
struct JSONLogHandler: LogHandler {
  private let label: String
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(label: String, level: Logger.Level) { (self.label, logLevel) = (label, level) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var members: [JSONValue.Member] = [
      .init(key: "time", value: .integer(Int(LiveSession.now()))),
      .init(key: "level", value: .string(event.level.rawValue)),
      .init(key: "message", value: .string(event.message.description)),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      members.append(.init(key: key, value: .string("\(value)")))
    }
    FileHandle.standardError.write(Data(JSONValue.object(members).bytes + [0x0A]))
  }
}

/// The certificate and key of the service, read again on demand: connections that begin then have the new ones.
final class Certificates: Sendable {
  private struct Pair: Sendable {
    var chain: [NIOSSLCertificateSource]
    var key: NIOSSLPrivateKeySource
  }

  private let certificate: String
  private let key: String
  private let pair: NIOLockedValueBox<Pair>

  /// Reads two files in PEM.
  ///
  /// - Throws: `CommandError` where they cannot be read or do not belong together.
  init(certificate: String, key: String) throws {
    self.certificate = certificate
    self.key = key
    pair = NIOLockedValueBox(try Self.read(certificate, key))
  }

  /// Reads them again; after an error those of before stay.
  func reload() throws {
    let new = try Self.read(certificate, key)
    pair.withLockedValue { $0 = new }
  }

  /// TLS 1.2 or newer.
  var configuration: TLSConfiguration {
    let now = pair.withLockedValue { $0 }
    var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: now.chain, privateKey: now.key)
    configuration.minimumTLSVersion = .tlsv12
    configuration.sslContextCallback = { [pair] _, promise in
      var override = NIOSSLContextConfigurationOverride()
      let now = pair.withLockedValue { $0 }
      (override.certificateChain, override.privateKey) = (now.chain, now.key)
      promise.succeed(override)
    }
    return configuration
  }

  private static func read(_ certificate: String, _ key: String) throws -> Pair {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate)
      let pair = Pair(
        chain: chain.map { .certificate($0) }, key: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
      guard !chain.isEmpty else { throw CommandError("no certificate in it") }
      // Only a context tells whether they belong together.
      _ = try NIOSSLContext(
        configuration: .makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key))
      return pair
    } catch {
      throw CommandError(
        "--tls-certificate \(certificate), --tls-key \(key): cannot be read, expected a chain and its key in PEM: \(error)"
      )
    }
  }
}
