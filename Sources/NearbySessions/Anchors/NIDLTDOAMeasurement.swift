import Foundation
import Synchronization

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// Coordinate system of an anchor's coordinates.
public enum NIDLTDOACoordinatesType: Int, Sendable, CaseIterable {
  /// Latitude and longitude, degrees, and altitude, metres.
  case geodetic = 0
  /// x, y and z in the network's own frame, metres.
  case relative = 1
}

/// Message of a ranging round.
public enum NIDLTDOAMeasurementType: Int, Sendable, CaseIterable {
  /// The first, from the initiator.
  case poll = 0
  /// A responder's answer.
  case response = 1
  /// The last, from the initiator.
  case final = 2
}

/// One message of an anchor, as the device received it.
public final class NIDLTDOAMeasurement: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// The anchor's address, unique in its network.
  public let address: Int
  /// The address of the round's initiator.
  public let clusterInitiatorAddress: Int
  /// Which message of the round.
  public let measurementType: NIDLTDOAMeasurementType
  /// When the anchor sent it, seconds of the network's clock.
  public let transmitTime: Double
  /// When the device received it, seconds of the device's clock.
  public let receiveTime: Double
  /// `transmitTime` in the radio's units, about 15.65 ps.
  public let rawTransmitTime: UInt64
  /// `receiveTime` in the radio's units, about 15.65 ps.
  public let rawReceiveTime: UInt64
  /// Received power, dBm.
  public let signalStrength: Double
  /// Frequency offset of the anchor against the device, as a ratio.
  public let carrierFrequencyOffset: Double
  /// Clock offset of a responder against the initiator, as a ratio; nil where not reported.
  public let responderClockFrequencyOffset: Double?
  /// Coordinate system of `coordinates`.
  public let coordinatesType: NIDLTDOACoordinatesType
  /// Position of the anchor.
  public let coordinates: simd_double3
  /// Floor of the anchor; nil where not reported.
  public let floorElevation: FloorElevation?

  /// The radio's unit of time, seconds: 1 / (128 * 499.2 MHz).
  private static let tick = 1 / (128 * 499.2e6)

  /// Not Apple's: a message from its parts, for `NearbyDevice.receive(_:ofNetwork:at:)`. Raw times follow from the
  /// times; a negative time or NaN has the raw time 0.
  public init(
    address: Int, clusterInitiatorAddress: Int, measurementType: NIDLTDOAMeasurementType, transmitTime: Double,
    receiveTime: Double, signalStrength: Double, carrierFrequencyOffset: Double,
    responderClockFrequencyOffset: Double? = nil, coordinatesType: NIDLTDOACoordinatesType, coordinates: simd_double3,
    floorElevation: FloorElevation? = nil
  ) {
    (self.address, self.clusterInitiatorAddress) = (address, clusterInitiatorAddress)
    self.measurementType = measurementType
    (self.transmitTime, self.receiveTime) = (transmitTime, receiveTime)
    rawTransmitTime = Self.ticks(transmitTime)
    rawReceiveTime = Self.ticks(receiveTime)
    self.signalStrength = signalStrength
    self.carrierFrequencyOffset = carrierFrequencyOffset
    self.responderClockFrequencyOffset = responderClockFrequencyOffset
    self.coordinatesType = coordinatesType
    self.coordinates = coordinates
    self.floorElevation = floorElevation
  }

  private static func ticks(_ seconds: Double) -> UInt64 { UInt64(exactly: (seconds / tick).rounded()) ?? 0 }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NIDLTDOAMeasurement else { return false }
    return numbers == other.numbers && responderClockFrequencyOffset == other.responderClockFrequencyOffset
      && address == other.address
      && clusterInitiatorAddress == other.clusterInitiatorAddress && measurementType == other.measurementType
      && coordinatesType == other.coordinatesType && floorElevation == other.floorElevation
  }
  public override var hash: Int { address.hashValue }
  private var numbers: [Double] {
    [transmitTime, receiveTime, signalStrength, carrierFrequencyOffset, coordinates.x, coordinates.y, coordinates.z]
  }

  /// Itself: a measurement never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {
    coder.encode(address, forKey: "address")
    coder.encode(clusterInitiatorAddress, forKey: "clusterInitiatorAddress")
    coder.encode(measurementType.rawValue, forKey: "measurementType")
    for (key, number) in zip(Self.keys, numbers) { coder.encode(number, forKey: key) }
    if let offset = responderClockFrequencyOffset { coder.encode(offset, forKey: "responderClockFrequencyOffset") }
    coder.encode(coordinatesType.rawValue, forKey: "coordinatesType")
    if let floorElevation { coder.encode(floorElevation, forKey: "floorElevation") }
  }

  private static let keys = [
    "transmitTime", "receiveTime", "signalStrength", "carrierFrequencyOffset", "x", "y", "z",
  ]

  /// Nil for an archive that holds no measurement.
  public required convenience init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "address"),
      let type = NIDLTDOAMeasurementType(rawValue: coder.decodeInteger(forKey: "measurementType")),
      let coordinatesType = NIDLTDOACoordinatesType(rawValue: coder.decodeInteger(forKey: "coordinatesType"))
    else { return nil }
    let numbers = Self.keys.map { coder.decodeDouble(forKey: $0) }
    // Decoding an absent key fails the whole archive.
    func optional<T>(_ key: String, _ read: (String) -> T?) -> T? { coder.containsValue(forKey: key) ? read(key) : nil }
    self.init(
      address: coder.decodeInteger(forKey: "address"),
      clusterInitiatorAddress: coder.decodeInteger(forKey: "clusterInitiatorAddress"), measurementType: type,
      transmitTime: numbers[0], receiveTime: numbers[1], signalStrength: numbers[2],
      carrierFrequencyOffset: numbers[3],
      responderClockFrequencyOffset: optional("responderClockFrequencyOffset") { coder.decodeDouble(forKey: $0) },
      coordinatesType: coordinatesType, coordinates: simd_double3(numbers[4], numbers[5], numbers[6]),
      floorElevation: optional("floorElevation") { coder.decodeObject(of: FloorElevation.self, forKey: $0) })
  }

  /// Floor of an anchor. The class has its Objective-C name, because Foundation on Linux archives no nested classes.
  public typealias FloorElevation = NIDLTDOAMeasurementFloorElevation
}

