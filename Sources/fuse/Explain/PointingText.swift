import Geometry
import PrecisionFinding

/// The peer pointed at, in words.
package struct PointingText {
  private let pointing: Pointing
  private let seconds: Double
  private let peers: [String]

  /// - Parameters:
  ///   - seconds: the time, from the recording's first event.
  ///   - peers: all peers of the run, sorted.
  package init(_ pointing: Pointing, at seconds: Double, peers: [String]) {
    self.pointing = pointing
    self.seconds = seconds
    self.peers = peers
  }

  /// Lines of text.
  package var lines: [String] {
    var table = Table([.left, .right, .right])
    table.add(["peer", "off the axis", "distance"])
    for entry in pointing.entries {
      table.add([
        entry.peer, entry.angle.map { "\(Words.fixed(Angle.inDegrees($0), 1)) deg" } ?? "not known",
        entry.distance.map { "\(Words.fixed($0, 2)) m" } ?? "not known",
      ])
    }
    let selected = pointing.selected.map { "the device points at \($0)" } ?? "the device points at no peer"
    let rows = pointing.entries.isEmpty ? ["no updates until then"] : table.lines()
    return ["At \(Words.fixed(seconds, 3)) s \(selected):"] + rows
      + ["", "For the explanation of a peer's update: --peer with one of: \(peers.joined(separator: " "))"]
  }
}
