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
