import NearbyInteraction

// Written as for a phone: an accessory that is found by its data, and tried again when it is lost.

/// The app's side of a tag that speaks over the app's own link.
public class TagAccessory: NSObject {
  public enum State: Equatable {
    case idle, waiting, ranging(Float?), lost(attempts: Int), failed(String)
  }

  public private(set) var state = State.idle
  public private(set) var attempts = 0
  private let session = NISession()
  private var configuration: NINearbyAccessoryConfiguration?
  /// What the link carries to the tag.
  public var send: ((Data) -> Void)?

  public override init() {
    super.init()
    session.delegate = self
  }

  public func tagSent(_ data: Data) {
    guard let first = data.first else { return }
    switch first {
    case 0x01:
      do {
        configuration = try NINearbyAccessoryConfiguration(data: data.dropFirst())
        start()
      } catch { state = .failed(error.localizedDescription) }
    case 0x02: state = .ranging(nil)
    case 0x03: state = .idle
    default: break
    }
  }

  private func start() {
    guard let configuration else { return }
    attempts += 1
    state = .waiting
    session.run(configuration)
  }
}

extension TagAccessory: NISessionDelegate {
  public func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject
  ) {
    guard object.discoveryToken == configuration?.accessoryDiscoveryToken else { return }
    send?(Data([0x0B]) + shareableConfigurationData)
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    for object in nearbyObjects where object.discoveryToken == configuration?.accessoryDiscoveryToken {
      state = .ranging(object.distance)
    }
  }

  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {
    guard reason == .timeout else { return }
    state = .lost(attempts: attempts)
    if attempts < 3 { start() }
  }

  public func session(_ session: NISession, didInvalidateWith error: Error) {
    guard let error = error as? NIError else { return }
    switch error.code {
    case .invalidConfiguration: state = .failed("The tag sent something that does not fit.")
    case .sessionFailed, .resourceUsageTimeout: state = .failed("Start again.")
    default: state = .failed(error.localizedDescription)
    }
  }
}