/// Floor of a building on which an anchor is, and its height above that floor.
public final class NIDLTDOAMeasurementFloorElevation: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// Floor number, negative below the ground.
  public let floorNumber: Int
  /// Metres above the floor.
  public let height: Double

  /// Not Apple's: an elevation from its parts.
  public init(floorNumber: Int, height: Double) {
    self.floorNumber = floorNumber
    self.height = height
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NIDLTDOAMeasurementFloorElevation else { return false }
    return floorNumber == other.floorNumber && height == other.height
  }
  public override var hash: Int { floorNumber.hashValue }
  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {
    coder.encode(floorNumber, forKey: "floorNumber")
    coder.encode(height, forKey: "height")
  }

  /// Nil for an archive that holds no elevation.
  public required convenience init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "floorNumber"), coder.containsValue(forKey: "height") else { return nil }
    self.init(floorNumber: coder.decodeInteger(forKey: "floorNumber"), height: coder.decodeDouble(forKey: "height"))
  }
}

/// Listening to fixed anchors (downlink time difference of arrival). The device only receives; the app computes its
/// position from the differences of the messages' times.
///
/// Such a session has no peer. Its only measurement callback is `session(_:didUpdateDLTDOA:)`, on a device that
/// `supportsDLTDOAMeasurement`.
public final class NIDLTDOAConfiguration: NIConfiguration, @unchecked Sendable {
  /// How the anchors of a network are found.
  public enum DiscoveryMethod: Int, Sendable, CaseIterable {
    /// By Wi-Fi.
    case wiFi = 0
    /// By Bluetooth Low Energy.
    case bluetoothLowEnergy = 1

    /// The same as `wiFi`.
    public static let wifi = Self.wiFi
  }

  private let network: Mutex<Int>
  private let discovery: Mutex<DiscoveryMethod>

  /// Number of the network; its anchors share it.
  public var networkIdentifier: Int {
    get { network.withLock(\.self) }
    set { network.withLock { $0 = newValue } }
  }

  /// How its anchors are found. Accepted without effect: replayed anchors need no discovery.
  public var discoveryMethod: DiscoveryMethod {
    get { discovery.withLock(\.self) }
    set { discovery.withLock { $0 = newValue } }
  }

  /// Listens to a network that is found by Bluetooth Low Energy.
  public convenience init(networkIdentifier: Int) {
    self.init(networkIdentifier: networkIdentifier, discoveryMethod: .bluetoothLowEnergy)
  }

  /// Listens to a network.
  public init(networkIdentifier: Int, discoveryMethod: DiscoveryMethod) {
    network = Mutex(networkIdentifier)
    discovery = Mutex(discoveryMethod)
    super.init()
  }

  public override func copy(with zone: NSZone? = nil) -> Any {
    NIDLTDOAConfiguration(networkIdentifier: networkIdentifier, discoveryMethod: discoveryMethod)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NIDLTDOAConfiguration else { return false }
    return networkIdentifier == other.networkIdentifier && discoveryMethod == other.discoveryMethod
  }
  public override var hash: Int { networkIdentifier.hashValue }

  // MARK: - Archives

  public override class var supportsSecureCoding: Bool { true }

  public override func encode(with coder: NSCoder) {
    coder.encode(networkIdentifier, forKey: "networkIdentifier")
    coder.encode(discoveryMethod.rawValue, forKey: "discoveryMethod")
  }

  /// Nil for an archive that holds no such configuration.
  public required init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "networkIdentifier"),
      let method = DiscoveryMethod(rawValue: coder.decodeInteger(forKey: "discoveryMethod"))
    else { return nil }
    network = Mutex(coder.decodeInteger(forKey: "networkIdentifier"))
    discovery = Mutex(method)
    super.init()
  }
}
