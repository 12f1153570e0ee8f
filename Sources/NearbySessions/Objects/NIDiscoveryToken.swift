import Foundation

/// Identifier of one session of one device: 128 random bits and the device's capabilities. It is valid as long as its
/// session.
///
/// Archive it with `NSKeyedArchiver` (secure coding) or any `Codable` encoder to send it; equal after the round trip.
/// The random bits come from the system's generator; no estimate depends on their values.
public final class NIDiscoveryToken: NSObject, NSCopying, NSSecureCoding, Codable, Sendable {
  /// Version (1), capabilities, 16 random bytes.
  let bytes: Data
  private static let version: UInt8 = 1
  private static let length = 18

  /// A new, unique token.
  package init(capabilities: DeviceCapabilities) {
    var random = SystemRandomNumberGenerator()
    let bits = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    bytes = Data([Self.version, capabilities.rawValue] + bits)
  }

  /// A token from its bytes; nil for any other bytes.
  package init?(bytes: Data) {
    guard bytes.count == Self.length, bytes.first == Self.version else { return nil }
    self.bytes = Data(bytes)
  }

  /// Capabilities of the peer's device.
  public var deviceCapabilities: any NIDeviceCapability { capabilities }

  var capabilities: DeviceCapabilities { DeviceCapabilities(rawValue: bytes[bytes.startIndex + 1]) }

  public override func isEqual(_ object: Any?) -> Bool { (object as? NIDiscoveryToken)?.bytes == bytes }
  public override var hash: Int { bytes.hashValue }
  /// The first three random bytes: enough to distinguish tokens in a log, too few to forge one.
  public override var description: String {
    "NIDiscoveryToken(" + bytes.dropFirst(2).prefix(3).map { String(format: "%02x", Int($0)) }.joined() + "...)"
  }

  /// Itself: a token never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) { coder.encode(bytes as NSData, forKey: "token") }

  /// Nil for an archive that holds no token.
  public required convenience init?(coder: NSCoder) {
    guard let data = coder.decodeObject(of: NSData.self, forKey: "token") else { return nil }
    self.init(bytes: data as Data)
  }

  /// Writes the bytes as one value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }

  /// - Throws: `DecodingError` for bytes that are no token.
  public required init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let data = try container.decode(Data.self)
    guard data.count == Self.length, data.first == Self.version else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a discovery token")
    }
    bytes = data
  }
}

/// Capabilities of a device, independent of one another. Names as Apple's.
public protocol NIDeviceCapability: Sendable {
  /// Distances.
  var supportsPreciseDistanceMeasurement: Bool { get }
  /// Directions from angles of arrival, without movement.
  var supportsDirectionMeasurement: Bool { get }
  /// Angles, heights and world transforms from radio, camera and motion.
  var supportsCameraAssistance: Bool { get }
  /// Extended distances, with a peer that supports them too.
  var supportsExtendedDistanceMeasurement: Bool { get }
  /// Differences of arrival times from fixed anchors.
  var supportsDLTDOAMeasurement: Bool { get }
  /// Distances by Bluetooth channel sounding.
  var supportsBluetoothChannelSounding: Bool { get }
}

/// Later capabilities have a default, so that a type written for an earlier system still conforms.
extension NIDeviceCapability {
  /// False.
  public var supportsExtendedDistanceMeasurement: Bool { false }
  /// False.
  public var supportsDLTDOAMeasurement: Bool { false }
  /// False.
  public var supportsBluetoothChannelSounding: Bool { false }
}

/// A set of capabilities; discovery tokens carry it as one byte.
public struct DeviceCapabilities: OptionSet, Hashable, Sendable, NIDeviceCapability {
  /// The raw value.
  public let rawValue: UInt8
  /// From a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Distances.
  public static let preciseDistance = Self(rawValue: 1 << 0)
  /// Directions from angles of arrival.
  public static let direction = Self(rawValue: 1 << 1)
  /// Angles, heights and world transforms from radio, camera and motion.
  public static let cameraAssistance = Self(rawValue: 1 << 2)
  /// Extended distances.
  public static let extendedDistance = Self(rawValue: 1 << 3)
  /// Differences of arrival times from fixed anchors.
  public static let dlTDOA = Self(rawValue: 1 << 4)
  /// Bluetooth channel sounding.
  public static let channelSounding = Self(rawValue: 1 << 5)

  /// Distances.
  public var supportsPreciseDistanceMeasurement: Bool { contains(.preciseDistance) }
  /// Directions from angles of arrival, without movement.
  public var supportsDirectionMeasurement: Bool { contains(.direction) }
  /// Angles, heights and world transforms.
  public var supportsCameraAssistance: Bool { contains(.cameraAssistance) }
  /// Extended distances.
  public var supportsExtendedDistanceMeasurement: Bool { contains(.extendedDistance) }
  /// Differences of arrival times from fixed anchors.
  public var supportsDLTDOAMeasurement: Bool { contains(.dlTDOA) }
  /// Bluetooth channel sounding.
  public var supportsBluetoothChannelSounding: Bool { contains(.channelSounding) }
}
