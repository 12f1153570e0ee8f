import ArgumentParser

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
