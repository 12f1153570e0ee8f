import ArgumentParser
import Datasets
import Foundation
import PrecisionFinding
import SensorData

/// `fuse explain <run> --at <s>`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Why a run said what it said at a moment, or did not.",
    discussion: """
      Plays the run's recording again up to that moment and tells what was still possible, which gates were passed \
      and failed and by how much, and which motion would have helped.

      EXAMPLES
        fuse explain demo-fuse --at 5
        fuse explain result --at 12.3 --peer tag --recording phone
        fuse explain demo-fuse --at 5 --format json | jq .places
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The output folder of a run.")
  var folder: String

  @Option(help: ArgumentHelp("The moment, seconds from the recording's first event.", valueName: "s"))
  var at: Double

  @Option(help: ArgumentHelp("Which peer; needed where there are several.", valueName: "id"))
  var peer: String?

  @Option(help: ArgumentHelp("The recording, where it is not where the run found it.", valueName: "folder"))
  var recording: String?

  @Option(help: "How it is told: text or json.")
  var format = Format.text

  func validate() throws {
    guard at >= 0, at <= 1e9 else { throw ValidationError("--at must be from 0 to 1e9 seconds.") }
  }

  func run() throws {
    try Failure.reporting {
      let run = try RunFolder(path: folder)
      let replay = try RunReplay(of: run, named: recording)
      let time = replay.start.advanced(bySeconds: at)
      let heard = LastExplanation(of: try onlyPeer(of: run), until: time)
      try replay.play(to: time, peer: heard.peer, witness: heard)
      guard let explanation = heard.explanation else {
        throw CommandError("\(folder): nothing was said of \(heard.peer) until then, expected a later moment")
      }
      var standardOutput = StandardOutput(needsReader: format == .json)
      let text = ExplanationText(explanation, start: replay.start)
      switch format {
      case .text: for line in text.lines { try standardOutput.line(line) }
      case .json:
        var json = JSONBuffer()
        json.pretty(text.json)
        try standardOutput.line(String(decoding: json.bytes, as: UTF8.self))
      }
    }
  }

  private func onlyPeer(of run: RunFolder) throws -> String {
    let peers = Set(run.updates.compactMap(\.peer)).sorted()
    let list = peers.joined(separator: " ")
    if let peer {
      guard peers.contains(peer) else {
        throw CommandError("\(folder): no updates of the peer '\(peer)', expected one of: \(list)")
      }
      return peer
    }
    guard let first = peers.first else { throw CommandError("\(folder): no updates of any peer, expected some") }
    guard peers.count == 1 else { throw CommandError("\(folder): several peers, expected --peer with one of: \(list)") }
    return first
  }
}

/// Keeps the explanation of a peer's last update until a moment.
private final class LastExplanation: UpdateWitness {
  let peer: String
  private let end: Timestamp
  private(set) var explanation: Explanation?

  init(of peer: String, until end: Timestamp) {
    self.peer = peer
    self.end = end
  }

  /// An update comes at least every tenth of a second while a recording lasts: older ones can only be the last at its very end.
  func wants(_ peer: String, at time: Timestamp) -> Bool { peer == self.peer && time <= end }

  func take(_ explanation: Explanation) { self.explanation = explanation }
}
