import Testing
import fuse_serve

/// Whose requests are answered, by their headers.
@Suite struct AccessRulesTests {
  private let own = AccessRules(isLoopback: true, hosts: ["fuse.example"], origins: ["https://app.example"])
  private let open = AccessRules(isLoopback: false, hosts: [], origins: [])

  @Test func oneHostOfThisService() {
    for host in ["localhost", "127.0.0.1:8040", "[::1]:8040", "LOCALHOST:1", "fuse.example", "Fuse.Example:443"] {
      #expect(own.fault(host: host, further: []) == nil, "\(host)")
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.2", "[::2]"] {
      #expect(own.fault(host: host, further: []) == .foreign, "\(host)")
      #expect(open.fault(host: host, further: []) == nil, "\(host)")
    }
  }

  @Test func whatIsNoHost() {
    for host in [
      "", "a b", "localhost,evil", "localhost/", "user@localhost", "localhost:", "localhost:80:80", "localhost:x",
      "[::1",
      "[]", "[localhost]", "localhost:123456", "loc\u{7}alhost", "[::1]x",
    ] {
      let fault = open.fault(host: host, further: [])
      let isRefused = if case .malformed? = fault { true } else { host == "localhost:" && fault == nil }
      #expect(isRefused, "\(host)")
    }
    for host: String? in [nil, "localhost"] {
      let further = host == nil ? [] : ["localhost"]
      guard case .malformed? = own.fault(host: host, further: further) else {
        Issue.record("none, and two, were taken")
        return
      }
    }
  }

  /// RFC 9112, 3.2.2: a target in absolute form says the host, too.
  @Test func aTargetWithAHost() {
    func other(_ target: String) -> String? { AccessRules.otherHost(target: target, host: "localhost:80") }
    for target in ["/", "/x?http://evil.example/", "*", "http://localhost:80/v1/sessions", "HTTPS://LOCALHOST:80?x"] {
      #expect(other(target) == nil, "\(target)")
    }
    for target in [
      "http://evil.example/", "http://localhost/", "http://localhost:80@evil.example/",
      "http://localhost:80.evil.example/x",
      "evil.example:443", "", "ftp://localhost:80/", "localhost",
    ] {
      #expect(other(target) != nil, "\(target)")
      guard case .malformed? = own.fault(host: "localhost:80", further: [other(target) ?? ""]) else {
        Issue.record("\(target) was taken")
        continue
      }
    }
  }

  @Test func origins() {
    #expect(
      own.permits(origin: nil, host: "localhost") && own.permits(origin: "https://app.example", host: "localhost"))
    #expect(own.permits(origin: "http://localhost:8040", host: "localhost:8040"))
    for origin in ["http://evil.example", "null", "http://localhost:1", "localhost:8040"] {
      #expect(!own.permits(origin: origin, host: "localhost:8040"), "\(origin)")
    }
  }

  @Test func addressesOfThisMachine() {
    for address in ["127.0.0.1", "127.1.2.3", "::1", "localhost", "LocalHost"] {
      #expect(AccessRules.isLoopback(address), "\(address)")
    }
    for address in ["0.0.0.0", "::", "127.0.0.1.evil.example", "10.0.0.1", "127.0.0.300", "127.0.0", "example", ""] {
      #expect(!AccessRules.isLoopback(address), "\(address)")
    }
  }
}
