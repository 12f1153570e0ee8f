import Foundation

/// Configuration data of an accessory: requested update rate and radio. Little-endian; the layout is that of public
/// sample firmware and Android's test app.
public struct AccessoryConfigurationData: Equatable, Sendable {
  /// Requested rate of ranging.
  public enum UpdateRate: UInt8, Sendable, CaseIterable {
    /// Chosen by the phone.
    case automatic = 0
    /// Low, to save energy.
    case infrequent = 10
    /// For a user who watches the screen.
    case userInteractive = 20
  }

  /// Version of this block; the major number is 1.
  public var version: ProtocolVersion
  /// Requested rate of ranging.
  public var updateRate: UpdateRate
  /// The accessory's radio.
  public var uwb: UWBConfiguration

  /// A block of version 1.0.
  public init(updateRate: UpdateRate = .automatic, uwb: UWBConfiguration) {
    version = ProtocolVersion(major: 1, minor: 0)
    self.updateRate = updateRate
    self.uwb = uwb
  }

  /// Reads a block.
  ///
  /// - Throws: `AccessoryCodecError` for anything that is not exactly one block.
  public init(_ data: Data) throws(AccessoryCodecError) {
    var reader = LittleEndianReader(data)
    guard let version = ProtocolVersion(&reader), let rate = reader.u8(), reader.bytes(10) != nil,
      let length = reader.u8()
    else { throw .tooShort }
    guard version.major == 1 else { throw .unknownValue(field: "version", value: Int(version.major)) }
    guard let updateRate = UpdateRate(rawValue: rate) else {
      throw .unknownValue(field: "update rate", value: Int(rate))
    }
    guard reader.remaining == Int(length) else {
      throw .wrongLength(found: reader.remaining, expected: Int(length))
    }
    (self.version, self.updateRate) = (version, updateRate)
    uwb = try UWBConfiguration(Data(reader.bytes(Int(length))!))
  }

  /// The bytes; reserved ones are zero.
  public var data: Data {
    var data = version.data
    data.append(updateRate.rawValue)
    data.append(contentsOf: [UInt8](repeating: 0, count: 10))
    let radio = uwb.data
    data.append(UInt8(radio.count))
    data.append(radio)
    return data
  }
}
