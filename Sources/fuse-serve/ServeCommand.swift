import ArgumentParser
import EventLines
import Foundation
import LiveSessions
import Logging

/// `fuse serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves sessions over HTTP: event lines in, updates out as server-sent events, a page to look at.",
    discussion: """
      Binds to this machine only unless told otherwise. What was acknowledged is on disk and survives any death of the \
      process; after a restart sessions go on. Calls, limits and operation: docs/service.md.

      EXAMPLES
        fuse serve
        fuse serve --replay datasets/demo
        fuse serve --host 0.0.0.0 --auth-token token.txt --tls-certificate cert.pem --tls-key key.pem
      """)

  @Option(help: "The address to bind to.")
  var host = "127.0.0.1"

  @Option(help: "The port; 0 for a free one, which is printed.")
  var port = 8040

  @Option(help: ArgumentHelp("Where sessions are kept; created if absent, private.", valueName: "folder"))
  var data = "./fuse-data"

  @Option(
    help: ArgumentHelp(
      "Who may create sessions: a file with the token. Also in FUSE_AUTH_TOKEN. Without it anybody may.",
      valueName: "file"))
  var authToken: String?

  @Option(help: ArgumentHelp("The server's certificate chain, PEM.", valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("Its private key, PEM.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "A further name under which the service is reached (Host header); may be repeated.", valueName: "name"))
  var allowHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "A further origin whose pages may call, such as https://app.example; may be repeated.", valueName: "origin"))
  var allowOrigin: [String] = []

  @Option(help: "Sessions that are not finished, at most.")
  var maxSessions = 100

  @Option(help: "Bytes of a batch, unpacked, at most.")
  var maxBatchBytes = 4 << 20

  @Option(help: "Bytes of a line, at most.")
  var maxLineBytes = LineParser.longestLine

  @Option(help: "Measurements a second and session, at most.")
  var maxEventsPerSecond = 20_000.0

  @Option(help: "Peers of a session, at most.")
  var maxPeers = 64

  @Option(help: "Connections, at most.")
  var maxConnections = 12_000

  @Option(help: "Seconds without a batch after which readers see a session as suspended.")
  var idle = 10.0

  @Option(help: "Hours without a call after which a session is deleted; 0: never.")
  var retention = 24.0

  @Option(help: ArgumentHelp("Play a recording as a live session.", valueName: "folder"))
  var replay: String?

  @Option(help: "How fast --replay plays, times real time.")
  var speed = 1.0

  func validate() throws {
    if (tlsCertificate == nil) != (tlsKey == nil) {
      throw ValidationError("--tls-certificate and --tls-key go together.")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
    guard speed > 0, speed <= 1000 else { throw ValidationError("--speed must be above 0 and at most 1000.") }
    guard maxSessions > 0, maxEventsPerSecond > 0, maxPeers > 0, maxConnections > 0, idle > 0, retention >= 0,
      (1024...1 << 25).contains(maxBatchBytes), (1024...1 << 25).contains(maxLineBytes)
    else {
      throw ValidationError("Limits must be above 0; --max-batch-bytes and --max-line-bytes from 1024 to 33554432.")
    }
  }

  func run() async throws {
    try await Failure.reporting {
      LoggingSystem.bootstrap(JSONLogHandler.init)
      var limits = SessionLimits()
      limits.sessions = maxSessions
      limits.batchBytes = maxBatchBytes
      limits.lineBytes = maxLineBytes
      limits.eventsPerSecond = maxEventsPerSecond
      limits.peers = maxPeers
      limits.idle = idle
      limits.retention = retention > 0 ? retention * 3600 : nil
      let logger = Logger(label: "fuse-serve")
      let registry = try SessionRegistry(folder: data, limits: limits) { logger.warning("\($0)") }
      let service = LiveService(
        registry: registry, logger: logger, creationToken: try CreationToken.read(authToken),
        access: AccessRules(
          isLoopback: ["127.0.0.1", "::1", "localhost"].contains(host), hosts: allowHost, origins: allowOrigin))
      try await service.run(
        host: host, port: port, tls: tlsCertificate.map { ($0, tlsKey!) }, maxConnections: maxConnections,
        replay: replay.map { Replay(folder: $0, speed: speed) })
    }
  }
}

/// The token that may create sessions: from a file or the environment, so that it is in no process list.
enum CreationToken {
  /// Its hash; nil where anybody may.
  static func read(_ path: String?) throws -> TokenHash? {
    guard let path else {
      let text = ProcessInfo.processInfo.environment["FUSE_AUTH_TOKEN"] ?? ""
      return text.isEmpty ? nil : TokenHash(of: text)
    }
    guard let data = FileManager.default.contents(atPath: path), data.count <= 4096 else {
      throw CommandError("--auth-token \(path.prefix(3))...: no such file, expected a file with the token")
    }
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !text.isEmpty else { throw CommandError("--auth-token: an empty file, expected a token") }
    return TokenHash(of: text)
  }
}
