/// The two datagrams of discovery: a broadcast question, and an answer with a peer's name and port.
package enum Beacon {
  /// Question of a browsing peer.
  static let question = "fuse-nearby 1 who"

  /// Answer of an advertising peer.
  static func answer(name: String, port: Int) -> String { "fuse-nearby 1 here \(port) \(name)" }

  /// The peer of an answer; nil for any other text.
  package static func peer(from answer: String, host: String) -> DiscoveredPeer? {
    let parts = answer.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "fuse-nearby", parts[1] == "1", parts[2] == "here",
      let port = Int(parts[3]), (1...65535).contains(port), isName(String(parts[4]))
    else { return nil }
    return DiscoveredPeer(name: String(parts[4]), host: host, port: port)
  }

  /// Whether this is a valid name of a peer.
  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
