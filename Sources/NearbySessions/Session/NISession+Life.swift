import Dispatch
import Foundation

/// Life-cycle events of a session, and delivery of its callbacks.
extension NISession {
  /// Handles a life-cycle event and performs its effects.
  func perform(_ event: SessionLifecycle.Event) {
    SessionLock.withLock {
      let before = guarded.lifecycle.state
      for effect in guarded.lifecycle.handle(event) { perform(effect, after: before, isAnswer: event.isRun) }
    }
  }

  private func perform(_ effect: SessionLifecycle.Effect, after state: SessionState, isAnswer: Bool) {
    switch effect {
    case .didStartRunning:
      device?.refusals.clear()
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
    case .didInvalidate(let code): if let error = self.error(code, isAnswer: isAnswer) { post(.didInvalidate(error)) }
    case .tokenDies:
      // A session that ends while suspended cannot notify its peer: the peer times out.
      if let token = guarded.token { device?.sessionEnded(token, session: self, notifiesPeers: state != .suspended) }
      guarded.token = nil
    }
  }

  /// What `didInvalidateWith` says; nil when an app has been told so often that it must not hear it again.
  private func error(_ code: NIError.Code, isAnswer: Bool) -> NIError? {
    guard isAnswer else { return NIError(code) }
    let count = device?.countRefusal(code) ?? RefusalChain.length + 1
    if count > NearbyDevice.refusalLimit { return nil }
    if count == NearbyDevice.refusalLimit {
      return NIError(code, because: PlayingError.endlessRestart(device?.refusals.first ?? code).description)
    }
    guard device == nil else { return NIError(code) }
    return NIError(
      code, because: "No device was installed when this session was made: NearbyDevice.install has to come before.")
  }

  /// Queues an event for the delegate; without a device it is delivered asynchronously.
  private func post(_ event: Event) {
    if let device { return device.post(event, from: self) }
    let length = RefusalChain.length + 1
    (guarded.delegateQueue ?? .main).async {
      RefusalChain.with(length) { self.delivery(of: event)?.body() }
    }
  }

  /// The callback of an event, after the streams have it. Nil without a delegate, and for measurements of a session that
  /// no longer runs.
  func delivery(of event: Event) -> Delivery? {
    let isWanted = core { !event.needsRunningSession || $0.isRunning }
    guard isWanted else { return nil }
    let (delegate, queue, streams) = core { ($0.delegate, $0.delegateQueue, $0.streams.sorted { $0.key < $1.key }) }
    for (_, stream) in streams { stream.yield(event) }
    if case .didInvalidate = event {
      core { $0.streams = [:] }
      for (_, stream) in streams { stream.finish() }
    }
    return delegate.map { delegate in Delivery(queue: queue) { event.notify(delegate, of: self) } }
  }
}

extension SessionLifecycle.Event {
  /// Whether it is an outcome of `run`.
  var isRun: Bool {
    switch self {
    case .start, .startLater, .refuse: true
    default: false
    }
  }
}

/// How many callbacks led to this one, each by a `run` of the one before; for sessions without a device.
enum RefusalChain {
  private static let key = "fuse.refusals"

  /// Callbacks before the one that runs on this thread; 0 outside of one.
  static var length: Int { Thread.current.threadDictionary[key] as? Int ?? 0 }

  /// Makes a callback that is the `length`th of its chain.
  static func with(_ length: Int, _ body: () -> Void) {
    let dictionary = Thread.current.threadDictionary
    let before = dictionary[key]
    dictionary[key] = length
    defer { dictionary[key] = before }
    body()
  }
}
