/// What of a configuration matters to the device: all kinds in one form.
struct SessionRequest {
  /// By which token updates name the peer; nil where there is none, only anchors.
  let peerToken: NIDiscoveryToken?
  /// Whether camera and motion help.
  let isCameraAssisted: Bool
  /// Long distances.
  let isExtended: Bool
  /// The accessory's configuration; nil for another device.
  let accessory: NINearbyAccessoryConfiguration?
  /// What the accessory sent; nil for another device, and for channel sounding.
  var accessoryData: AccessoryConfigurationData? { accessory?.accessory }

  /// The network whose anchors are listened to; nil for a peer.
  let network: Int?

  /// Nil for a configuration that is of no kind.
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
