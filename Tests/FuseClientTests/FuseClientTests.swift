import Foundation
import FuseClient
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a client makes of the service's answers. One script at a time: the transport's protocol is a class.
@Suite(.serialized) struct FuseClientTests {
  /// A service that gives scripted answers and keeps what was asked.
  private final class Script: URLProtocol, @unchecked Sendable {
    struct Answer {
      var status: Int
      var body = "{}"
      var retryAfter: String?
    }
    static let answers = Mutex<[Answer]>([])
    static let asked = Mutex<[String]>([])

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}
    override func startLoading() {
      Self.asked.withLock { $0.append("\(request.url!.lastPathComponent)?\(request.url!.query ?? "")") }
      // Without a further answer the service is away.
      guard let answer = Self.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        client?.urlProtocol(self, didFailWithError: URLError(.cannotConnectToHost))
        return
      }
      let response = HTTPURLResponse(
        url: request.url!, statusCode: answer.status, httpVersion: "HTTP/1.1",
        headerFields: answer.retryAfter.map { ["Retry-After": $0] })!
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(answer.body.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  private static func client(_ answers: [Script.Answer], patience: Double = 20) throws -> FuseClient {
    Script.answers.withLock { $0 = answers }
    Script.asked.withLock { $0 = [] }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Script.self]
    let session = try JSONDecoder().decode(
      FuseClient.Session.self, from: Data(#"{"id":"s","ingestToken":"i","readToken":"r","next":7}"#.utf8))
    return FuseClient(
      session, at: URL(string: "http://127.0.0.1:1")!, patience: patience,
      transport: URLSession(configuration: configuration))
  }

  private static var asked: [String] { Script.asked.withLock { $0 } }

  /// What the finder will not use is counted over all batches, by reason.
  @Test func whatIsSkippedIsCounted() async throws {
    let client = try Self.client([
      .init(status: 200, body: #"{"next":8,"skipped":{"late":2,"futureStamp":1}}"#),
      .init(status: 200, body: #"{"next":9}"#), .init(status: 200, body: #"{"next":10,"skipped":{"late":3}}"#),
    ])
    for _ in 0..<3 { try await client.sendBatch(Data("x".utf8)) }
    #expect(await client.skipped == ["late": 5, "futureStamp": 1])
    #expect(Self.asked == ["events?seq=7", "events?seq=8", "events?seq=9"])
  }

  /// A batch that the service has no room for is sent again, with its own number.
  @Test(arguments: [429, 503, 507]) func aBusyServiceIsAskedAgain(status: Int) async throws {
    let client = try Self.client([.init(status: status, retryAfter: "0"), .init(status: 200)])
    try await client.sendBatch(Data("x".utf8))
    #expect(Self.asked == ["events?seq=7", "events?seq=7"])
    #expect(await client.session.next == 8)
  }

  /// A refusal is thrown with the service's words, and the batch's number is free again.
  @Test func aRefusalIsThrown() async throws {
    let client = try Self.client([.init(status: 409, body: "another batch")])
    await #expect { try await client.sendBatch(Data("x".utf8)) } throws: { "\($0)" == "409: another batch" }
    #expect(await client.session.next == 7)
    #expect(Self.asked.count == 1)
  }

  /// A service that does not answer is given up once patience ends, without a loss.
  @Test func patienceEnds() async throws {
    let client = try Self.client([], patience: 0.25)
    await #expect { try await client.sendBatch(Data("x".utf8)) } throws: { ($0 as? FuseClient.Refusal)?.status == 0 }
    #expect(await client.session.next == 7)
    #expect(Self.asked.count >= 2)
  }
}
