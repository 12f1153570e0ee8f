import Foundation
import Synchronization

/// Abstract configuration of a session: finding a device (`NINearbyPeerConfiguration`) or an accessory
/// (`NINearbyAccessoryConfiguration`), or listening to anchors (`NIDLTDOAConfiguration`). Mutable properties are
/// guarded by a mutex; a session keeps a copy.
public class NIConfiguration: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  override init() {}

  /// A copy that later changes do not reach.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public class var supportsSecureCoding: Bool { true }

  /// Nil: only subclasses can be archived.
  public required init?(coder: NSCoder) { nil }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {}
}

/// Finding another device that runs a session of its own.
public final class NINearbyPeerConfiguration: NIConfiguration, @unchecked Sendable {
  /// The peer's token.
  public let peerDiscoveryToken: NIDiscoveryToken
  /// Whether camera assistance is used. Off by default; an error at `run` on a device without a camera.
  public var isCameraAssistanceEnabled: Bool {
    get { assistance.withLock(\.self) }
    set { assistance.withLock { $0 = newValue } }
  }
  /// Whether extended distances are measured. Off by default; an error at `run` when either device lacks them.
  public var isExtendedDistanceMeasurementEnabled: Bool {
    get { distanceExtension.withLock(\.self) }
    set { distanceExtension.withLock { $0 = newValue } }
  }
  private let assistance = Mutex(false)
  private let distanceExtension = Mutex(false)

  /// A configuration for the peer whose session has this token.
  public init(peerToken: NIDiscoveryToken) {
    peerDiscoveryToken = peerToken
    super.init()
  }

  public override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NINearbyPeerConfiguration(peerToken: peerDiscoveryToken)
    copy.isCameraAssistanceEnabled = isCameraAssistanceEnabled
    copy.isExtendedDistanceMeasurementEnabled = isExtendedDistanceMeasurementEnabled
    return copy
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NINearbyPeerConfiguration else { return false }
    return peerDiscoveryToken == other.peerDiscoveryToken
      && isCameraAssistanceEnabled == other.isCameraAssistanceEnabled
      && isExtendedDistanceMeasurementEnabled == other.isExtendedDistanceMeasurementEnabled
  }
  public override var hash: Int { peerDiscoveryToken.hash }

  // MARK: - Archives

  public override class var supportsSecureCoding: Bool { true }

  public override func encode(with coder: NSCoder) {
    coder.encode(peerDiscoveryToken, forKey: "peerDiscoveryToken")
    coder.encode(isCameraAssistanceEnabled, forKey: "isCameraAssistanceEnabled")
    coder.encode(isExtendedDistanceMeasurementEnabled, forKey: "isExtendedDistanceMeasurementEnabled")
  }

  /// Nil for an archive that holds no such configuration.
  public required init?(coder: NSCoder) {
    guard let token = coder.decodeObject(of: NIDiscoveryToken.self, forKey: "peerDiscoveryToken") else { return nil }
    peerDiscoveryToken = token
    super.init()
    isCameraAssistanceEnabled = coder.decodeBool(forKey: "isCameraAssistanceEnabled")
    isExtendedDistanceMeasurementEnabled = coder.decodeBool(forKey: "isExtendedDistanceMeasurementEnabled")
  }
}

/// Finding an accessory that is no Apple device.
public final class NINearbyAccessoryConfiguration: NIConfiguration, @unchecked Sendable {
  /// The accessory's token in updates; the same within this configuration and its copies.
  public let accessoryDiscoveryToken: NIDiscoveryToken
  /// Whether camera assistance is used. Off by default; an error at `run` on a device without a camera.
  public var isCameraAssistanceEnabled: Bool {
    get { assistance.withLock(\.self) }
    set { assistance.withLock { $0 = newValue } }
  }
  private let assistance = Mutex(false)
  /// The accessory's configuration data; nil for channel sounding.
  let accessory: AccessoryConfigurationData?
  /// Its Bluetooth identifier: lets UWB continue in the background, or identifies the accessory of channel sounding.
  let bluetoothPeer: UUID?

  /// A configuration from the accessory's data (`AccessoryConfigurationData`).
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(data: Data) throws {
    self.init(accessory: try Self.accessory(from: data), bluetoothPeer: nil)
  }

  /// The same, for an accessory that is connected by Bluetooth: ranging continues in the background, without callbacks.
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(accessoryData data: Data, bluetoothPeerIdentifier: UUID) throws {
    self.init(accessory: try Self.accessory(from: data), bluetoothPeer: bluetoothPeerIdentifier)
  }

