import NearbyInteraction

// Written as for a phone: a session for each of several peers, told apart by identity.

/// Everything on the keyring, nearest first.
public final class KeyringModel: NSObject, NISessionDelegate {
  private struct Entry {
    let session: NISession
    let name: String
    var object: NINearbyObject?
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  public private(set) var refused: [NIError.Code] = []

  public func watch(_ token: NIDiscoveryToken, named name: String) {
    let session = NISession()
    session.delegate = self
    entries[ObjectIdentifier(session)] = Entry(session: session, name: name)
    session.run(NINearbyPeerConfiguration(peerToken: token))
  }

  public var nearestFirst: [String] {
    entries.values.filter { $0.object?.distance != nil }
      .sorted { $0.object!.distance! < $1.object!.distance! }.map(\.name)
  }

  public func direction(of name: String) -> SIMD3<Float>? {
    entries.values.first { $0.name == name }?.object?.direction
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    entries[ObjectIdentifier(session)]?.object = nearbyObjects.first
  }

  public func session(_ session: NISession, didInvalidateWith error: Error) {
    entries[ObjectIdentifier(session)] = nil
    if let error = error as? NIError { refused.append(error.code) }
  }
}
