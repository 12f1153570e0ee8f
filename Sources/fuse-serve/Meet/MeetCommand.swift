import ArgumentParser
import Foundation
import PeerDiscovery

/// `fuse meet <folder>`.
struct MeetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "meet",
    abstract: "Plays one end of a meeting: finds the other end's process, swaps tokens, runs a session.",
    discussion: """
      Two processes, each with its own end's recording, find each other by name over loopback or a network, exchange \
      discovery tokens as apps do, and run a Nearby Interaction session each. A demonstration, and a test of apps' logic.

      EXAMPLES
        fuse meet datasets/two-peers --name bag --peer keys &
        fuse meet datasets/two-peers --name keys --peer bag
      """)

  @Argument(help: "This end's recording; its ranges name the other end as in --peer.")
  var folder: String

  @Option(help: ArgumentHelp("The name of this end.", valueName: "id"))
  var name: String

  @Option(help: ArgumentHelp("The name of the other end.", valueName: "id"))
  var peer: String

  @Option(
    help: ArgumentHelp(
      "The other end is on another machine: the network's broadcast address, 192.168.1.255 for instance.",
      valueName: "address"))
  var broadcast: String?

  @Option(help: ArgumentHelp("How long to wait for the other end, seconds.", valueName: "s"))
  var wait = 30.0

  func validate() throws {
    if !(wait >= 0 && wait <= 3600) { throw ValidationError("--wait must be from 0 to 3600 seconds.") }
    if name == peer { throw ValidationError("--name and --peer must differ.") }
    if folder.isEmpty { throw ValidationError("A folder needs a name.") }
  }

  func run() async throws {
    let meeting = Meeting(
      folder: folder, name: name, peer: peer, patience: wait,
      reach: broadcast.map { .network(broadcast: $0) } ?? .thisMachine)
    try await Failure.reporting { try await meeting.run() }
  }
}
