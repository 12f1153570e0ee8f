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
