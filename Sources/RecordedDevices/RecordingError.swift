/// Why a recording cannot be played: one line, with file and line where there are any.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message.
  public let description: String

  init(_ description: String) { self.description = description }
}
