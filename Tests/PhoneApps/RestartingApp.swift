import NearbyInteraction

// Written as for a phone, and wrong: it starts again at every error, in the callback itself.

/// An app that never gives up.
public final class RestartingApp: NSObject, NISessionDelegate {
  public private(set) var codes: [NIError.Code] = []
  public private(set) var reasons: [String] = []
  private let restarts: Bool
  private var session: NISession? = NISession()
  private var token: NIDiscoveryToken?

  public init(restarts: Bool = false) { self.restarts = restarts }

  public func start(_ token: NIDiscoveryToken) {
    self.token = token
    session?.delegate = self
    session?.run(NINearbyPeerConfiguration(peerToken: token))
  }

  public func session(_ session: NISession, didInvalidateWith error: Error) {
    if let error = error as? NIError {
      codes.append(error.code)
      if let reason = error.userInfo[NSLocalizedFailureReasonErrorKey] as? String { reasons.append(reason) }
    }
    guard restarts, let token else { return }
    session.invalidate()
    if codes.count.isMultiple(of: 2) { self.session = NISession() }
    start(token)
  }
}
