import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import LiveSessions
import Logging
import NIOCore
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

  /// Serves until SIGTERM or SIGINT; then finishes what was accepted. SIGHUP reads certificates and tokens anew.
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
struct Brokerage: Service {
  let bridge: MQTTBridge?

  func run() async throws {
    // A service that ends by itself ends all.
    guard let bridge else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown { await bridge.run() }
  }
}

/// Work beside the requests: readers' heartbeats, sessions that rest, park or end, the log's compaction.
struct Housekeeping: Service {
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
enum Allocator {
  /// Gives it back to the system: what many readers or sessions held would stay with the process otherwise.
  static func trim() {
    // glibc's; Swift's overlay of it leaves malloc.h out.
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
  }
}

/// SIGHUP: certificates and tokens are read anew; what is wrong with them is said, and those of before stay.
struct Reloading: Service {
  let service: LiveService
  let certificates: Certificates?

  func run() async throws {
    for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
      do {
        try certificates?.reload()
        try service.tokens.reload()
        service.applyQuotas()
        service.logger.notice("certificates and tokens are read anew")
      } catch { service.logger.error("those of before stay: \(error)") }
    }
  }
}
