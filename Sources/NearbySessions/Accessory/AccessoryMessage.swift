import Foundation

/// A message between an app and its accessory: one byte of message type, and its payload.
///
/// The transport is the app's own (usually Bluetooth); the framework processes only the two configurations inside.
public enum AccessoryMessage: Equatable, Sendable {
  /// Accessory to app: its configuration.
  case configurationData(AccessoryConfigurationData)
  /// Accessory to app: ranging started.
  case didStart
  /// Accessory to app: ranging ended.
  case didStop
  /// App to accessory: send your configuration.
  case initialize
  /// App to accessory: start ranging with these parameters.
  case configureAndStart(ShareableConfigurationData)
  /// App to accessory: stop ranging.
  case stop

  /// Reads a message.
  ///
  /// - Throws: `AccessoryCodecError` for anything that is not exactly one message.
  public init(_ data: Data) throws(AccessoryCodecError) {
    guard let name = data.first else { throw .tooShort }
    let rest = Data(data.dropFirst())
    switch name {
    case 0x01: self = .configurationData(try AccessoryConfigurationData(rest))
    case 0x02: self = .didStart
    case 0x03: self = .didStop
    case 0x0A: self = .initialize
    case 0x0B: self = .configureAndStart(try ShareableConfigurationData(rest))
    case 0x0C: self = .stop
    default: throw .unknownValue(field: "message", value: Int(name))
    }
    if ![0x01, 0x0B].contains(name), !rest.isEmpty { throw .trailingBytes(rest.count) }
  }

  /// The bytes.
  public var data: Data {
    switch self {
    case .configurationData(let configuration): Data([0x01]) + configuration.data
    case .didStart: Data([0x02])
    case .didStop: Data([0x03])
    case .initialize: Data([0x0A])
    case .configureAndStart(let shareable): Data([0x0B]) + shareable.data
    case .stop: Data([0x0C])
    }
  }
}

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

/// Major and minor version, 16 bits each.
public struct ProtocolVersion: Equatable, Sendable {
  /// Incompatible changes.
  public var major: UInt16
  /// Compatible changes.
  public var minor: UInt16

  /// A version from its numbers.
  public init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  init?(_ reader: inout LittleEndianReader) {
    guard let major = reader.u16(), let minor = reader.u16() else { return nil }
    self.init(major: major, minor: minor)
  }

  var data: Data {
    var data = Data()
    data.append(littleEndian: major)
    data.append(littleEndian: minor)
    return data
  }
}

/// Reads little-endian numbers from bytes; nil beyond their end.
struct LittleEndianReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) { bytes = [UInt8](data) }

  /// Bytes not read yet.
  var remaining: Int { bytes.count - position }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func u8() -> UInt8? { bytes(1)?[0] }
  mutating func u16() -> UInt16? { bytes(2).map { UInt16($0[0]) | UInt16($0[1]) << 8 } }
  mutating func u32() -> UInt32? {
    bytes(4).map { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }
}

extension Data {
  /// Appends a number, lowest byte first.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