  /// For an accessory that ranges by Bluetooth channel sounding: no data are exchanged, and ranging starts with the
  /// session. The previous identifier has no effect.
  public convenience init(bluetoothChannelSoundingIdentifier: UUID, previousBluetoothIdentifier: UUID?) {
    self.init(accessory: nil, bluetoothPeer: bluetoothChannelSoundingIdentifier)
  }

  private static func accessory(from data: Data) throws -> AccessoryConfigurationData {
    guard let accessory = try? AccessoryConfigurationData(data) else { throw NIError(.invalidConfiguration) }
    return accessory
  }

  private init(accessory: AccessoryConfigurationData?, bluetoothPeer: UUID?) {
    self.accessory = accessory
    self.bluetoothPeer = bluetoothPeer
    accessoryDiscoveryToken = NIDiscoveryToken(capabilities: .preciseDistance)
    super.init()
  }

  private init(copying other: NINearbyAccessoryConfiguration) {
    (accessory, bluetoothPeer) = (other.accessory, other.bluetoothPeer)
    accessoryDiscoveryToken = other.accessoryDiscoveryToken
    super.init()
    isCameraAssistanceEnabled = other.isCameraAssistanceEnabled
  }

  public override func copy(with zone: NSZone? = nil) -> Any { NINearbyAccessoryConfiguration(copying: self) }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NINearbyAccessoryConfiguration else { return false }
    return accessoryDiscoveryToken == other.accessoryDiscoveryToken && accessory == other.accessory
      && bluetoothPeer == other.bluetoothPeer && isCameraAssistanceEnabled == other.isCameraAssistanceEnabled
  }
  public override var hash: Int { accessoryDiscoveryToken.hash }

  // MARK: - Archives

  public override class var supportsSecureCoding: Bool { true }

  public override func encode(with coder: NSCoder) {
    coder.encode(accessoryDiscoveryToken, forKey: "accessoryDiscoveryToken")
    if let accessory { coder.encode(accessory.data as NSData, forKey: "accessory") }
    if let bluetoothPeer { coder.encode(bluetoothPeer.uuidString as NSString, forKey: "bluetoothPeer") }
    coder.encode(isCameraAssistanceEnabled, forKey: "isCameraAssistanceEnabled")
  }

  /// Nil for an archive that holds no such configuration.
  public required init?(coder: NSCoder) {
    guard let token = coder.decodeObject(of: NIDiscoveryToken.self, forKey: "accessoryDiscoveryToken") else {
      return nil
    }
    accessoryDiscoveryToken = token
    // Decoding an absent key fails the whole archive.
    let data = coder.containsValue(forKey: "accessory") ? coder.decodeObject(of: NSData.self, forKey: "accessory") : nil
    accessory = data.flatMap { try? AccessoryConfigurationData($0 as Data) }
    let identity =
      coder.containsValue(forKey: "bluetoothPeer")
      ? coder.decodeObject(of: NSString.self, forKey: "bluetoothPeer") : nil
    bluetoothPeer = identity.flatMap { UUID(uuidString: String(describing: $0)) }
    super.init()
    isCameraAssistanceEnabled = coder.decodeBool(forKey: "isCameraAssistanceEnabled")
    if accessory == nil, data != nil || bluetoothPeer == nil { return nil }
  }
}

/// A configuration of any kind, in the form that the device uses.
struct SessionRequest {
  /// The peer's token in updates; nil for anchors.
  let peerToken: NIDiscoveryToken?
  /// Whether camera assistance is used.
  let isCameraAssisted: Bool
  /// Whether extended distances are measured.
  let isExtended: Bool
  /// The accessory's configuration; nil for another device.
  let accessory: NINearbyAccessoryConfiguration?
  /// The accessory's configuration data; nil for another device, and for channel sounding.
  var accessoryData: AccessoryConfigurationData? { accessory?.accessory }

  /// The network of the anchors; nil for a peer.
  let network: Int?

  /// Nil for a configuration of another class.
  init?(_ configuration: NIConfiguration) {
    switch configuration {
    case let peer as NINearbyPeerConfiguration:
      peerToken = peer.peerDiscoveryToken
      isCameraAssisted = peer.isCameraAssistanceEnabled
      isExtended = peer.isExtendedDistanceMeasurementEnabled
      (accessory, network) = (nil, nil)
    case let accessory as NINearbyAccessoryConfiguration:
      peerToken = accessory.accessoryDiscoveryToken
      isCameraAssisted = accessory.isCameraAssistanceEnabled
      isExtended = false
      (self.accessory, network) = (accessory, nil)
    case let anchors as NIDLTDOAConfiguration:
      (peerToken, isCameraAssisted, isExtended, accessory) = (nil, false, false, nil)
      network = anchors.networkIdentifier
    default: return nil
    }
  }
}
