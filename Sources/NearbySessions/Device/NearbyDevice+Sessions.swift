import Foundation
import Geometry
import PrecisionFinding
import SensorData

/// The device's decisions about its sessions; all under the lock.
extension NearbyDevice {
  /// Outcome of a session's `run`: it starts, waits, or is refused for the first reason that applies.
  ///
  /// - Parameter isARSuitable: whether the shared `ARSession` supports camera assistance; nil when none is shared.
  func runOutcome(of session: NISession, isARSuitable: Bool?) -> SessionLifecycle.Event {
    let (request, token) = session.core { ($0.request, $0.token) }
    guard profile.capabilities.contains(.preciseDistance) else { return .refuse(.unsupportedPlatform) }
    guard rules.isAllowedByUser else { return .refuse(.userDidNotAllow) }
    guard let request, request.peerToken == nil || request.peerToken != token else {
      return .refuse(.invalidConfiguration)
    }
    if let code = missingCapability(for: request) { return .refuse(code) }
    if let isARSuitable, !isARSuitable || !request.isCameraAssisted { return .refuse(.invalidARConfiguration) }
    if let identity = request.accessory?.bluetoothPeer, !bindings.connected.contains(identity) {
      return .refuse(.accessoryPeerDeviceUnavailable)
    }
    let others = liveSessions.filter { $0 !== session && $0.core { $0.isActive } }
    guard others.count < rules.activeSessions else { return .refuse(.activeSessionsLimitExceeded) }
    let extended = others.count { $0.core { $0.request?.isExtended == true } }
    if request.isExtended, extended >= rules.extendedDistanceSessions {
      return .refuse(.activeExtendedDistanceSessionsLimitExceeded)
    }
    return isSuspended ? .startLater : .start
  }

  private func missingCapability(for request: SessionRequest) -> NIError.Code? {
    if request.isCameraAssisted, !profile.capabilities.contains(.cameraAssistance) { return .unsupportedPlatform }
    let isChannelSounding = request.accessory != nil && request.accessoryData == nil
    if isChannelSounding, !profile.capabilities.contains(.channelSounding) { return .unsupportedPlatform }
    if request.network != nil, !profile.capabilities.contains(.dlTDOA) { return .unsupportedPlatform }
    if request.isExtended {
      if !profile.capabilities.contains(.extendedDistance) { return .unsupportedPlatform }
      if request.peerToken?.capabilities.contains(.extendedDistance) != true { return .incompatiblePeerDevice }
    }
    return nil
  }

  /// Handles the start of a session: one with an accessory receives the shareable configuration data.
  func sessionStarted(_ session: NISession) {
    guard let request = session.core({ $0.request }), let data = request.accessoryData,
      let token = session.discoveryToken, let accessory = request.peerToken
    else { return }
    let answer = ShareableConfigurationData(answering: data, token: token)
    let object = NINearbyObject(discoveryToken: accessory)
    post(.didGenerateShareableConfigurationData(answer.data, object), from: session)
  }

  /// Stores the app's report on the accessory's motion for the finder, which receives it with the next range: before
  /// the first range it does not know the peer. Unknown is taken as stationary, as without a report, until ranges
  /// contradict.
  func hint(_ state: NIMotionActivityState, of session: NISession) {
    guard let peer = peer(of: session) else { return }
    motionHints[peer] = state == .moving ? "moving" : "stationary"
  }

  // MARK: - Time

  /// Advances the clock, and performs what was due by then.
  func advanceClock(to time: Timestamp) {
    let now = max(clock ?? time, time)
    clock = now
    for session in liveSessions {
      session.core { core in
        if core.isRunning {
          core.startedAt = core.startedAt ?? now
          core.lastRangeAt = core.lastRangeAt ?? now
        }
        if core.lifecycle.state == .suspended { core.suspendedAt = core.suspendedAt ?? now }
      }
      if let event = overdue(session, at: now) { session.perform(event) }
    }
    let due = peerEndedNotices.filter { $0.due.map { $0 <= now } ?? true }
    peerEndedNotices.removeAll { $0.due.map { $0 <= now } ?? true }
    for notice in due {
      liveSessions.first { $0.core { $0.token == notice.token } }?.perform(.lose(.peerEnded))
    }
  }

