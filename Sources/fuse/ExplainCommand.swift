import ArgumentParser
import Datasets
import Foundation
import JSONText
import RunResults
import SensorData

/// `fuse explain <run> --at <s>`.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explains what a run published, or withheld, at a time.",
    discussion: """
      Replays the run's recording up to that time and reports the modes of the posterior, which gates passed and \
      failed and by how much, the requested motion, its expected duration and whether another motion is better. \
      With several peers and no --peer it reports which of them the device points at.

      EXAMPLES
        fuse explain demo-fuse --at 5
        fuse explain result --at 12.3 --peer tag --recording phone
        fuse explain demo-fuse --at 5 --format json | jq .places
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "The output folder of a run.")
  var folder: String

  @Option(help: ArgumentHelp("The time, seconds from the recording's first event.", valueName: "s"))
  var at: Double

  @Option(
    help: ArgumentHelp("The peer; without it, with several peers: the one pointed at.", valueName: "id"))
  var peer: String?

  @Option(help: ArgumentHelp("The recording, where it has moved since the run.", valueName: "folder"))
  var recording: String?

  @Option(help: "Output format: text or json.")
  var format = Format.text

  @Flag(help: "Read an output folder even if its files are not those of one run.")
  var unverified = false

  /// Beyond its last update by more than this a run is over, seconds.
  private static let silence = 1.0

  func validate() throws {
    guard at >= 0, at <= 1e9 else { throw ValidationError("--at must be from 0 to 1e9 seconds.") }
  }

  func run() throws {
    try Failure.reporting {
      let run = try RunFolder.named(folder, isUnverified: unverified, keeping: .none)
      let replay = try RunReplay(of: run, named: recording)
      let time = replay.start.advanced(bySeconds: at)
      var names: Set<String> = []
      var pointing = Pointing(until: time)
      var written: [String: UpdateRecord] = [:]
      var end: Timestamp?
      try run.forEachUpdate { update in
        end = max(end ?? update.timestamp, update.timestamp)
        guard let peer = update.peer else { return }
        names.insert(peer)
        if update.timestamp <= time { written[peer] = update }
        pointing.add(update)
      }
      if let end, time.seconds(since: end) > Self.silence {
        let last = Words.fixed(end.seconds(since: replay.start), 1)
        StandardError.line(
          "note: the run ends at \(last) s; what follows is its state then, not at \(Words.fixed(at, 1)) s")
      }
      let peers = names.sorted()
      guard let peer = try only(of: peers) else {
        return try write(PointingText(pointing, at: at, peers: peers).lines, pointing.json)
      }
      guard let explanation = try replay.explanation(of: peer, at: time, written: written[peer]) else {
        throw CommandError("\(folder): no update of \(peer) until then, expected a later time")
      }
      try write(
        ExplanationText(explanation, start: replay.start).lines, ExplanationDocument(explanation: explanation).json)
    }
  }

  private func write(_ lines: [String], _ document: JSONValue) throws {
    var standardOutput = StandardOutput()
    switch format {
    case .text: for line in lines { try standardOutput.line(line) }
    case .json:
      var json = JSONWriter()
      json.pretty(document)
      try standardOutput.line(String(decoding: json.bytes, as: UTF8.self))
    }
  }

  /// The requested peer, or the only one; nil where there are several.
  private func only(of peers: [String]) throws -> String? {
    let list = peers.joined(separator: " ")
    if let peer {
      guard peers.contains(peer) else {
        throw CommandError(
          "\(folder): no updates of the peer '\(peer)', expected one of: \(list)\(Suggestion.text(for: peer, among: peers))"
        )
      }
      return peer
    }
    guard let first = peers.first else { throw CommandError("\(folder): no updates of any peer, expected some") }
    return peers.count == 1 ? first : nil
  }
}
