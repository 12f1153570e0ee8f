/// Why bytes are no message of the accessory protocol.
public enum AccessoryCodecError: Error, Equatable, Sendable {
  /// Fewer bytes than the message needs.
  case tooShort
  /// Bytes after the end of the message.
  case trailingBytes(Int)
  /// A length field contradicts the number of bytes.
  case wrongLength(found: Int, expected: Int)
  /// A field has a value that the protocol does not define.
  case unknownValue(field: String, value: Int)
}
