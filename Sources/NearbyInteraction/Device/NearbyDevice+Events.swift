import Foundation
import Geometry
import PrecisionFinding
import SensorData

/// From sensor events to sessions; all under the lock.
extension NearbyDevice {
  /// Looks at an event, and returns what the finder is to see of it.
  func admit(_ timed: TimedEvent) -> [TimedEvent] {
    pass(to: timed.arrival)
    var admitted = injected.map {
      TimedEvent(.device(DeviceEvent(timestamp: timed.event.timestamp, name: $0.name, peer: $0.peer)))
    }
    injected = []
    sense.take(timed.event)
    switch timed.event {
    case .imu: admitted.append(timed)
    // The camera, and whoever tracks with it, belong to the app in the foreground.
    case .frame, .odometry: if !isSuspended { admitted.append(timed) }
    case .device(let event):
      happened(event)
      admitted.append(timed)
    case .range(let range): admitted += heard(range, arrival: timed.arrival)
    }
    // Without a camera there is nothing for the finder to do: the radio speaks for itself.
    return profile.capabilities.contains(.cameraAssistance) ? admitted : []
  }

  /// Tells the sessions of a range, and returns it for the finder where one of them has camera assistance.
  private func heard(_ range: RangeMeasurement, arrival: Timestamp) -> [TimedEvent] {
    guard SensorEvent.range(range).isFinite else { return [] }
    let range = profile.measured(range, own: sense.holding, other: holding(ofPeer: range.peer))
    var isAssisted = false
    for session in living where session.core({ $0.isRunning }) && peer(of: session) == range.peer {
      guard isReachable(session), let request = session.core({ $0.request }), let token = request.peerToken,
        range.range <= profile.reach * (request.isExtended ? 3 : 1)
      else { continue }
      session.core { $0.lastHeard = clock }
      if request.isCameraAssisted {
        isAssisted = true
      } else {
        post(.didUpdate([session.core { $0.presenter.object(range, token: token) }]), from: session)
      }
    }
    guard isAssisted else { return [] }
    var events = [TimedEvent(.range(range), arrival: arrival)]
    if let hint = motionHints.removeValue(forKey: range.peer) {
      // At one time the finder takes happenings before ranges; the hint is for after this one.
      let after = range.timestamp.advanced(byNanoseconds: 1)
      let happening = DeviceEvent(timestamp: after, name: hint, peer: range.peer)
      events.append(TimedEvent(.device(happening), arrival: max(arrival, after)))
    }
    return events
  }

  /// What happened to the device or to a peer, as the recording tells it: `suspend`, `resume`, `peerEnded`, how the peer is
  /// held (the name of a `Holding`), or the name of an `NIError.Code`.
  private func happened(_ event: DeviceEvent) {
    switch event.name {
    case "suspend":
      for session in living where !goesOnInBackground(session) { session.perform(.suspend) }
      isSuspended = true
    case "resume":
      isSuspended = false
      for session in living {
        session.perform(.suspensionEnds)
        // One that went on in the background tells its state anew.
        session.core { ($0.toldConvergence, $0.toldSessionConvergence) = (nil, nil) }
      }
    case "peerEnded":
      for session in living where event.peer != nil && peer(of: session) == event.peer {
        session.perform(.lose(.peerEnded))
      }
    default:
      if let peer = event.peer, let holding = Holding(rawValue: event.name) { peerHoldings[peer] = holding }
      guard let code = NIError.Code(name: event.name) else { return }
      if code == .userDidNotAllow { rules.isAllowedByUser = false }
      for session in living where event.peer == nil || peer(of: session) == event.peer { session.perform(.fail(code)) }
    }
  }

  /// UWB ranging with an accessory that is connected by Bluetooth goes on while the app is in the background.
  private func goesOnInBackground(_ session: NISession) -> Bool {
    guard let request = session.core({ $0.request }), request.accessoryData != nil else { return false }
    return request.accessory?.bluetoothPeer.map(connectedAccessories.contains) ?? false
  }

  // MARK: - From the finder

  /// Passes on what the finder says.
  func route(_ output: FinderOutput) {
    switch output {
    case .pose(let time, let worldFromBody, _):
      let worldFromDevice = worldFromBody * rig.bodyFromDevice
      let world = arWorld ?? ARWorld(firstWorldFromDevice: worldFromDevice)
      arWorld = world
      refuseBadWorlds()
      let camera = ARCamera(transform: world.cameraTransform(worldFromDevice: worldFromDevice))
      show(ARFrame(timestamp: Double(time.nanoseconds) / 1e9, camera: camera))
    case .session(let update):
      sessionConvergence = NIAlgorithmConvergence(status: NIAlgorithmConvergenceStatus(update.convergence))
      for session in living where session.core({ $0.isAssisted }) { tellSessionConvergence(session) }
    case .update(let update):
      for session in living where session.core({ $0.isAssisted }) && peer(of: session) == update.object.peer {
        tell(update, to: session)
      }
    }
  }

  private func show(_ frame: ARFrame) {
    for shared in living.compactMap({ $0.core { $0.arSession } })
    where !frames.contains(where: { $0.session === shared && $0.frame === frame }) {
      frames.append((shared, frame))
    }
  }

  /// Ends sessions whose app has started its `ARSession` anew with something that does not fit.
  private func refuseBadWorlds() {
    for session in living where session.core({ $0.isAssisted && $0.arSession?.configurationServes == false }) {
      session.perform(.fail(.invalidARConfiguration))
    }
  }

  private func tell(_ update: NearbyUpdate, to session: NISession) {
    guard let started = session.core({ $0.startedAt }), update.timestamp >= started,
      let token = session.core({ $0.request?.peerToken })
    else { return }
    tellSessionConvergence(session)
    let sees = session.core { $0.seesTheWorld }
    let object = session.core { core in
      core.worldPosition = sees ? core.presenter.worldPosition(update) : nil
      return sees ? core.presenter.object(update, token: token) : core.presenter.distance(update, token: token)
    }
    let status = sees ? NIAlgorithmConvergenceStatus(update.convergence) : .unknown
    let convergence = NIAlgorithmConvergence(status: status)
    if session.core({ $0.toldConvergence }) != convergence {
      session.core { $0.toldConvergence = convergence }
      post(.didUpdateAlgorithmConvergence(convergence, object), from: session)
    }
    post(.didUpdate([object]), from: session)
  }

  private func tellSessionConvergence(_ session: NISession) {
    guard let known = sessionConvergence else { return }
    let now = session.core { $0.seesTheWorld } ? known : NIAlgorithmConvergence(status: .unknown)
    guard session.core({ $0.toldSessionConvergence }) != now else { return }
    session.core { $0.toldSessionConvergence = now }
    post(.didUpdateAlgorithmConvergence(now, nil), from: session)
  }
}

extension SessionCore {
  /// Runs, with camera and motion helping.
  var isAssisted: Bool { isRunning && request?.isCameraAssisted == true }

  /// Whether poses reach the session: the app runs the `ARSession` that it shares, or shares none and has one run for it.
  var seesTheWorld: Bool { arSession?.isRunning ?? true }
}
