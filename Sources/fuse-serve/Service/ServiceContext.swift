import Hummingbird
import HummingbirdCore
import NIOCore

/// What belongs to a request: with the channel that it came on.
struct ServiceContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The connection, or the stream of HTTP/2 within one.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

extension Channel {
  /// The channel of the connection: a stream of HTTP/2 is one within it, which the listening one accepted.
  var connection: any Channel {
    guard let parent, parent.parent != nil else { return self }
    return parent
  }
}

extension ResponseBody {
  /// The same body, a piece at a time: the next is written when the channel has seen the one before.
  ///
  /// Without, a writer is far ahead of a channel that is full: what it writes is handed over to the channel's thread, and
  /// only that learns that no more fits.
  func paced(by channel: any Channel) -> ResponseBody {
    if let contentLength, contentLength <= SessionReader.piece { return self }
    let body = self
    return ResponseBody(contentLength: contentLength) { writer in
      try await body.write(
        writer.map { buffer in
          try await channel.eventLoop.submit {}.get()
          return buffer
        })
    }
  }
}
