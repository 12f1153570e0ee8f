import Foundation
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
    if let identity = request.accessory?.bluetoothPeer, !connectedAccessories.contains(identity) {
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
