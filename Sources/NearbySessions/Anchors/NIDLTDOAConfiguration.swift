import Foundation
import Synchronization

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
