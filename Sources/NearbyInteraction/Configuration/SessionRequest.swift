/// What of a configuration matters to the device: both kinds in one form.
struct SessionRequest {
  /// By which token updates name the peer.
  let peerToken: NIDiscoveryToken
  /// Whether camera and motion help.
  let isCameraAssisted: Bool
  /// Long distances.
  let isExtended: Bool
  /// The accessory's configuration; nil for another device.
  let accessory: NINearbyAccessoryConfiguration?
  /// What the accessory sent; nil for another device, and for channel sounding.
  var accessoryData: AccessoryConfigurationData? { accessory?.accessory }

  /// Nil for a configuration that is of neither kind.
  init?(_ configuration: NIConfiguration) {
    switch configuration {
    case let peer as NINearbyPeerConfiguration:
      peerToken = peer.peerDiscoveryToken
      isCameraAssisted = peer.isCameraAssistanceEnabled
      isExtended = peer.isExtendedDistanceMeasurementEnabled
      accessory = nil
    case let accessory as NINearbyAccessoryConfiguration:
      peerToken = accessory.accessoryDiscoveryToken
      isCameraAssisted = accessory.isCameraAssistanceEnabled
      isExtended = false
      self.accessory = accessory
    default: return nil
    }
  }
}
