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

extension ShareableConfigurationData {
  /// The phone's answer to an accessory: the accessory's timing if given, else the protocol's defaults; session number,
  /// initial STS value and address from the session's random token.
  init(answering accessory: AccessoryConfigurationData, token: NIDiscoveryToken) {
    let random = Array(token.bytes.dropFirst(2))
    let session = random[0..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let timing = accessory.uwb.timing
    self.init(
      session: session, slotsPerRound: timing?.slotsPerRound ?? 25, slotDurationRSTU: timing?.slotDurationRSTU ?? 2400,
      intervalMilliseconds: timing?.intervalMilliseconds ?? 200, staticSTS: Array(random[4..<10]),
      destinationAddress: Array(random[10..<12]), hops: timing?.hops)
  }
}

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
