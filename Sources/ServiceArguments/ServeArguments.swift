import ArgumentParser
import EventLines

/// How much the service's log tells, from the most to the least.
package enum LogLevel: String, CaseIterable, ExpressibleByArgument {
  case trace, debug, info, notice, warning, error, critical
}

/// The arguments of `fuse serve`. `fuse` checks and documents them, `fuse-serve` carries them out.
package struct ServeArguments: ParsableArguments {
  /// What the command says about itself.
  package static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves sessions over HTTP: event lines in, updates out as server-sent events, a page to look at.",
    discussion: """
      Binds to this machine only unless told otherwise. What was acknowledged is on disk and survives any death of the \
      process; after a restart sessions go on. Calls, limits and operation: docs/service.md.

      EXAMPLES
        fuse serve
        fuse serve --replay datasets/demo
        fuse serve --host 0.0.0.0 --auth-token token.txt --tls-certificate cert.pem --tls-key key.pem
        fuse serve --store redis://10.0.0.9 --allow-host fuse.example
        fuse serve --check-log ./fuse-data
        fuse serve --export ./fuse-data -o recordings
      """)

  @Option(help: "The address to bind to.")
  package var host = "127.0.0.1"

  @Option(help: "The port; 0 for a free one, which is printed.")
  package var port = 8040

  @Option(help: ArgumentHelp("Where sessions are kept; created if absent, private.", valueName: "folder"))
  package var data = "./fuse-data"

  @Option(
    help: ArgumentHelp(
      "Where several nodes keep sessions together, redis://[user:password@]host[:port][/database]; also in FUSE_STORE. "
        + "Without it this node keeps its own.", valueName: "address"))
  package var store: String?

  @Option(
    help: ArgumentHelp(
      "A broker that gets updates and gives events, mqtt[s]://[user:password@]host[:port]/prefix; also in FUSE_MQTT.",
      valueName: "address"))
  package var mqtt: String?

  @Option(help: ArgumentHelp("Whom to trust for mqtts, PEM; the system's otherwise.", valueName: "file"))
  package var mqttCa: String?

  @Option(help: "Updates of a session that wait for the broker, at most; older ones are left out, and it says so.")
  package var mqttBacklog = 100_000

  @Option(help: "This node's name at the broker; its host's otherwise.")
  package var node: String?

  @Option(help: "Seconds after which a node that is silent loses its sessions to another; with --store.")
  package var lease = 2.0

  @Option(
    help: ArgumentHelp(
      "Who may create sessions, and operate: a file with the token. Also in FUSE_AUTH_TOKEN. Without it anybody may.",
      valueName: "file"))
  package var authToken: String?

  @Option(
    help: ArgumentHelp(
      "Several who may create sessions, with limits for each: a JSON file, see docs/service.md.", valueName: "file"))
  package var tokens: String?

  @Option(help: ArgumentHelp("The server's certificate chain, PEM.", valueName: "file"))
  package var tlsCertificate: String?

  @Option(help: ArgumentHelp("Its private key, PEM.", valueName: "file"))
  package var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "A further name under which the service is reached (Host header); may be repeated.", valueName: "name"))
  package var allowHost: [String] = []

  @Option(
    help: ArgumentHelp(
      "A further origin whose pages may call, such as https://app.example; may be repeated.", valueName: "origin"))
  package var allowOrigin: [String] = []

  @Option(help: "Sessions that are open, neither finished nor parked, at most; a suspended one makes room.")
  package var maxSessions = 100

  @Option(help: "Sessions that are kept, in any state, at most.")
  package var maxKeptSessions = 20_000

  @Option(help: "Bytes of a batch, unpacked, at most.")
  package var maxBatchBytes = 4 << 20

  @Option(help: "Bytes of a line, at most.")
  package var maxLineBytes = LineParser.longestLine

  @Option(help: "Measurements a second and session, at most.")
  package var maxEventsPerSecond = 20_000.0

  @Option(help: "Updates a second and session, at most; then its batches wait.")
  package var maxUpdatesPerSecond = 10_000.0

  @Option(help: "Bytes of a session's batches and updates, at most.")
  package var maxSessionBytes = 16 << 30

  @Option(help: "Bytes of the disk that stay free, at most a twentieth of it; with less nothing is taken.")
  package var diskReserve = 64 << 20

  @Option(help: "Peers of a session, at most.")
  package var maxPeers = 64

  @Option(help: "Connections, at most.")
  package var maxConnections = 12_000

  @Option(help: "Seconds without a batch after which readers see a session as suspended.")
  package var idle = 10.0

  @Option(help: "Seconds without a batch after which a session's finder leaves memory; the next batch brings it back.")
  package var park = 120.0

  @Option(help: "Seconds after which a session that never had data ends.")
  package var empty = 300.0

  @Option(help: "Hours without a call after which a session is deleted; 0: never.")
  package var retention = 24.0

  @Option(help: ArgumentHelp("How much the log tells.", valueName: "level"))
  package var logLevel = LogLevel.info

  @Option(help: ArgumentHelp("Play a recording as a live session.", valueName: "folder"))
  package var replay: String?

  @Option(help: "How fast --replay plays, times real time.")
  package var speed = 1.0

  @Option(
    help: ArgumentHelp(
      "Do not serve: say what of the log in a data folder, of any version, is whole. Exit code 0: all; 1: not all, a "
        + "line for each place; 2: it cannot be read.",
      valueName: "data"))
  package var checkLog: String?

  @Option(
    help: ArgumentHelp(
      "Do not serve: write the sessions of a data folder, of any version, as recordings into the folder of -o. Exit "
        + "codes as of --check-log.",
      valueName: "data"))
  package var export: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("Where --export writes; created if absent.", valueName: "folder"))
  package var output: String?

  package func validate() throws {
    if checkLog != nil, export != nil { throw ValidationError("--check-log and --export: one of them.") }
    if (export == nil) != (output == nil) { throw ValidationError("--export and -o go together.") }
    if (tlsCertificate == nil) != (tlsKey == nil) {
      throw ValidationError("--tls-certificate and --tls-key go together.")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
    guard speed > 0, speed <= 1000 else { throw ValidationError("--speed must be above 0 and at most 1000.") }
    guard mqttBacklog > 0 else { throw ValidationError("--mqtt-backlog must be above 0.") }
    guard (1...60).contains(lease) else { throw ValidationError("--lease must be from 1 to 60 seconds.") }
    guard maxSessions > 0, maxKeptSessions > 0, maxEventsPerSecond > 0, maxUpdatesPerSecond > 0,
      maxSessionBytes > 0, diskReserve >= 0, maxPeers > 0, maxConnections > 0, idle > 0, park > 0, empty > 0,
      retention >= 0,
      (1024...1 << 25).contains(maxBatchBytes), (1024...1 << 25).contains(maxLineBytes)
    else {
      throw ValidationError(
        "Limits must be above 0; --max-batch-bytes and --max-line-bytes from 1024 to 33554432.")
    }
  }

  /// Arguments that are read later.
  package init() {}
}