  private func overdue(_ session: NISession, at now: Timestamp) -> SessionLifecycle.Event? {
    session.core { core in
      switch core.lifecycle.state {
      case .running:
        if let limit = rules.activeTime, let began = core.startedAt, now.seconds(since: began) > limit {
          return .fail(.resourceUsageTimeout)
        }
        // A session with anchors has no peer that could time out.
        if core.request?.network != nil { return nil }
        let waitsForAccessory = core.request?.accessoryData != nil && !core.accessoryRanges
        let timeout = waitsForAccessory ? rules.accessoryTimeout : rules.peerTimeout
        guard let last = core.lastRangeAt, now.seconds(since: last) > timeout else { return nil }
        return .lose(.timeout)
      case .suspended:
        guard let since = core.suspendedAt, now.seconds(since: since) > rules.suspendedTime else { return nil }
        return .fail(.sessionFailed)
      default: return nil
      }
    }
  }
}

/// Association of tokens and accessories with peer names in the ranges.
extension NearbyDevice {
  /// The token of a peer without a session in this process: a tag, or the other phone of a recording. It replaces the
  /// token that the app's own network would deliver. The same peer always has the same token.
  public func token(
    forPeer peer: String, capabilities: DeviceCapabilities = .preciseDistance
  ) -> NIDiscoveryToken {
    SessionLock.withLock {
      if let token = bindings.tokens[peer] { return token }
      let token = NIDiscoveryToken(capabilities: capabilities)
      bindings.tokens[peer] = token
      bindings.peers[token] = peer
      return token
    }
  }

  /// Binds a token from another process to a peer of the ranges.
  public func bind(_ token: NIDiscoveryToken, toPeer peer: String) {
    SessionLock.withLock { bindings.peers[token] = peer }
  }

  /// Binds the accessory with this short address to a peer of the ranges; with an identifier it is connected by
  /// Bluetooth.
  public func addAccessory(address: [UInt8], peer: String, bluetoothIdentifier: UUID? = nil) {
    SessionLock.withLock {
      bindings.accessories[address] = peer
      if let bluetoothIdentifier { bindings.connected.insert(bluetoothIdentifier) }
    }
  }

  /// Binds an accessory that ranges by Bluetooth channel sounding to a peer of the ranges; it is connected.
  public func addAccessory(channelSoundingIdentifier: UUID, peer: String) {
    SessionLock.withLock {
      bindings.channelSounders[channelSoundingIdentifier] = peer
      bindings.connected.insert(channelSoundingIdentifier)
    }
  }

  /// Disconnects the accessory's Bluetooth.
  public func disconnectAccessory(bluetoothIdentifier: UUID) {
    _ = SessionLock.withLock { bindings.connected.remove(bluetoothIdentifier) }
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
    if let data = request.accessoryData { return bindings.accessories[data.uwb.sourceAddress] }
    if let identity = request.accessory?.bluetoothPeer { return bindings.channelSounders[identity] }
    guard let token = request.peerToken else { return nil }
    return bindings.peers[token] ?? neighbour(with: token)?.name
  }

  /// How a peer is held: from its own sensors where it is a device of this world, else the recording's last event.
  func holding(ofPeer peer: String) -> Holding? {
    neighbours.first { $0.peer == peer }?.device?.holdingEstimator.holding ?? peerHoldings[peer]
  }

