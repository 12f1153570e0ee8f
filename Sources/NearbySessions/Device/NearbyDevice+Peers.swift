import Foundation
import SensorData

/// Association of tokens and accessories with peer names in the ranges.
extension NearbyDevice {
  /// The token of a peer without a session in this process: a tag, or the other phone of a recording. It replaces the
  /// token that the app's own network would deliver. The same peer always has the same token.
  public func token(
    forPeer peer: String, capabilities: DeviceCapabilities = .preciseDistance
  ) -> NIDiscoveryToken {
    SessionLock.withLock {
      if let token = tokensOfPeers[peer] { return token }
      let token = NIDiscoveryToken(capabilities: capabilities)
      tokensOfPeers[peer] = token
      bindings[token] = peer
      return token
    }
  }

  /// Binds a token from another process to a peer of the ranges.
  public func bind(_ token: NIDiscoveryToken, toPeer peer: String) {
    SessionLock.withLock { bindings[token] = peer }
  }

  /// Binds the accessory with this short address to a peer of the ranges; with an identifier it is connected by
  /// Bluetooth.
  public func addAccessory(address: [UInt8], peer: String, bluetoothIdentifier: UUID? = nil) {
    SessionLock.withLock {
      accessories[address] = peer
      if let bluetoothIdentifier { connectedAccessories.insert(bluetoothIdentifier) }
    }
  }

  /// Binds an accessory that ranges by Bluetooth channel sounding to a peer of the ranges; it is connected.
  public func addAccessory(channelSoundingIdentifier: UUID, peer: String) {
    SessionLock.withLock {
      channelSounders[channelSoundingIdentifier] = peer
      connectedAccessories.insert(channelSoundingIdentifier)
    }
  }

  /// Disconnects the accessory's Bluetooth.
  public func disconnectAccessory(bluetoothIdentifier: UUID) {
    _ = SessionLock.withLock { connectedAccessories.remove(bluetoothIdentifier) }
  }

  /// Reports a message that an accessory received: from `configureAndStart` to `stop` it ranges with its sessions.
  public func accessory(address: [UInt8], received message: AccessoryMessage) {
    SessionLock.withLock {
      for session in liveSessions where session.core({ $0.request?.accessoryData?.uwb.sourceAddress == address }) {
        switch message {
        case .configureAndStart: session.core { $0.accessoryRanges = true }
        case .stop: session.core { $0.accessoryRanges = false }
        default: break
        }
      }
    }
  }

  // MARK: - Under the lock

  /// Sessions that still exist, in the order in which they were made.
  var liveSessions: [NISession] { sessions.compactMap(\.session) }

  func attach(_ session: NISession) {
    SessionLock.withLock {
      sessions.removeAll { $0.session == nil }
      sessions.append(WeakSession(session: session))
    }
  }

  /// Name of a session's peer in the ranges; nil for an unknown token, for instance that of an ended session.
  func peer(of session: NISession) -> String? {
    guard let request = session.core({ $0.request }) else { return nil }
    if let data = request.accessoryData { return accessories[data.uwb.sourceAddress] }
    if let identity = request.accessory?.bluetoothPeer { return channelSounders[identity] }
    guard let token = request.peerToken else { return nil }
    return bindings[token] ?? neighbour(with: token)?.name
  }

  /// How a peer is held: from its own sensors where it is a device of this world, else the recording's last event.
  func holding(ofPeer peer: String) -> Holding? {
    neighbours.first { $0.peer == peer }?.device?.holdingEstimator.holding ?? peerHoldings[peer]
  }

  /// Whether the other side ranges with the session. A peer's session in this process must run with the session's
  /// token; an accessory must have been started. A peer that exists only in a recording always ranges.
  func isReachable(_ session: NISession) -> Bool {
    let (request, token, accessoryRanges) = session.core { ($0.request, $0.token, $0.accessoryRanges) }
    guard let request, let token else { return false }
    if request.accessoryData != nil { return accessoryRanges }
    if let identity = request.accessory?.bluetoothPeer { return connectedAccessories.contains(identity) }
    guard let peerToken = request.peerToken else { return false }
    guard let other = neighbour(with: peerToken)?.session else { return bindings[peerToken] != nil }
    return other.core { $0.isRunning && $0.request?.peerToken == token }
  }

  private func neighbour(with token: NIDiscoveryToken) -> (name: String, session: NISession)? {
    for neighbour in neighbours {
      for session in neighbour.device?.liveSessions ?? [] where session.core({ $0.token == token }) {
        return (neighbour.peer, session)
      }
    }
    return nil
  }

  /// Handles the end of a session's token. The neighbours' sessions that range with it are notified after
  /// `peerEndedDelay`; the finder drops a peer that no session requests any more.
  func sessionEnded(_ token: NIDiscoveryToken, session: NISession? = nil, notifiesPeers: Bool = true) {
    SessionLock.withLock {
      for neighbour in neighbours where notifiesPeers {
        guard let device = neighbour.device else { continue }
        for other in device.liveSessions where other.core({ $0.isRunning && $0.request?.peerToken == token }) {
          guard let recipient = other.core({ $0.token }) else { continue }
          let due = device.clock?.advanced(bySeconds: device.rules.peerEndedDelay)
          device.peerEndedNotices.append((due, recipient))
        }
      }
      guard let session, let peer = peer(of: session) else { return }
      let isStillRequested = liveSessions.contains {
        $0 !== session && $0.state != .invalidated && self.peer(of: $0) == peer
      }
      if !isStillRequested { finderEvents.append(("peerEnded", peer)) }
    }
  }
}
