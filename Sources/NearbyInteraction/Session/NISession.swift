import Dispatch
import Foundation

/// A session that finds one peer. Names and behaviour are Apple's, see docs/nearby-interaction.md.
///
/// It runs on the device that is current where it is made (`NearbyDevice.current`). Nothing calls back from within a call
/// of the app: callbacks come when the device is played, and at its next moment at the earliest.
public final class NISession: NSObject, @unchecked Sendable {
  /// The device it runs on; nil where there is none: then every `run` ends with `unsupportedPlatform`.
  let device: NearbyDevice?
  /// To be touched under the lock only.
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

  /// What this device can do.
  public class var deviceCapabilities: any NIDeviceCapability { NearbyDevice.current?.profile.capabilities ?? [] }

  /// Whether distances can be measured. Apple has retired it: `deviceCapabilities.supportsPreciseDistanceMeasurement` is the same.
  public class var isSupported: Bool { deviceCapabilities.supportsPreciseDistanceMeasurement }

  /// Who is told; without one nobody is.
  public weak var delegate: (any NISessionDelegate)? {
    get { core { $0.delegate } }
    set { core { $0.delegate = newValue } }
  }

  /// Where the delegate is called; nil is the main queue.
  public var delegateQueue: DispatchQueue? {
    get { core { $0.delegateQueue } }
    set { core { $0.delegateQueue = newValue } }
  }

  /// How peers call this session: the same after pauses and suspensions; nil once the session is over.
  public var discoveryToken: NIDiscoveryToken? { core { $0.token } }

  /// A copy of what `run` was last given.
  public var configuration: NIConfiguration? { core { $0.configuration?.copy() as? NIConfiguration } }

  /// Not Apple's: where the session is in its life.
  public var state: SessionState { core { $0.lifecycle.state } }

  /// Starts, or resumes after a pause, a suspension's end or a removal. The session starts, is suspended at once, or ends
  /// with an error; the delegate hears which.
  public func run(_ configuration: NIConfiguration) {
    // Its delegate is asked: not under the lock.
    let arServes = core { $0.arSession }?.servesCameraAssistance
    SessionLock.withLock {
      guarded.configuration = configuration.copy() as? NIConfiguration
      guarded.request = SessionRequest(configuration)
      perform(device?.verdict(on: self, arServes: arServes) ?? .refuse(.unsupportedPlatform))
    }
  }

  /// Stops until the next `run`; the token stays.
  public func pause() { perform(.pause) }

  /// Ends the session for good; the peer learns it some time after. The delegate hears nothing of what it asked for.
  public func invalidate() {
    perform(.invalidate)
    let streams = core { core in
      defer { core.streams = [:] }
      return core.streams.values.map(\.self)
    }
    for stream in streams { stream.finish() }
  }

  /// Shares the app's `ARSession`; before `run`, and only with camera assistance. Later than that it counts at the next
  /// `run`. The app runs it: while it does not, there are distances only. Without one the device's poses count as they come.
  public func setARSession(_ session: ARSession) { core { $0.arSession = session } }

  /// Where the object is in ARKit's world (y up), as position without rotation; nil until that is known well enough, and
  /// without camera assistance.
  public func worldTransform(for object: NINearbyObject) -> simd_float4x4? {
    SessionLock.withLock {
      guard guarded.isRunning, guarded.request?.peerToken == object.discoveryToken,
        let position = guarded.worldPosition
      else { return nil }
      return device?.arWorld?.transform(of: position)
    }
  }

  /// Tells whether the accessory moves, from the next range on; for accessories only, without effect for other peers. With
  /// camera assistance one that moves is followed, one at rest is known the better the longer it is heard.
  public func updateMotionState(_ state: NIMotionActivityState, forObjectWithToken token: NIDiscoveryToken) {
    SessionLock.withLock {
      guard guarded.request?.accessory?.accessoryDiscoveryToken == token else { return }
      device?.hint(state, of: self)
    }
  }

  /// Not Apple's: everything the delegate is told, as values; ends when the session does. Delivery to a stream does not
  /// hold up the device, so a consumer may be behind.
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
