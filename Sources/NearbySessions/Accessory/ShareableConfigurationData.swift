import Foundation

/// The phone's answer to an accessory: the ranging parameters of both. 30 bytes in version 1.1, 35 in version 2.0,
/// little-endian.
public struct ShareableConfigurationData: Equatable, Sendable {
  /// Country, as sent: 2 bytes.
  public var country: [UInt8]
  /// Number of the ranging session.
  public var session: UInt32
  /// Preamble code.
  public var preamble: UInt8
  /// UWB channel.
  public var channel: UInt8
  /// Slots in a round.
  public var slotsPerRound: UInt16
  /// Length of a slot, RSTU (1200 make a millisecond).
  public var slotDurationRSTU: UInt16
  /// Time from round to round, milliseconds.
  public var intervalMilliseconds: UInt16
  /// Report control of a round.
  public var roundControl: UInt8
  /// Initial value of the scrambled timestamps: 6 bytes.
  public var staticSTS: [UInt8]
  /// The phone's short address, as sent: 2 bytes.
  public var destinationAddress: [UInt8]
  /// Largest drift of the phone's clock, parts per million.
  public var clockDriftPPM: UInt16
  /// Whether rounds hop; nil exactly in version 1.1.
  public var hops: Bool?

  /// An answer from its parts; byte fields of another length are truncated or padded with zeros. Version 2.0 when
  /// `hops` is given.
  public init(
    country: [UInt8] = [0, 0], session: UInt32, preamble: UInt8 = 10, channel: UInt8 = 9, slotsPerRound: UInt16 = 25,
    slotDurationRSTU: UInt16 = 2400, intervalMilliseconds: UInt16 = 200, roundControl: UInt8 = 3,
    staticSTS: [UInt8], destinationAddress: [UInt8], clockDriftPPM: UInt16 = 100, hops: Bool? = nil
  ) {
    func fitted(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
      Array((bytes + Array(repeating: 0, count: count)).prefix(count))
    }
    (self.country, self.session) = (fitted(country, 2), session)
    (self.preamble, self.channel) = (preamble, channel)
    (self.slotsPerRound, self.slotDurationRSTU) = (slotsPerRound, slotDurationRSTU)
    (self.intervalMilliseconds, self.roundControl) = (intervalMilliseconds, roundControl)
    (self.staticSTS, self.destinationAddress) = (fitted(staticSTS, 6), fitted(destinationAddress, 2))
    (self.clockDriftPPM, self.hops) = (clockDriftPPM, hops)
  }

  /// Reads an answer.
  ///
  /// - Throws: `AccessoryCodecError` for anything that is not exactly one answer.
  public init(_ data: Data) throws(AccessoryCodecError) {
    var reader = LittleEndianReader(data)
    guard let version = ProtocolVersion(&reader), let length = reader.u8() else { throw .tooShort }
    let isNew: Bool
    switch (version.major, version.minor) {
    case (1, 1): isNew = false
    case (2, 0): isNew = true
    default: throw .unknownValue(field: "version", value: Int(version.major) << 16 | Int(version.minor))
    }
    guard Int(length) == (isNew ? 30 : 25) else {
      throw .wrongLength(found: Int(length), expected: isNew ? 30 : 25)
    }
    guard reader.remaining == Int(length) else {
      throw .wrongLength(found: reader.remaining, expected: Int(length))
    }
    guard let country = reader.bytes(2), let session = reader.u32(), let preamble = reader.u8(),
      let channel = reader.u8(), let slots = reader.u16(), let duration = reader.u16(), let interval = reader.u16(),
      let control = reader.u8(), let sts = reader.bytes(6), let address = reader.bytes(2), let drift = reader.u16()
    else { throw .tooShort }
    var hops: Bool?
    if isNew {
      guard reader.bytes(4) != nil, let byte = reader.u8() else { throw .tooShort }
      guard byte <= 1 else { throw .unknownValue(field: "hopping", value: Int(byte)) }
      hops = byte == 1
    }
    self.init(
      country: country, session: session, preamble: preamble, channel: channel, slotsPerRound: slots,
      slotDurationRSTU: duration, intervalMilliseconds: interval, roundControl: control, staticSTS: sts,
      destinationAddress: address, clockDriftPPM: drift, hops: hops)
  }

  /// The bytes; reserved ones are zero.
  public var data: Data {
    var data = (hops == nil ? ProtocolVersion(major: 1, minor: 1) : ProtocolVersion(major: 2, minor: 0)).data
    data.append(hops == nil ? 25 : 30)
    data.append(contentsOf: country)
    data.append(littleEndian: session)
    data.append(contentsOf: [preamble, channel])
    data.append(littleEndian: slotsPerRound)
    data.append(littleEndian: slotDurationRSTU)
    data.append(littleEndian: intervalMilliseconds)
    data.append(roundControl)
    data.append(contentsOf: staticSTS)
    data.append(contentsOf: destinationAddress)
    data.append(littleEndian: clockDriftPPM)
    if let hops { data.append(contentsOf: [0, 0, 0, 0, hops ? 1 : 0]) }
    return data
  }
}
