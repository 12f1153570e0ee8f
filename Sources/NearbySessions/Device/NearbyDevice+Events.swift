import Foundation
import Geometry
import PrecisionFinding
import SensorData

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
    return request.accessory?.bluetoothPeer.map(connectedAccessories.contains) ?? false
  }

  // MARK: - From the finder

  /// Routes the finder's output to sessions and AR sessions.
  func route(_ output: FinderOutput) {
    switch output {
    case .pose(let time, let worldFromBody, _):
      let worldFromDevice = worldFromBody * rig.bodyFromDevice
      let world = arWorld ?? ARWorld(firstWorldFromDevice: worldFromDevice)
      arWorld = world
      failUnsuitableARSessions()
      let frame = camera?.frame(at: time)
      let seen = ARCamera(
        transform: world.cameraTransform(worldFromDevice: worldFromDevice), trackingState: trackingState,
        image: camera?.image ?? ARCamera.ImageGeometry(), exposure: frame?.exposure)
      postFrame(at: Double(time.nanoseconds) / 1e9, seen, meanLuma: frame?.meanLuma)
    case .session(let update):
      sessionConvergence = NIAlgorithmConvergence(
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
    guard let known = sessionConvergence else { return }
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