/// The arguments of `fuse meet <folder>`. `fuse` checks and documents them, `fuse-serve` carries them out.
package struct MeetArguments: ParsableArguments {
  /// What the command says about itself.
  package static let configuration = CommandConfiguration(
    commandName: "meet",
    abstract: "Runs a Nearby Interaction session on a recording, alone or with another process.",
    discussion: """
      With a recording only, a session with its peer, and an app's delegate calls. With --name, one end of a \
      meeting: two processes, each with its own end's recording, find each other by name over loopback or a network, exchange \
      discovery tokens as apps do, and run a Nearby Interaction session each. A demonstration, and a test of apps' logic.

      EXAMPLES
        fuse meet datasets/demo
        fuse meet datasets/two-peers --name bag --peer keys &
        fuse meet datasets/two-peers --name keys --peer bag
      """)

  @Argument(help: "This end's recording; its ranges name the other end as in --peer.")
  package var folder: String

  @Option(help: ArgumentHelp("The name of this end; without it there is no other process.", valueName: "id"))
  package var name: String?

  @Option(help: ArgumentHelp("The name of the other end. (default without --name: the first peer)", valueName: "id"))
  package var peer: String?

  @Option(
    help: ArgumentHelp(
      "The other end is on another machine: the network's broadcast address, 192.168.1.255 for instance.",
      valueName: "address"))
  package var broadcast: String?

  @Option(help: ArgumentHelp("How long to wait for the other end, seconds.", valueName: "s"))
  package var wait = 30.0

  package func validate() throws {
    if !(wait >= 0 && wait <= 3600) { throw ValidationError("--wait must be from 0 to 3600 seconds.") }
    if name != nil, peer == nil { throw ValidationError("--name needs the other end's: --peer.") }
    if name != nil, name == peer { throw ValidationError("--name and --peer must differ.") }
    if folder.isEmpty { throw ValidationError("A folder needs a name.") }
  }

  /// Arguments that are read later.
  package init() {}
}
