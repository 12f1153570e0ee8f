import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import LiveSessions
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// The service: sessions over HTTP.
struct LiveService: Sendable {
  let registry: SessionRegistry
  let logger: Logger
  /// Who may create sessions; nil: anybody.
  let creationToken: TokenHash?
  let access: AccessRules
  let metrics = ServiceMetrics()

  /// Serves until SIGTERM or SIGINT; then finishes what was accepted.
  func run(host: String, port: Int, tls: (certificate: String, key: String)?, maxConnections: Int, replay: Replay?)
    async throws
  {
    raiseDescriptorLimit()
    let scheme = tls == nil ? "http" : "https"
    let logger = logger
    var server = HTTPServerBuilder.http1(
      configuration: .init(
        idleTimeout: .seconds(60),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100)))
    if let tls { server = try .tls(server, tlsConfiguration: Self.tls(tls.certificate, tls.key)) }
    let application = Application(
      router: router(), server: server,
      configuration: .init(
        address: .hostname(host, port: port), backlog: 1024,
        availableConnectionsDelegate: .maximum(maxConnections, logger: logger)),
      services: [Housekeeping(registry: registry, logger: logger)],
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

  private func start(_ replay: Replay, base: String) async {
    do {
      let created = try await replay.start(registry, logger: logger)
      print("replaying \(replay.folder): \(base)/s/\(created.session.identity.id)#\(created.readToken)")
    } catch { logger.error("replay: \(error)") }
  }

  /// Ten thousand readers are ten thousand descriptors.
  private func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  private static func tls(_ certificate: String, _ key: String) throws -> TLSConfiguration {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
      return .makeServerConfiguration(
        certificateChain: chain, privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    } catch { throw CommandError("--tls-certificate, --tls-key: cannot be read as PEM: \(error)") }
  }

  private func router() -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(Gate(service: self))
    let sessions = SessionCalls(service: self)
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
    let pages = Pages(service: self)
    router.get("/", use: pages.start)
    router.get("/s/:id", use: pages.finding)
    router.get("/page.js", use: pages.script)
    router.get("/page.css", use: pages.style)
    router.get("/openapi.json", use: pages.contract)
    router.get("/healthz") { _, _ in Answers.bytes(Array("ok\n".utf8), "text/plain; charset=utf-8") }
    router.get("/readyz", use: pages.ready)
    router.get("/metrics") { [self] _, _ in
      Answers.bytes(Array(metrics.text(registry).utf8), "text/plain; version=0.0.4; charset=utf-8")
    }
    return router
  }
}

/// Work beside the requests: readers' heartbeats, retention, the log's compaction.
struct Housekeeping: Service {
  let registry: SessionRegistry
  let logger: Logger

  func run() async throws {
    var round = 0
    while !Task.isShuttingDownGracefully, !Task.isCancelled {
      try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(5)) }
      round += 1
      for session in registry.all { session.updates.wake() }
      if round % 12 == 0 { await registry.expire() }
      let (registry, logger) = (registry, logger)
      DispatchQueue.global(qos: .utility).async {
        do { try registry.compact() } catch { logger.error("log: \(error)") }
      }
    }
  }
}
