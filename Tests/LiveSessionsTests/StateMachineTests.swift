import LiveSessions
import Testing

/// The order of batches, readers' positions, limits: pure state machines.
@Suite struct StateMachineTests {
  @Test func batches() {
    var session = SessionProtocol()
    #expect(session.decide(0) == .take && session.decide(1) == .early(next: 0))
    session.take(ends: false)
    #expect(session.decide(0) == .repeated && session.decide(1) == .take && session.decide(9) == .early(next: 1))
    session.take(ends: true)
    #expect(session.hasEnded && session.next == 2)
    session.finish()
    // A repeated batch is acknowledged also when all is over: its acknowledgement may have been lost.
    #expect(session.decide(1) == .repeated && session.decide(2) == .finished && session.decide(3) == .finished)
  }

  @Test func readersGetEverythingOnceAtTheirPace() {
    var cursor = UpdateCursor()
    var seen: [Int] = []
    for count in [0, 3, 3, 100, 101] {
      while true {
        let range = cursor.chunk(of: count, limit: 7)
        if range.isEmpty { break }
        #expect(range.count <= 7)
        seen += range
      }
    }
    #expect(seen == Array(0..<101))
  }

  @Test func readersResume() {
    #expect(UpdateCursor(lastEventID: "41")?.next == 42)
    for text in ["", "-1", "x", "1.5", "9223372036854775807", "99999999999999999999"] {
      #expect(UpdateCursor(lastEventID: text) == nil)
    }
    var ahead = UpdateCursor(lastEventID: "9")!
    #expect(ahead.chunk(of: 5, limit: 10).isEmpty && ahead.next == 10)
  }

  @Test func aRateKeepsTheNewestOfEachPeerAndCountsTheRest() {
    var cursor = UpdateCursor(next: 10)
    #expect(cursor.newest(["a", "b", nil, "a", "a"]) == [11, 12, 14])
    #expect(cursor.next == 15 && cursor.takeMissed() == 2 && cursor.takeMissed() == 0)
    #expect(cursor.newest([String?]()) == [] && cursor.missed == 0)
  }

  @Test func eventsASecond() {
    var limit = RateLimit(perSecond: 100)
    #expect(limit.take(200, at: 0) == nil)
    #expect(limit.take(50, at: 0) == 0.5)
    #expect(limit.take(50, at: 0.5) == nil)
    #expect(limit.take(1, at: 0.4) != nil)  // a clock that jumps back gives nothing
    #expect(limit.take(1000, at: 10) == nil)  // larger than the burst: when the bucket is full
    #expect(limit.take(1, at: 10) != nil)
  }

  @Test func tokensAndIDs() {
    let token = TokenHash.newToken()
    #expect(token.count == 48 && token != TokenHash.newToken())
    #expect(
      TokenHash(of: token).matches(token) && !TokenHash(of: token).matches(token + "0")
        && !TokenHash(of: token).matches(""))
    #expect(TokenHash(of: "abc").hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SessionIdentity.isID(TokenHash.random(bytes: 16)))
    for text in [
      "", "..", "../../etc/passwd", String(repeating: "g", count: 32), String(repeating: "A", count: 32),
      String(repeating: "a", count: 33),
    ] {
      #expect(!SessionIdentity.isID(text))
    }
  }
}
