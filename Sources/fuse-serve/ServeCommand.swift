import ArgumentParser
import Foundation
import LiveSessions
import Logging
import RunResults
import ServiceArguments
import Wording

/// `fuse serve`.
private struct ServeCommand: AsyncParsableCommand {
  static let configuration = ServeArguments.configuration

  @OptionGroup var arguments: ServeArguments

  func run() async throws {
    try await Failure.reporting {
      if let data = arguments.checkLog { return try report(LogExport.check(data: data)) }
      if let data = arguments.export { return try report(LogExport.export(data: data, to: arguments.output!)) }
      let level = Logger.Level(rawValue: arguments.logLevel.rawValue)!
      LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
      let logger = Logger(label: "fuse-serve")
      let tokens = try TokenBook(single: arguments.authToken, file: arguments.tokens)
      let isLoopback = AccessRules.isLoopback(arguments.host)
      guard isLoopback || !tokens.isOpen else {
        throw CommandError(
          "--host \(arguments.host) lets other machines in, and anybody could create sessions: give --auth-token or "
            + "--tokens, or bind to 127.0.0.1")
      }
      let certificates = try arguments.tlsCertificate.map {
        try Certificates(certificate: $0, key: arguments.tlsKey!)
      }
      let connections = try connectionLimit(logger)
      let store = try openStore(logger)
      let folder = store == nil ? arguments.data : try NodeFolder.make(in: arguments.data)
      // What the store has needs no sync here.
      let registry =
        store == nil
        ? try SessionRegistry(folder: folder, limits: limits) { logger.warning("\($0)") }
        : try SessionRegistry(folder: folder, limits: limits, store: store, sync: { _ in 0 }) {
          logger.warning("\($0)")
        }
      var service = LiveService(
        registry: registry, logger: logger, tokens: tokens,
        access: AccessRules(isLoopback: isLoopback, hosts: arguments.allowHost, origins: arguments.allowOrigin),
        connections: connections, readiness: ReadinessLog(logger: logger))
      let broker = arguments.mqtt ?? ProcessInfo.processInfo.environment["FUSE_MQTT"] ?? ""
      if !broker.isEmpty {
        let address: MQTTAddress
        do throws(MQTTAddress.Fault) { address = try MQTTAddress(broker) } catch {
          throw CommandError("--mqtt: \(error)")
        }
        service.mqtt = try MQTTBridge(
          service, address, authorities: arguments.mqttCa,
          node: arguments.node ?? "\(ProcessInfo.processInfo.hostName)-\(arguments.port)",
          backlog: arguments.mqttBacklog)
      }
      try await service.run(
        host: arguments.host, port: arguments.port, certificates: certificates,
        replay: arguments.replay.map { Replay(folder: $0, speed: arguments.speed) })
    }
  }

  /// The store of several nodes, where one is named: in the environment its password is in no process list.
  private func openStore(_ logger: Logger) throws -> SessionStore? {
    let named = arguments.store ?? ProcessInfo.processInfo.environment["FUSE_STORE"] ?? ""
    guard !named.isEmpty else { return nil }
    do {
      let address = try RedisAddress(named)
      // No other process has this name, also none of the same machine.
      let node = "\(ProcessInfo.processInfo.hostName)-\(TokenHash.random(bytes: 6))"
      logger.notice("sessions are kept together", metadata: ["node": "\(node)", "store": "\(address.name)"])
      return try SessionStore(
        address, node: node,
        version: FuseVersion.current, lease: arguments.lease, retention: limits.retention
      ) { logger.warning("store: \($0)") }
    } catch let failure as SessionStore.Failure {
      throw CommandError("--store: \(failure.words)")
    } catch let fault as RedisAddress.Fault { throw CommandError("--store: \(fault)") }
  }

  private func report(_ report: LogExport.Report) throws {
    for line in report.lines { print(line) }
    fflush(nil)
    if !report.isWhole { throw ExitCode(1) }
  }

  private var limits: SessionLimits {
    var limits = SessionLimits()
    limits.sessions = arguments.maxSessions
    limits.keptSessions = max(arguments.maxKeptSessions, arguments.maxSessions)
    limits.batchBytes = arguments.maxBatchBytes
    limits.lineBytes = arguments.maxLineBytes
    limits.eventsPerSecond = arguments.maxEventsPerSecond
    limits.updatesPerSecond = arguments.maxUpdatesPerSecond
    limits.sessionBytes = arguments.maxSessionBytes
    limits.diskReserve = arguments.diskReserve
    limits.peers = arguments.maxPeers
    limits.idle = arguments.idle
    limits.park = max(arguments.park, arguments.idle)
    limits.empty = arguments.empty
    limits.retention = arguments.retention > 0 ? arguments.retention * 3600 : nil
    return limits
  }

  /// Descriptors that are no connection's and no session's: the log, the listener, the system's own, recordings.
  private static let otherDescriptors = 64
  /// Fewest connections that are worth to start with.
  private static let fewestConnections = 16

  /// As many connections as asked for, or as the system has descriptors for beside the sessions' files.
  private func connectionLimit(_ logger: Logger) throws -> ConnectionLimit {
    ProcessFigures.raiseDescriptorLimit()
    // A session that is open has two files; where many may be, connections keep most, and a creation says what lacks.
    let limit = ProcessFigures.descriptorLimit
    let room = limit - Self.otherDescriptors - ConnectionLimit.told - min(2 * arguments.maxSessions, limit / 4)
    guard room >= Self.fewestConnections else {
      throw CommandError(
        "the system permits \(limit) descriptors, expected at least 256: raise it (ulimit -n, LimitNOFILE=)")
    }
    if room < arguments.maxConnections {
      logger.warning(
        "the system permits \(limit) descriptors: \(room) connections are served, not \(arguments.maxConnections)")
    }
    return ConnectionLimit(served: min(room, arguments.maxConnections))
  }
}

/// The executable behind `fuse serve` and `fuse meet`, apart from `fuse`, which builds without SwiftNIO.
@main
struct FuseServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuse-serve", abstract: "Sensors stream in over HTTP, updates stream out.",
    version: FuseVersion.current, subcommands: subcommands, defaultSubcommand: ServeCommand.self)

  private static var subcommands: [any ParsableCommand.Type] {
    #if canImport(Darwin)
      [ServeCommand.self]
    #else
      [ServeCommand.self, MeetCommand.self]
    #endif
  }
}

/// Ends a command on an error: one line on stderr, exit code 2, as `fuse` does.
enum Failure {
  /// Runs `body`; its error becomes the one line.
  static func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let exit as ExitCode { throw exit } catch let usage as ValidationError {
      throw usage
    } catch {
      let text = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
      StandardError.line("\(text.hasPrefix("error: ") ? "" : "error: ")\(text)")
      throw ExitCode(2)
    }
  }
}

/// An error that the command itself finds, in words.
struct CommandError: Error, CustomStringConvertible {
  /// The message.
  var description: String

  /// An error with a message.
  init(_ description: String) { self.description = description }
}
