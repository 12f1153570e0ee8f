/// Why bytes are no message of the accessory protocol.
public enum AccessoryCodecError: Error, Equatable, Sendable {
  /// They end too early.
  case tooShort
  /// They go on after the end.
  case trailingBytes(Int)
  /// A length inside them does not fit.
  case wrongLength(found: Int, expected: Int)
  /// A field has a value that the protocol does not know.
  case unknownValue(field: String, value: Int)
}
