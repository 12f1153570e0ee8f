import Foundation
import SensorData

/// Who is who: tokens, and names in the ranges.
extension NearbyDevice {
  /// The token of a peer that has no session in this process: a tag, or the other phone of a recording. It stands for what
  /// the app's own networking would have brought. The same peer has the same token.
  public func token(
    forPeer peer: String, capabilities: DeviceCapabilities = .preciseDistance
  ) -> NIDiscoveryToken {
    SessionLock.withLock {
      if let token = standIns[peer] { return token }
      let token = NIDiscoveryToken(capabilities: capabilities)
      standIns[peer] = token
      bindings[token] = peer
      return token
    }
  }

  /// Says which peer of the ranges a token from another process belongs to.
  public func bind(_ token: NIDiscoveryToken, toPeer peer: String) {
    SessionLock.withLock { bindings[token] = peer }
  }

  /// Says which peer of the ranges the accessory with this short address is, and whether it is connected by Bluetooth.
  public func addAccessory(address: [UInt8], peer: String, bluetoothIdentifier: UUID? = nil) {
    SessionLock.withLock {
      accessories[address] = peer
      if let bluetoothIdentifier { connectedAccessories.insert(bluetoothIdentifier) }
    }
  }

  /// Says which peer of the ranges the accessory is that ranges by Bluetooth channel sounding; it is connected.
  public func addAccessory(channelSoundingIdentifier: UUID, peer: String) {
    SessionLock.withLock {
      channelSounders[channelSoundingIdentifier] = peer
      connectedAccessories.insert(channelSoundingIdentifier)
    }
  }

  /// Says that the accessory's Bluetooth connection is gone.
  public func disconnectAccessory(bluetoothIdentifier: UUID) {
    _ = SessionLock.withLock { connectedAccessories.remove(bluetoothIdentifier) }
  }

  /// Tells the sessions what an accessory was sent: from `configureAndStart` on it ranges with them.
  public func accessory(address: [UInt8], received message: AccessoryMessage) {
    SessionLock.withLock {
      for session in living where session.core({ $0.request?.accessoryData?.uwb.sourceAddress == address }) {
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
  var living: [NISession] { sessions.compactMap(\.session) }

  func attach(_ session: NISession) {
    SessionLock.withLock {
      sessions.removeAll { $0.session == nil }
      sessions.append(WeakSession(session: session))
    }
  }

  /// What a session's peer is called in the ranges; nil for a token that nobody here has, a dead one for instance.
  func peer(of session: NISession) -> String? {
    guard let request = session.core({ $0.request }) else { return nil }
    if let data = request.accessoryData { return accessories[data.uwb.sourceAddress] }
    if let identity = request.accessory?.bluetoothPeer { return channelSounders[identity] }
    guard let token = request.peerToken else { return nil }
    return bindings[token] ?? neighbour(with: token)?.name
  }

  /// How a peer is held: what its own sensors say where it is a device of this world, else what the recording said last.
  func holding(ofPeer peer: String) -> Holding? {
    neighbours.first { $0.peer == peer }?.device?.sense.holding ?? peerHoldings[peer]
  }

  /// Whether the other side ranges with the session, too: a peer's session in this process must run with our token, an
  /// accessory must have been started; what only a recording knows always ranges.
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
      for session in neighbour.device?.living ?? [] where session.core({ $0.token == token }) {
        return (neighbour.peer, session)
      }
    }
    return nil
  }

  /// A session's token died: the neighbours' sessions that range with it learn it, some time after; the finder forgets a
  /// peer that nobody asks for any more.
  func sessionEnded(_ token: NIDiscoveryToken, session: NISession? = nil, tellsPeers: Bool = true) {
    SessionLock.withLock {
      for neighbour in neighbours where tellsPeers {
        guard let device = neighbour.device else { continue }
        for other in device.living where other.core({ $0.isRunning && $0.request?.peerToken == token }) {
          guard let address = other.core({ $0.token }) else { continue }
          let due = device.clock?.advanced(bySeconds: device.rules.peerEndedDelay)
          device.notices.append((due, address))
        }
      }
      guard let session, let peer = peer(of: session) else { return }
      let isStillWanted = living.contains {
        $0 !== session && $0.state != .invalidated && self.peer(of: $0) == peer
      }
      if !isStillWanted { injected.append(("peerEnded", peer)) }
    }
  }
}
