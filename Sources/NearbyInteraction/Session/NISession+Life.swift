import Dispatch

/// What happens to a session, and who hears of it.
extension NISession {
  /// Takes an event of its life and tells what follows.
  func perform(_ event: SessionLifecycle.Event) {
    SessionLock.withLock {
      let before = guarded.lifecycle.state
      for effect in guarded.lifecycle.take(event) { perform(effect, after: before) }
    }
  }

  private func perform(_ effect: SessionLifecycle.Effect, after state: SessionState) {
    switch effect {
    case .didStartRunning:
      guarded.begin(at: device?.clock, profile: device?.profile ?? .unsupported)
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
      // Who ends while suspended cannot say so any more: the peer runs into its time-out.
      if let token = guarded.token { device?.sessionEnded(token, session: self, tellsPeers: state != .suspended) }
      guarded.token = nil
    }
  }

  /// Leaves a message for the delegate; without a device there is nobody to wait for.
  private func post(_ event: Event) {
    if let device { return device.post(event, from: self) }
    (guarded.delegateQueue ?? .main).async { self.deliver(event) }
  }

  /// Tells delegate and streams. Messages of a session that does not run any more are dropped.
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
    if device == nil { return event.tell(delegate, of: self) }
    CallbackQueue.run(on: queue) { event.tell(delegate, of: self) }
  }
}
