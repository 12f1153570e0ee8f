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
