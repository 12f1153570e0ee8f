import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Reads the server-sent events of a session, across reconnections.
struct UpdateReader {
  let url: URL
  let token: String
  var last: Int?

  init(url: URL, token: String, last: Int?) {
    self.url = url
    self.token = token
    self.last = last
  }

  /// Reads until the session ends; gives up where the service does not answer for `patience` seconds.
  func read(patience: Double, _ body: @escaping @Sendable ((index: Int, line: Data)) -> Void) async throws {
    var last = last
    var failing: ContinuousClock.Instant?
    while !Task.isCancelled {
      var request = URLRequest(url: url)
      request.timeoutInterval = 60
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      if let last { request.setValue("\(last)", forHTTPHeaderField: "Last-Event-ID") }
      do {
        var parser = EventParser()
        for try await part in ByteParts.of(request) {
          failing = nil
          for event in parser.add(part) {
            switch event {
            case .update(let index, let line):
              last = index
              body((index, line))
            case .over: return
            }
          }
        }
      } catch let refusal as FuseClient.Refusal { throw refusal } catch is CancellationError { return } catch {}
      failing = failing ?? .now
      if failing!.duration(to: .now) > .seconds(patience) {
        throw FuseClient.Refusal(status: 0, message: "the service does not answer")
      }
      try await Task.sleep(for: .seconds(0.2))
    }
  }
}

/// Cuts bytes into server-sent events. Pure.
struct EventParser {
  enum Event: Equatable {
    /// An update's index and line.
    case update(Int, Data)
    /// The session is finished or deleted.
    case over
  }

  private var rest = Data()
  private var name = ""
  private var index: Int?
  private var data = Data()

  /// Adds bytes; returns the events that are complete.
  mutating func add(_ bytes: Data) -> [Event] {
    rest.append(bytes)
    var events: [Event] = []
    while let end = rest.firstIndex(of: 0x0A) {
      let line = rest[rest.startIndex..<end]
      rest = rest[rest.index(after: end)...]
      if line.isEmpty {
        if name == "update", let index { events.append(.update(index, data)) }
        if name == "state", let text = String(data: data, encoding: .utf8),
          text.contains("\"finished\"") || text.contains("\"deleted\"")
        {
          events.append(.over)
        }
        (name, data) = ("", Data())
      } else if line.starts(with: Data("id: ".utf8)) {
        index = Int(String(decoding: line.dropFirst(4), as: UTF8.self))
      } else if line.starts(with: Data("event: ".utf8)) {
        name = String(decoding: line.dropFirst(7), as: UTF8.self)
      } else if line.starts(with: Data("data: ".utf8)) {
        data = Data(line.dropFirst(6))
      }
    }
    return events
  }
}

/// The parts of a response as they come: `URLSession.bytes` does not exist on Linux.
private final class ByteParts: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

  private init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) { self.continuation = continuation }

  static func of(_ request: URLRequest) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      let session = URLSession(configuration: .ephemeral, delegate: ByteParts(continuation), delegateQueue: nil)
      let task = session.dataTask(with: request)
      continuation.onTermination = { _ in session.invalidateAndCancel() }
      task.resume()
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status == 200 { return completionHandler(.allow) }
    continuation.finish(throwing: FuseClient.Refusal(status: status, message: "no updates"))
    completionHandler(.cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    continuation.yield(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuation.finish(throwing: error)
  }
}
