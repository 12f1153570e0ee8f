import ArgumentParser
import Foundation
import LiveSessions
import Logging
import ServiceArguments

/// `fuse serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = ServeArguments.configuration

  @OptionGroup var arguments: ServeArguments

  func run() async throws {
    try await Failure.reporting {
      if let data = arguments.checkLog { return try report(LogExport.check(data: data)) }
      if let data = arguments.export { return try report(LogExport.export(data: data, to: arguments.output!)) }
      LoggingSystem.bootstrap(JSONLogHandler.init)
      var limits = SessionLimits()
      limits.sessions = arguments.maxSessions
      limits.batchBytes = arguments.maxBatchBytes
      limits.lineBytes = arguments.maxLineBytes
      limits.eventsPerSecond = arguments.maxEventsPerSecond
      limits.peers = arguments.maxPeers
      limits.idle = arguments.idle
      limits.retention = arguments.retention > 0 ? arguments.retention * 3600 : nil
      let logger = Logger(label: "fuse-serve")
      let registry = try SessionRegistry(folder: arguments.data, limits: limits) { logger.warning("\($0)") }
      let service = LiveService(
        registry: registry, logger: logger, creationToken: try CreationToken.read(arguments.authToken),
        access: AccessRules(
          isLoopback: ["127.0.0.1", "::1", "localhost"].contains(arguments.host), hosts: arguments.allowHost, origins: arguments.allowOrigin))
      try await service.run(
        host: arguments.host, port: arguments.port, tls: arguments.tlsCertificate.map { ($0, arguments.tlsKey!) }, maxConnections: arguments.maxConnections,
        replay: arguments.replay.map { Replay(folder: $0, speed: arguments.speed) })
    }
  }

  private func report(_ report: LogExport.Report) throws {
    for line in report.lines { print(line) }
    fflush(nil)
    if !report.isWhole { throw ExitCode(1) }
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
