import Datasets
import JSONText
import SensorData

/// One line, parsed: its structure is sound; its values may still be damaged.
package enum ParsedLine: Sendable {
  /// The first line.
  case header(JSONValue)
  /// Measurements, in the line's order, with what is wrong with those that are damaged.
  case events([ParsedEvent])
  /// The last line.
  case end
  /// Only blanks.
  case blank
}

/// A measurement of a line.
package enum ParsedEvent: Equatable, Sendable {
  /// A sound one.
  case event(TimedEvent)
  /// A damaged one, of a stream.
  case damaged(LineStream, DamageKind)
}

/// The streams of a session, as the lines name them.
package enum LineStream: String, CaseIterable, Comparable, Sendable {
  case imu, frame, pose, range, event

  package static func < (a: LineStream, b: LineStream) -> Bool { a.rawValue < b.rawValue }
}
