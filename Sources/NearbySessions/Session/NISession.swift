import Dispatch
import Foundation

/// A session that finds one peer. Names and behaviour are Apple's, see docs/nearby-interaction.md.
///
/// It runs on the device that is current where it is made (`NearbyDevice.current`). No callback is made from within a
/// call of the app: callbacks are made while the device is played, at its next event at the earliest.
public final class NISession: NSObject, @unchecked Sendable {
  /// The device it runs on; without one every `run` ends with `unsupportedPlatform`.
  let device: NearbyDevice?
  /// Accessed under the lock only.
  private var guarded: SessionCore

  /// A session on the current device.
  public override convenience init() { self.init(device: NearbyDevice.current) }

  /// Not Apple's: a session on a certain device.
  public init(device: NearbyDevice?) {
    self.device = device
    let profile = device?.profile ?? .unsupported
    guarded = SessionCore(presenter: ObjectPresenter(profile: profile))
    super.init()
    core { $0.token = device.map { NIDiscoveryToken(capabilities: $0.profile.capabilities) } }
    device?.attach(self)
  }

  deinit {
    for stream in guarded.streams.values { stream.finish() }
    if let token = guarded.token, guarded.lifecycle.state != .suspended { device?.sessionEnded(token) }
  }

  /// Capabilities of the current device.
  public class var deviceCapabilities: any NIDeviceCapability { NearbyDevice.current?.profile.capabilities ?? [] }

  /// Whether distances can be measured. Deprecated by Apple; equals
  /// `deviceCapabilities.supportsPreciseDistanceMeasurement`.
  public class var isSupported: Bool { deviceCapabilities.supportsPreciseDistanceMeasurement }

  /// Receives the callbacks.
  public weak var delegate: (any NISessionDelegate)? {
    get { core { $0.delegate } }
    set { core { $0.delegate = newValue } }
  }

  /// Queue of the delegate's callbacks; nil is the main queue.
  public var delegateQueue: DispatchQueue? {
    get { core { $0.delegateQueue } }
    set { core { $0.delegateQueue = newValue } }
  }

  /// Identifies this session to its peers: the same after pauses and suspensions; nil once the session is invalidated.
  public var discoveryToken: NIDiscoveryToken? { core { $0.token } }

  /// A copy of what `run` was last given.
  public var configuration: NIConfiguration? { core { $0.configuration?.copy() as? NIConfiguration } }

  /// Not Apple's: state of the session's life cycle.
  public var state: SessionState { core { $0.lifecycle.state } }

  /// Starts, or resumes after a pause, the end of a suspension or a removal. The session starts, is suspended at once,
  /// or ends with an error; the delegate receives which.
  public func run(_ configuration: NIConfiguration) {
    // Calls the AR session's delegate: not under the lock.
    let isARSuitable = core { $0.arSession }?.supportsCameraAssistance
    SessionLock.withLock {
      guarded.configuration = configuration.copy() as? NIConfiguration
      guarded.request = SessionRequest(configuration)
      perform(device?.runOutcome(of: self, isARSuitable: isARSuitable) ?? .refuse(.unsupportedPlatform))
    }
  }

  /// Stops until the next `run`; the token stays valid.
  public func pause() { perform(.pause) }

  /// Ends the session permanently; the peer is notified after `SessionPolicy.peerEndedDelay`. The delegate receives no
  /// callback for it.
  public func invalidate() {
    perform(.invalidate)
    let streams = core { core in
      defer { core.streams = [:] }
      return core.streams.values.map(\.self)
    }
    for stream in streams { stream.finish() }
  }

  /// Shares the app's `ARSession`; before `run`, and only with camera assistance. A later call takes effect at the next
  /// `run`. The app runs it: while it is paused, there are distances only. Without one the device's poses are always
  /// used.
  public func setARSession(_ session: ARSession) {
    session.attach(to: device)
    core { $0.arSession = session }
  }

  /// Position of the object in ARKit's world (y up), without rotation; nil until it is known well enough, and without
  /// camera assistance.
  public func worldTransform(for object: NINearbyObject) -> simd_float4x4? {
    SessionLock.withLock {
      guard guarded.isRunning, guarded.request?.peerToken == object.discoveryToken,
        let position = guarded.worldPosition
      else { return nil }
      return device?.assistance.arWorld?.transform(of: position)
    }
  }

