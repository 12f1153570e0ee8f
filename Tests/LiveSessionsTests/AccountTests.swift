import LiveSessions
import Testing

/// Files of tokens: what is wrong with one is said.
@Suite struct AccountTests {
  private static let hash = TokenHash(of: "0123456789abcdef").hexadecimal

  private func read(_ entries: String) throws(AccessTokens.Fault) -> AccessTokens {
    var tokens = AccessTokens()
    try tokens.add(file: Array("{\"tokens\":[\(entries)]}".utf8))
    return tokens
  }

  @Test func tokensWithTheirLimits() throws {
    let tokens = try read(
      """
      {"name":"lab","sha256":"\(Self.hash)","operator":true},
      {"name":"phones","token":"a secret of phones","sessions":20,"eventsPerSecond":5000.5,"updatesPerSecond":100,"bytes":1000000}
      """)
    let lab = try #require(tokens.token("0123456789abcdef")), phones = try #require(tokens.token("a secret of phones"))
    #expect(lab.name == "lab" && lab.isOperator && lab.quota == Account.Quota())
    #expect(phones.name == "phones" && !phones.isOperator && phones.quota.sessions == 20)
    #expect(
      phones.quota.eventsPerSecond == 5000.5 && phones.quota.updatesPerSecond == 100 && phones.quota.bytes == 1_000_000)
    #expect(tokens.token("another") == nil && tokens.token("") == nil)
    #expect(AccessTokens(single: "x").token("x")?.isOperator == true && AccessTokens().token("") == nil)
  }

  @Test func whatIsWrongIsSaid() {
    let faults: [(String, String)] = [
      ("1", "no object"), ("{\"name\":\"a\"}", "no token"),
      ("{\"name\":\"a b\",\"token\":\"0123456789abcdef\"}", "no name"),
      ("{\"name\":\"a\",\"token\":\"short\"}", "5 bytes, expected at least 16"),
      ("{\"name\":\"a\",\"sha256\":\"ABC\"}", "64 hexadecimal digits"),
      ("{\"name\":\"a\",\"sha256\":\"\(Self.hash)\",\"token\":\"0123456789abcdef\"}", "either token or sha256"),
      ("{\"name\":\"a\",\"sha256\":\"\(Self.hash)\",\"sesions\":1}", "the key sesions"),
      ("{\"name\":\"a\",\"sha256\":\"\(Self.hash)\",\"sessions\":0}", "a number from 1"),
      ("{\"name\":\"a\",\"sha256\":\"\(Self.hash)\",\"operator\":1}", "true or false"),
      (
        "{\"name\":\"a\",\"sha256\":\"\(Self.hash)\"},{\"name\":\"a\",\"token\":\"0123456789abcdeg\"}",
        "token 2: found the name a twice"
      ),
      (
        "{\"name\":\"a\",\"sha256\":\"\(Self.hash)\"},{\"name\":\"b\",\"token\":\"0123456789abcdef\"}",
        "the token of another name"
      ),
    ]
    for (entries, words) in faults {
      do {
        _ = try read(entries)
        Issue.record("\(entries) was taken")
      } catch { #expect(error.description.contains(words), "\(error)") }
    }
    var tokens = AccessTokens()
    do {
      try tokens.add(file: Array("tokens:".utf8))
      Issue.record("a file that is no JSON was taken")
    } catch { #expect(error.description.contains("no JSON of tokens")) }
  }

  @Test func anOwnersNameIsKept() {
    let (a, b) = (TokenHash(of: "a"), TokenHash(of: "b"))
    let id = TokenHash.random(bytes: 16)
    for owner in ["lab", SessionIdentity.defaultOwner] {
      let identity = SessionIdentity(id: id, ingest: a, read: b, owner: owner, body: Array("{}\n{}".utf8))
      let again = SessionIdentity(payload: identity.payload)
      #expect(again?.id == id && again?.owner == owner && again?.read == b && again?.body == identity.body)
    }
    // As logs had it before there were owners.
    let old = SessionIdentity(payload: Array("\(id)\n\(a.hexadecimal)\n\(b.hexadecimal)\n{}".utf8))
    #expect(old?.owner == SessionIdentity.defaultOwner && old?.body == Array("{}".utf8))
  }
}
