/// Whose requests are answered, by their headers: pure.
///
/// A page of another origin must not speak for its reader, and a name that somebody points at this machine must not reach
/// it (DNS rebinding).
struct AccessRules: Sendable {
  /// Whether only this machine can connect: then only its names are good.
  var isLoopback: Bool
  /// Further names.
  var hosts: [String]
  /// Further origins.
  var origins: [String]

  /// Whether the Host header is one of this service; `host` without its port.
  func permits(host: String?) -> Bool {
    guard let name = host.map(Self.name), !name.isEmpty else { return false }
    if hosts.contains(name) { return true }
    if isLoopback || !hosts.isEmpty { return ["localhost", "127.0.0.1", "[::1]"].contains(name) }
    return true
  }

  /// Whether a request with this Origin header may be answered: its own pages, permitted origins, and no browser at all.
  func permits(origin: String?, host: String?) -> Bool {
    guard let origin else { return true }
    if origins.contains(origin) { return true }
    guard let host, let scheme = origin.firstRange(of: "://") else { return false }
    return origin[scheme.upperBound...].lowercased() == host.lowercased()
  }

  /// The host without its port.
  private static func name(_ host: String) -> String {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]).lowercased() }
    return String(host.prefix { $0 != ":" }).lowercased()
  }
}