  /// Whether the other side ranges with the session. A peer's session in this process must run with the session's
  /// token; an accessory must have been started. A peer that exists only in a recording always ranges.
  private func isReachable(_ session: NISession) -> Bool {
    let (request, token, accessoryRanges) = session.core { ($0.request, $0.token, $0.accessoryRanges) }
    guard let request, let token else { return false }
    if request.accessoryData != nil { return accessoryRanges }
    if let identity = request.accessory?.bluetoothPeer { return bindings.connected.contains(identity) }
    guard let peerToken = request.peerToken else { return false }
    guard let other = neighbour(with: peerToken)?.session else { return bindings.peers[peerToken] != nil }
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

/// From sensor events to sessions; all under the lock.
extension NearbyDevice {
  /// Handles an event, and returns the events for the finder.
  func admit(_ timed: TimedEvent) -> [TimedEvent] {
    advanceClock(to: timed.arrival)
    var admitted = finderEvents.map {
      TimedEvent(.device(DeviceEvent(timestamp: timed.event.timestamp, name: $0.name, peer: $0.peer)))
    }
    finderEvents = []
    holdingEstimator.process(timed.event)
    switch timed.event {
    case .imu: admitted.append(timed)
    // Camera and visual odometry are available to the app in the foreground only.
    case .frame(let frame):
      camera?.add(frame)
      if !isSuspended { admitted.append(timed) }
    case .odometry: if !isSuspended { admitted.append(timed) }
    case .device(let event):
      handle(event)
      admitted.append(timed)
    case .range(let range): admitted += admit(range, arrival: timed.arrival)
    }
    return admitted
  }

  /// Reports a range to the sessions, and returns it for the finder where one of them has camera assistance.
  private func admit(_ range: RangeMeasurement, arrival: Timestamp) -> [TimedEvent] {
    guard SensorEvent.range(range).isFinite else { return [] }
    let range = profile.measured(range, own: holdingEstimator.holding, other: holding(ofPeer: range.peer))
    var isAssisted = false
    for session in liveSessions where session.core({ $0.isRunning }) && peer(of: session) == range.peer {
      guard isReachable(session), let request = session.core({ $0.request }), let token = request.peerToken,
        range.range <= profile.reach * (request.isExtended ? 3 : 1)
      else { continue }
      session.core { $0.lastRangeAt = clock }
      if request.isCameraAssisted {
        isAssisted = true
      } else {
        post(.didUpdate([session.core { $0.presenter.object(range, token: token) }]), from: session)
      }
    }
    guard isAssisted else { return [] }
    var events = [TimedEvent(.range(range), arrival: arrival)]
    if let hint = motionHints.removeValue(forKey: range.peer) {
      // At equal times the finder processes device events before ranges; the hint is to follow this range.
      let after = range.timestamp.advanced(byNanoseconds: 1)
      let motionEvent = DeviceEvent(timestamp: after, name: hint, peer: range.peer)
      events.append(TimedEvent(.device(motionEvent), arrival: max(arrival, after)))
    }
    return events
  }

  /// Handles a recorded event of the device or of a peer: `suspend`, `resume`, `peerEnded`, how the peer is held (the
  /// name of a `Holding`), or the name of an `NIError.Code`.
  private func handle(_ event: DeviceEvent) {
    switch event.name {
    case "suspend":
      for session in liveSessions where !continuesInBackground(session) { session.perform(.suspend) }
      isSuspended = true
      postInterruption(isOver: false)
    case "resume":
      isSuspended = false
      postInterruption(isOver: true)
      for session in liveSessions {
        session.perform(.suspensionEnds)
        // A session that continued in the background reports its state again.
        session.core { ($0.reportedConvergence, $0.reportedSessionConvergence) = (nil, nil) }
      }
    case "peerEnded":
      for session in liveSessions where event.peer != nil && peer(of: session) == event.peer {
        session.perform(.lose(.peerEnded))
      }
    default:
      if let peer = event.peer, let holding = Holding(rawValue: event.name) { peerHoldings[peer] = holding }
      guard let code = NIError.Code(name: event.name) else { return }
      if code == .userDidNotAllow { rules.isAllowedByUser = false }
      for session in liveSessions where event.peer == nil || peer(of: session) == event.peer {
        session.perform(.fail(code))
      }
    }
  }

  /// UWB ranging with an accessory that is connected by Bluetooth continues while the app is in the background.
  private func continuesInBackground(_ session: NISession) -> Bool {
    guard let request = session.core({ $0.request }), request.accessoryData != nil else { return false }
    return request.accessory?.bluetoothPeer.map(bindings.connected.contains) ?? false
  }

  // MARK: - From the finder

  /// Routes the finder's output to sessions and AR sessions.
  func route(_ output: FinderOutput) {
    switch output {
    case .pose(let time, let worldFromBody, _):
      let worldFromDevice = worldFromBody * rig.bodyFromDevice
      let world = assistance.arWorld ?? ARWorld(firstWorldFromDevice: worldFromDevice)
      assistance.arWorld = world
      failUnsuitableARSessions()
      let frame = camera?.frame(at: time)
      let seen = ARCamera(
        transform: world.cameraTransform(worldFromDevice: worldFromDevice), trackingState: trackingState,
        image: camera?.image ?? ARCamera.ImageGeometry(), exposure: frame?.exposure)
      postFrame(at: Double(time.nanoseconds) / 1e9, seen, meanLuma: frame?.meanLuma)
    case .session(let update):
      assistance.convergence = NIAlgorithmConvergence(
        status: NIAlgorithmConvergenceStatus(
          update.convergence, details: update.details, explanation: { explanation(of: $0, peer: nil) }))
      for session in liveSessions where session.core({ $0.isAssisted }) { reportSessionConvergence(to: session) }
    case .update(let update):
      for session in liveSessions where session.core({ $0.isAssisted }) && peer(of: session) == update.object.peer {
        report(update, to: session)
      }
    }
  }

  /// Ends sessions whose app has restarted its `ARSession` with an unsuitable configuration.
  private func failUnsuitableARSessions() {
    for session in liveSessions
    where session.core({ $0.isAssisted && $0.arSession?.isConfigurationSuitable == false }) {
      session.perform(.fail(.invalidARConfiguration))
    }
  }

  private func report(_ update: NearbyUpdate, to session: NISession) {
    guard let started = session.core({ $0.startedAt }), update.timestamp >= started,
      let token = session.core({ $0.request?.peerToken })
    else { return }
    reportSessionConvergence(to: session)
    let hasPoses = session.core { $0.receivesPoses }
    let object = session.core { core in
      core.worldPosition = hasPoses ? core.presenter.worldPosition(update) : nil
      return hasPoses ? core.presenter.object(update, token: token) : core.presenter.distance(update, token: token)
    }
    let status =
      hasPoses
      ? NIAlgorithmConvergenceStatus(
        update.convergence, details: update.details,
        explanation: { explanation(of: $0, peer: update.object.peer) }) : .unknown
    let convergence = NIAlgorithmConvergence(status: status)
    if session.core({ $0.reportedConvergence }) != convergence {
      session.core { $0.reportedConvergence = convergence }
      post(.didUpdateAlgorithmConvergence(convergence, object), from: session)
    }
    post(.didUpdate([object]), from: session)
  }

  private func reportSessionConvergence(to session: NISession) {
    guard let known = assistance.convergence else { return }
    let now = session.core { $0.receivesPoses } ? known : NIAlgorithmConvergence(status: .unknown)
    guard session.core({ $0.reportedSessionConvergence }) != now else { return }
    session.core { $0.reportedSessionConvergence = now }
    post(.didUpdateAlgorithmConvergence(now, nil), from: session)
  }
}

extension SessionCore {
  /// Whether it runs with camera assistance.
  var isAssisted: Bool { isRunning && request?.isCameraAssisted == true }

  /// Whether the session receives poses: the app runs the `ARSession` that it shares, or shares none.
  var receivesPoses: Bool { arSession?.isRunning ?? true }
}
