import Foundation
import Synchronization

/// Finding an accessory that is no Apple device.
public final class NINearbyAccessoryConfiguration: NIConfiguration, @unchecked Sendable {
  /// The token by which updates name the accessory; made from the data, so that the same data give the same token within
  /// this configuration and its copies.
  public let accessoryDiscoveryToken: NIDiscoveryToken
  /// Whether camera and motion help. Off by default; an error at `run` where the device has no camera.
  public var isCameraAssistanceEnabled: Bool {
    get { assistance.withLock(\.self) }
    set { assistance.withLock { $0 = newValue } }
  }
  private let assistance = Mutex(false)
  /// What the accessory sent; nil where Bluetooth alone ranges.
  let accessory: AccessoryConfigurationData?
  /// Its Bluetooth identity: it lets UWB go on in the background, or names who ranges by channel sounding; nil without.
  let bluetoothPeer: UUID?

  /// A configuration from what the accessory sent (`AccessoryConfigurationData`).
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(data: Data) throws {
    self.init(accessory: try Self.accessory(from: data), bluetoothPeer: nil)
  }

  /// The same, for an accessory that is connected by Bluetooth: ranging goes on in the background, without callbacks.
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(accessoryData data: Data, bluetoothPeerIdentifier: UUID) throws {
    self.init(accessory: try Self.accessory(from: data), bluetoothPeer: bluetoothPeerIdentifier)
  }

  /// For an accessory that ranges by Bluetooth channel sounding: there is nothing to exchange, and ranging begins with the
  /// session. What it was called before, if it was, is of no account here.
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
    // Asking for a key that is not there fails the whole archive.
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