  /// Reports whether the accessory moves, from the next range on; without effect for peers that are no accessory. With
  /// camera assistance a moving accessory is tracked; the estimate of a stationary one improves with every range.
  public func updateMotionState(_ state: NIMotionActivityState, forObjectWithToken token: NIDiscoveryToken) {
    SessionLock.withLock {
      guard guarded.request?.accessory?.accessoryDiscoveryToken == token else { return }
      device?.hint(state, of: self)
    }
  }

  /// Not Apple's: all callbacks of the delegate, as values; ends with the session. Delivery to a stream does not block
  /// the device, so a consumer may lag behind.
  public var events: AsyncStream<Event> {
    AsyncStream { continuation in
      let number: Int? = core { core in
        guard core.lifecycle.state != .invalidated else { return nil }
        core.streams[core.nextStream] = continuation
        core.nextStream += 1
        return core.nextStream - 1
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in self?.core { $0.streams[number] = nil } }
    }
  }

  // MARK: - For the device

  /// Reads or changes the session's state under the lock.
  func core<T>(_ body: (inout SessionCore) -> T) -> T { SessionLock.withLock { body(&guarded) } }

  /// A session's callbacks: the delegate's methods as values. Not Apple's.
  public enum Event: Equatable, Sendable {
    /// `sessionDidStartRunning`.
    case didStartRunning
    /// `session(_:didUpdate:)`.
    case didUpdate([NINearbyObject])
    /// `session(_:didUpdateAlgorithmConvergence:for:)`.
    case didUpdateAlgorithmConvergence(NIAlgorithmConvergence, NINearbyObject?)
    /// `session(_:didGenerateShareableConfigurationData:for:)`.
    case didGenerateShareableConfigurationData(Data, NINearbyObject)
    /// `session(_:didUpdateDLTDOA:)`.
    case didUpdateDLTDOA([NIDLTDOAMeasurement])
    /// `session(_:didRemove:reason:)`.
    case didRemove([NINearbyObject], NINearbyObject.RemovalReason)
    /// `sessionWasSuspended`.
    case wasSuspended
    /// `sessionSuspensionEnded`.
    case suspensionEnded
    /// `session(_:didInvalidateWith:)`.
    case didInvalidate(NIError)

    /// True for callbacks that a session makes only while it runs.
    var needsRunningSession: Bool {
      switch self {
      case .didUpdate, .didUpdateAlgorithmConvergence, .didGenerateShareableConfigurationData, .didUpdateDLTDOA: true
      default: false
      }
    }

    /// Calls the delegate's method: of its own class, or of the class that conforms.
    func notify(_ delegate: any NISessionDelegate, of session: NISession) {
      guard let subclassed = delegate as? any SubclassedSessionDelegate else { return call(delegate, of: session) }
      switch self {
      case .didStartRunning: subclassed.sessionDidStartRunning(session)
      case .didUpdate(let objects): subclassed.session(session, didUpdate: objects)
      case .didUpdateAlgorithmConvergence(let convergence, let object):
        subclassed.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
      case .didGenerateShareableConfigurationData(let data, let object):
        subclassed.session(session, didGenerateShareableConfigurationData: data, for: object)
      case .didUpdateDLTDOA(let measurements): subclassed.session(session, didUpdateDLTDOA: measurements)
      case .didRemove(let objects, let reason): subclassed.session(session, didRemove: objects, reason: reason)
      case .wasSuspended: subclassed.sessionWasSuspended(session)
      case .suspensionEnded: subclassed.sessionSuspensionEnded(session)
      case .didInvalidate(let error): subclassed.session(session, didInvalidateWith: error)
      }
    }

    private func call(_ delegate: any NISessionDelegate, of session: NISession) {
      switch self {
      case .didStartRunning: delegate.sessionDidStartRunning(session)
      case .didUpdate(let objects): delegate.session(session, didUpdate: objects)
      case .didUpdateAlgorithmConvergence(let convergence, let object):
        delegate.session(session, didUpdateAlgorithmConvergence: convergence, for: object)
      case .didGenerateShareableConfigurationData(let data, let object):
        delegate.session(session, didGenerateShareableConfigurationData: data, for: object)
      case .didUpdateDLTDOA(let measurements): delegate.session(session, didUpdateDLTDOA: measurements)
      case .didRemove(let objects, let reason): delegate.session(session, didRemove: objects, reason: reason)
      case .wasSuspended: delegate.sessionWasSuspended(session)
      case .suspensionEnded: delegate.sessionSuspensionEnded(session)
      case .didInvalidate(let error): delegate.session(session, didInvalidateWith: error)
      }
    }
  }
}

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
private enum RefusalChain {
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
