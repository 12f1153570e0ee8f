import Datasets
import Foundation
import JSONText
import LiveSessions
import Logging

/// Logs as one JSON object a line on stderr.
struct JSONLogHandler: LogHandler {
  private let label: String
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level

  init(label: String, level: Logger.Level) { (self.label, logLevel) = (label, level) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var members: [JSONValue.Member] = [
      .init(key: "time", value: .integer(Int(LiveSession.now()))),
      .init(key: "level", value: .string(event.level.rawValue)),
      .init(key: "message", value: .string(event.message.description)),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      members.append(.init(key: key, value: .string("\(value)")))
    }
    var text = JSONWriter()
    text.value(.object(members))
    text.raw("\n")
    FileHandle.standardError.write(Data(text.bytes))
  }
}
