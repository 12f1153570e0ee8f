import NearbyInteraction

// Written as for a phone: a base class that owns the session, and a screen that changes what it does.

/// What all of the app's ranging has in common.
public class RangingBase: NSObject, NISessionDelegate {
  public let session = NISession()
  public private(set) var updates = 0

  public override init() {
    super.init()
    session.delegate = self
  }

  public func range(_ token: NIDiscoveryToken) { session.run(NINearbyPeerConfiguration(peerToken: token)) }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) { updates += 1 }
  public func session(_ session: NISession, didInvalidateWith error: Error) {}
}

/// A screen of it. The base class has no `sessionWasSuspended`, `sessionSuspensionEnded` and `didRemove` of its own.
public final class RangingScreen: RangingBase {
  public private(set) var log: [String] = []

  public override func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    super.session(session, didUpdate: nearbyObjects)
    if log.last != "update" { log.append("update") }
  }

  public func sessionWasSuspended(_ session: NISession) { log.append("suspended") }

  public func sessionSuspensionEnded(_ session: NISession) {
    log.append("resumed")
    if let configuration = session.configuration { session.run(configuration) }
  }

  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {
    log.append(reason == .peerEnded ? "peer ended" : "timeout")
  }
}
