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
  var guarded: SessionCore

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
      return device?.arWorld?.transform(of: position)
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
}
