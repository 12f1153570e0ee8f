import NearbyInteraction

// Written as for a watch: distances only, the state in an actor, the delegate a small object that passes values on.

/// What the watch's face shows.
public actor WatchFinder {
  public private(set) var distances: [Float] = []
  public private(set) var nearest: Float?
  public private(set) var isOver = false

  public init() {}

  public func received(_ distance: Float?) {
    guard let distance else { return }
    distances.append(distance)
    nearest = min(nearest ?? distance, distance)
  }

  public func ended() { isOver = true }
}

/// The session and its delegate.
public final class WatchLink: NSObject, NISessionDelegate, @unchecked Sendable {
  private let finder: WatchFinder
  private var session: NISession?

  public init(_ finder: WatchFinder) { self.finder = finder }

  @MainActor public func start(_ token: NIDiscoveryToken) -> Bool {
    let capabilities = NISession.deviceCapabilities
    guard capabilities.supportsPreciseDistanceMeasurement, !capabilities.supportsDirectionMeasurement else {
      return false
    }
    let session = NISession()
    session.delegate = self
    session.run(NINearbyPeerConfiguration(peerToken: token))
    self.session = session
    return true
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    let distance = nearbyObjects.first?.distance
    Task { await finder.received(distance) }
  }

  public func session(
    _ session: NISession, didRemove nearbyObjects: [NINearbyObject], reason: NINearbyObject.RemovalReason
  ) {
    if case .peerEnded = reason { Task { @MainActor in await finder.ended() } }
  }
}
