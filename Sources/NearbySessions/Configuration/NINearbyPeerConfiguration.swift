import Foundation
import Synchronization

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
