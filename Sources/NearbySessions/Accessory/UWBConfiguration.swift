import Foundation

/// Parameters of an accessory's radio: 21 bytes before version 2.0, 32 from then on, little-endian.
public struct UWBConfiguration: Equatable, Sendable {
  /// Role of the radio in a ranging round.
  public enum Role: UInt8, Sendable, CaseIterable {
    /// Responds.
    case responder = 0
    /// Initiates.
    case initiator = 1
    /// Advertises.
    case advertiser = 5
    /// Listens.
    case observer = 6
    /// Anchor of a time-difference system.
    case anchor = 7
    /// Tag of a time-difference system.
    case tag = 8
  }

  /// Timing parameters, which version 2.0 adds.
  public struct Timing: Equatable, Sendable {
    /// Whether rounds hop.
    public var hops: Bool
    /// Slots in a round, at least 6.
    public var slotsPerRound: UInt16
    /// Length of a slot, RSTU (1200 make a millisecond), at least 2400.
    public var slotDurationRSTU: UInt16
    /// Time from round to round, milliseconds.
    public var intervalMilliseconds: UInt16

    /// The protocol's defaults.
    public init(
      hops: Bool = false, slotsPerRound: UInt16 = 25, slotDurationRSTU: UInt16 = 2400,
      intervalMilliseconds: UInt16 = 200
    ) {
      self.hops = hops
      self.slotsPerRound = slotsPerRound
      self.slotDurationRSTU = slotDurationRSTU
      self.intervalMilliseconds = intervalMilliseconds
    }
  }

  /// Version of this block.
  public var version: ProtocolVersion
  /// Number of the manufacturer.
  public var manufacturer: UInt32
  /// Number of the chipset.
  public var chipset: UInt32
  /// Version of the middleware.
  public var middleware: UInt32
  /// Role in a round.
  public var role: Role
  /// Its short address, as sent: 2 bytes.
  public var sourceAddress: [UInt8]
  /// Largest drift of its clock, parts per million.
  public var clockDriftPPM: UInt16
  /// Timing from version 2.0 on; nil in earlier versions.
  public var timing: Timing?

  /// A block from its parts; the version follows from `timing`. An address of another length than 2 is truncated or
  /// padded.
  public init(
    manufacturer: UInt32, chipset: UInt32, middleware: UInt32, role: Role, sourceAddress: [UInt8],
    clockDriftPPM: UInt16, timing: Timing?
  ) {
    version = timing == nil ? ProtocolVersion(major: 1, minor: 0) : ProtocolVersion(major: 2, minor: 0)
    self.manufacturer = manufacturer
    self.chipset = chipset
    self.middleware = middleware
    self.role = role
    self.sourceAddress = Array((sourceAddress + [0, 0]).prefix(2))
    self.clockDriftPPM = clockDriftPPM
    self.timing = timing
  }

  /// - Throws: `AccessoryCodecError`.
  init(_ data: Data) throws(AccessoryCodecError) {
    var reader = LittleEndianReader(data)
    guard let version = ProtocolVersion(&reader), let manufacturer = reader.u32(), let chipset = reader.u32(),
      let middleware = reader.u32(), let roleByte = reader.u8(), let address = reader.bytes(2), let drift = reader.u16()
    else { throw .tooShort }
    guard let role = Role(rawValue: roleByte) else { throw .unknownValue(field: "ranging role", value: Int(roleByte)) }
    (self.version, self.manufacturer, self.chipset, self.middleware) = (version, manufacturer, chipset, middleware)
    (self.role, sourceAddress, clockDriftPPM) = (role, address, drift)
    switch version.major {
    case 1: timing = nil
    case 2:
      guard reader.bytes(4) != nil, let hops = reader.u8(), let slots = reader.u16(), let duration = reader.u16(),
        let interval = reader.u16()
      else { throw .tooShort }
      guard hops <= 1 else { throw .unknownValue(field: "hopping", value: Int(hops)) }
      guard slots >= 6 else { throw .unknownValue(field: "slots per round", value: Int(slots)) }
      guard duration >= 2400 else { throw .unknownValue(field: "slot duration", value: Int(duration)) }
      timing = Timing(
        hops: hops == 1, slotsPerRound: slots, slotDurationRSTU: duration, intervalMilliseconds: interval)
    default: throw .unknownValue(field: "UWB version", value: Int(version.major))
    }
    guard reader.remaining == 0 else { throw .trailingBytes(reader.remaining) }
  }

  var data: Data {
    var data = version.data
    data.append(littleEndian: manufacturer)
    data.append(littleEndian: chipset)
    data.append(littleEndian: middleware)
    data.append(role.rawValue)
    data.append(contentsOf: sourceAddress)
    data.append(littleEndian: clockDriftPPM)
    guard let timing else { return data }
    data.append(contentsOf: [0, 0, 0, 0, timing.hops ? 1 : 0])
    data.append(littleEndian: timing.slotsPerRound)
    data.append(littleEndian: timing.slotDurationRSTU)
    data.append(littleEndian: timing.intervalMilliseconds)
    return data
  }
}
