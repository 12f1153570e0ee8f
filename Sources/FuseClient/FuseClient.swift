import Foundation
import FuseCaptureFormat
import SensorData

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session of the live service, from the device's side: batches in order, repeated until they are acknowledged.
///
/// Events are gathered for 50 ms by their own times, or until `flush`. A batch that was not acknowledged is sent again,
/// which changes nothing where it had arrived: so nothing is lost or counted twice, whatever becomes of the connection.
public actor FuseClient {
  /// What a session is known by; keep it to resume in another process.
  public struct Session: Codable, Equatable, Sendable {
    /// Its id.
    public var id: String
    /// May send.
    public var ingestToken: String
    /// May read.
    public var readToken: String
    /// The next batch's number.
    public var next: Int
  }

  /// What the service answered.
  public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// HTTP status; 0 where the service did not answer for as long as patience lasted.
    public var status: Int
    /// Its words.
    public var message: String

    /// Both in one line.
    public var description: String { "\(status): \(message)" }
  }

  /// The session.
  public private(set) var session: Session
  /// What of the events the finder does not use, by the service's reasons, since this client was made: look at them
  /// where a session finds nothing.
  public private(set) var skipped: [String: Int] = [:]
  private let address: URL
  private let patience: Double
  private let transport: URLSession
  private var writer = EventLineWriter()
  private var batchBegan: Timestamp?
  /// A batch's span, nanoseconds of event time.
  private static let span: Int64 = 50_000_000

  /// Creates a session.
  ///
  /// - Parameters:
  ///   - header: the stream's first line: sensors and where they are on the device.
  ///   - address: the service, such as `http://127.0.0.1:8040`.
  ///   - creationToken: needed where the service wants one.
  ///   - patience: how long a batch is repeated while the service does not answer, seconds.
  ///   - transport: makes the requests.
  /// - Throws: `Refusal`, or the transport's error.
  public static func create(
    _ header: StreamHeader, at address: URL, creationToken: String? = nil, patience: Double = 60,
    transport: URLSession = .shared
  ) async throws -> FuseClient {
    var writer = EventLineWriter()
    writer.begin(header)
    var request = URLRequest(url: address.appendingPathComponent("v1/sessions"))
    request.httpMethod = "POST"
    request.httpBody = Data(writer.drain())
    if let creationToken { request.setValue("Bearer \(creationToken)", forHTTPHeaderField: "Authorization") }
    // Not repeated: a lost answer would leave a session behind.
    let (status, data, _) = try await transport.answer(request)
    guard status == 201 else { throw Refusal(status: status, message: String(decoding: data, as: UTF8.self)) }
    return FuseClient(
      try JSONDecoder().decode(Session.self, from: data), at: address, patience: patience, transport: transport)
  }

  /// Resumes a session.
  public init(_ session: Session, at address: URL, patience: Double = 60, transport: URLSession = .shared) {
    self.session = session
    self.address = address
    self.patience = patience
    self.transport = transport
  }

  /// Adds an event; returns once its batch, where it completes one, is on the service's disk.
  ///
  /// - Returns: false for an event with a number that is not finite, which is left out.
  @discardableResult
  public func send(_ event: SensorEvent, arrival: Timestamp? = nil) async throws -> Bool {
    if let began = batchBegan, event.timestamp.nanoseconds &- began.nanoseconds >= Self.span { try await flush() }
    guard writer.add(event, arrival: arrival) else { return false }
    if batchBegan == nil { batchBegan = event.timestamp }
    return true
  }

  /// Sends what was gathered.
  public func flush() async throws {
    let bytes = writer.drain()
    batchBegan = nil
    guard !bytes.isEmpty else { return }
    try await sendBatch(Data(bytes))
  }

  /// Sends whole event lines as one batch; returns once they are on the service's disk.
  ///
  /// - Throws: `Refusal`; of status 409 where the service has this number with other content: another sender has the
  ///   session, or this one went on from an older state.
  public func sendBatch(_ lines: Data) async throws {
    let number = session.next
    session.next += 1
    do {
      let answer = try await repeated("events", query: "seq=\(number)", body: lines)
      let acknowledgement = try? JSONDecoder().decode(Acknowledgement.self, from: answer)
      for (reason, count) in acknowledgement?.skipped ?? [:] { skipped[reason, default: 0] += count }
    } catch {
      session.next = number
      throw error
    }
  }

  /// Sends the rest and makes the results final.
  public func finish() async throws {
    try await flush()
    try await repeated("finish", query: nil, body: Data())
  }

  /// Lines of updates as they are published, from the first or behind `last`, with their indices; reconnects. Ends when
  /// the session is finished or deleted.
  public nonisolated func updates(after last: Int? = nil) -> AsyncThrowingStream<(index: Int, line: Data), any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          let reader = UpdateReader(
            url: await self.url("updates", query: nil), token: await self.session.readToken, last: last)
          try await reader.read(patience: self.patience) { continuation.yield($0) }
          continuation.finish()
        } catch { continuation.finish(throwing: error) }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private func url(_ call: String, query: String?) -> URL {
    var components = URLComponents(
      url: address.appendingPathComponent("v1/sessions/\(session.id)/\(call)"), resolvingAgainstBaseURL: false)!
    components.query = query
    return components.url!
  }

  private struct Acknowledgement: Decodable {
    var skipped: [String: Int]?
  }

  /// Sends until the service answers, or patience ends; returns the answer.
  @discardableResult private func repeated(_ call: String, query: String?, body: Data) async throws -> Data {
    var request = URLRequest(url: url(call, query: query))
    request.httpMethod = "POST"
    request.httpBody = body
    request.timeoutInterval = 30
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(session.ingestToken)", forHTTPHeaderField: "Authorization")
    let began = ContinuousClock.now
    var pause = 0.1
    while true {
      var refusal = Refusal(status: 0, message: "the service does not answer")
      var wait = pause
      do {
        let (status, data, retryAfter) = try await transport.answer(request)
        if status == 200 { return data }
        refusal = Refusal(status: status, message: String(decoding: data, as: UTF8.self))
        guard [408, 429, 502, 503, 504, 507].contains(status) else { throw refusal }
        wait = retryAfter ?? pause
      } catch let error as URLError { refusal.message = error.localizedDescription }
      guard began.duration(to: .now) + .seconds(wait) < .seconds(patience) else { throw refusal }
      try await Task.sleep(for: .seconds(wait))
      pause = min(2 * pause, 5)
    }
  }
}

extension URLSession {
  /// Status, body and `Retry-After` of a request.
  func answer(_ request: URLRequest) async throws -> (status: Int, body: Data, retryAfter: Double?) {
    try await withCheckedThrowingContinuation { continuation in
      dataTask(with: request) { data, response, error in
        guard let response = response as? HTTPURLResponse else {
          return continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
        continuation.resume(
          returning: (
            response.statusCode, data ?? Data(), response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init)
          ))
      }.resume()
    }
  }
}
