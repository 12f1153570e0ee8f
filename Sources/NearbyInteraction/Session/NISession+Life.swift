import Dispatch

/// Life-cycle events of a session, and delivery of its callbacks.
extension NISession {
  /// Handles a life-cycle event and performs its effects.
  func perform(_ event: SessionLifecycle.Event) {
    SessionLock.withLock {
      let before = guarded.lifecycle.state
      for effect in guarded.lifecycle.handle(event) { perform(effect, after: before) }
    }
  }

  private func perform(_ effect: SessionLifecycle.Effect, after state: SessionState) {
    switch effect {
    case .didStartRunning:
      guarded.reset(at: device?.clock, profile: device?.profile ?? .unsupported)
      post(.didStartRunning)
      device?.sessionStarted(self)
    case .wasSuspended:
      guarded.suspendedAt = device?.clock
      guarded.worldPosition = nil
      post(.wasSuspended)
    case .suspensionEnded: post(.suspensionEnded)
    case .didRemove(let reason):
      guarded.worldPosition = nil
      if let token = guarded.request?.peerToken { post(.didRemove([NINearbyObject(discoveryToken: token)], reason)) }
    case .didInvalidate(let code): post(.didInvalidate(NIError(code)))
    case .tokenDies:
      // A session that ends while suspended cannot notify its peer: the peer times out.
      if let token = guarded.token { device?.sessionEnded(token, session: self, notifiesPeers: state != .suspended) }
      guarded.token = nil
    }
  }

  /// Queues an event for the delegate; without a device it is delivered asynchronously.
  private func post(_ event: Event) {
    if let device { return device.post(event, from: self) }
    (guarded.delegateQueue ?? .main).async { self.deliver(event) }
  }

  /// Notifies delegate and streams. Drops measurements of a session that no longer runs.
  func deliver(_ event: Event) {
    let isWanted = core { !event.needsRunningSession || $0.isRunning }
    guard isWanted else { return }
    let (delegate, queue, streams) = core { ($0.delegate, $0.delegateQueue, $0.streams.sorted { $0.key < $1.key }) }
    for (_, stream) in streams { stream.yield(event) }
    if case .didInvalidate = event {
      core { $0.streams = [:] }
      for (_, stream) in streams { stream.finish() }
    }
    guard let delegate else { return }
    if device == nil { return event.notify(delegate, of: self) }
    CallbackQueue.run(on: queue) { event.notify(delegate, of: self) }
  }
}
