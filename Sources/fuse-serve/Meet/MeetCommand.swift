import ArgumentParser
import PeerDiscovery
import ServiceArguments

/// `fuse meet <folder>`.
struct MeetCommand: AsyncParsableCommand {
  static let configuration = MeetArguments.configuration

  @OptionGroup var arguments: MeetArguments

  func run() async throws {
    try await Failure.reporting {
      guard let name = arguments.name, let peer = arguments.peer else {
        return try await LoneSession(folder: arguments.folder, peer: arguments.peer).run()
      }
      try await Meeting(
        folder: arguments.folder, name: name, peer: peer, patience: arguments.wait,
        reach: arguments.broadcast.map { .network(broadcast: $0) } ?? .thisMachine
      ).run()
    }
  }
}
