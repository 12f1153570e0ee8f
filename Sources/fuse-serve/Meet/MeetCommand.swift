import ArgumentParser
import PeerDiscovery
import ServiceArguments

/// `fuse meet <folder>`.
struct MeetCommand: AsyncParsableCommand {
  static let configuration = MeetArguments.configuration

  @OptionGroup var arguments: MeetArguments

  func run() async throws {
    let meeting = Meeting(
      folder: arguments.folder, name: arguments.name, peer: arguments.peer, patience: arguments.wait,
      reach: arguments.broadcast.map { .network(broadcast: $0) } ?? .thisMachine)
    try await Failure.reporting { try await meeting.run() }
  }
}
