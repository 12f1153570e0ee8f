import Foundation

/// Finding an accessory that is no Apple device.
public final class NINearbyAccessoryConfiguration: NIConfiguration {
  /// The token by which updates name the accessory; made from the data, so that the same data give the same token within
  /// this configuration and its copies.
  public let accessoryDiscoveryToken: NIDiscoveryToken
  /// Whether camera and motion help. Off by default; an error at `run` where the device has no camera.
  public var isCameraAssistanceEnabled = false
  /// What the accessory sent.
  let accessory: AccessoryConfigurationData
  /// Its Bluetooth identity, which lets ranging go on in the background; nil without.
  let bluetoothPeer: UUID?

  /// A configuration from what the accessory sent (`AccessoryConfigurationData`).
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(data: Data) throws { try self.init(data: data, bluetoothPeer: nil) }

  /// The same, for an accessory that is connected by Bluetooth: ranging goes on in the background, without callbacks.
  ///
  /// - Throws: `NIError` with `invalidConfiguration` for data that are no such block.
  public convenience init(accessoryData data: Data, bluetoothPeerIdentifier: UUID) throws {
    try self.init(data: data, bluetoothPeer: bluetoothPeerIdentifier)
  }

  private init(data: Data, bluetoothPeer: UUID?) throws {
    guard let accessory = try? AccessoryConfigurationData(data) else { throw NIError(.invalidConfiguration) }
    self.accessory = accessory
    self.bluetoothPeer = bluetoothPeer
    accessoryDiscoveryToken = NIDiscoveryToken(capabilities: .preciseDistance)
    super.init()
  }

  private init(copying other: NINearbyAccessoryConfiguration) {
    (accessory, bluetoothPeer) = (other.accessory, other.bluetoothPeer)
    accessoryDiscoveryToken = other.accessoryDiscoveryToken
    isCameraAssistanceEnabled = other.isCameraAssistanceEnabled
    super.init()
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
    coder.encode(accessory.data as NSData, forKey: "accessory")
    if let bluetoothPeer { coder.encode(bluetoothPeer.uuidString as NSString, forKey: "bluetoothPeer") }
    coder.encode(isCameraAssistanceEnabled, forKey: "isCameraAssistanceEnabled")
  }

  /// Nil for an archive that holds no such configuration.
  public required init?(coder: NSCoder) {
    guard let token = coder.decodeObject(of: NIDiscoveryToken.self, forKey: "accessoryDiscoveryToken"),
      let data = coder.decodeObject(of: NSData.self, forKey: "accessory"),
      let accessory = try? AccessoryConfigurationData(data as Data)
    else { return nil }
    accessoryDiscoveryToken = token
    self.accessory = accessory
    // Asking for a key that is not there fails the whole archive.
    let identity =
      coder.containsValue(forKey: "bluetoothPeer")
      ? coder.decodeObject(of: NSString.self, forKey: "bluetoothPeer") : nil
    bluetoothPeer = identity.flatMap { UUID(uuidString: String(describing: $0)) }
    isCameraAssistanceEnabled = coder.decodeBool(forKey: "isCameraAssistanceEnabled")
    super.init()
  }
}
