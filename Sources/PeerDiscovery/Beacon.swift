/// The two datagrams of discovery: a question to everybody, and an answer that names a peer and its port.
enum Beacon {
  /// What one who browses asks.
  static let question = "fuse-nearby 1 who"

  /// What one who advertises answers.
  static func answer(name: String, port: Int) -> String { "fuse-nearby 1 here \(port) \(name)" }

  /// A peer from its answer; nil for anything else.
  static func peer(from answer: String, host: String) -> DiscoveredPeer? {
    let parts = answer.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "fuse-nearby", parts[1] == "1", parts[2] == "here",
      let port = Int(parts[3]), (1...65535).contains(port), isName(String(parts[4]))
    else { return nil }
    return DiscoveredPeer(name: String(parts[4]), host: host, port: port)
  }

  /// Whether a peer may be called so.
  static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}
