import Foundation
import Geometry
import PrecisionFinding
import SensorData

/// A phone, watch or tag on which sessions run: sensor events go in, callbacks come out.
///
/// Its clock is the events' clock: callbacks and their order depend on the events alone, at any playback speed. One
/// thread at a time plays a device; sessions may be used from any thread. See `World` for playing several.
public final class NearbyDevice: @unchecked Sendable {
  /// Capabilities and limits of the device.
  public let profile: DeviceProfile
  let rig: RigCalibration
  private let finder: PrecisionFinder

  // Guarded by SessionLock.
  var rules: SessionPolicy
  var sessions: [WeakSession] = []
  var bindings: [NIDiscoveryToken: String] = [:]
  var placeholderTokens: [String: NIDiscoveryToken] = [:]
  var accessories: [[UInt8]: String] = [:]
  var channelSounders: [UUID: String] = [:]
  var connectedAccessories: Set<UUID> = []
  var neighbours: [Neighbour] = []
  var peerEndedNotices: [(due: Timestamp?, token: NIDiscoveryToken)] = []
  var isSuspended = false
  var holdingEstimator: HoldingEstimator
  /// How peers are held, from a recording's events.
  var peerHoldings: [String: Holding] = [:]
  var clock: Timestamp?
  var arWorld: ARWorld?
  var sessionConvergence: NIAlgorithmConvergence?
  /// Device events that the finder receives with the next event.
  var finderEvents: [(name: String, peer: String)] = []
  /// Motion of peers as reported by apps, by peer, until the finder has received it.
  var motionHints: [String: String] = [:]
  /// Frames for the apps' AR sessions, delivered after the lock is released.
  var frames: [(session: ARSession, frame: ARFrame)] = []
  private var mailbox: [(NISession, NISession.Event)] = []
  private var isDelivering = false

  /// A device.
  ///
  /// - Parameters:
  ///   - profile: its capabilities and limits.
  ///   - rig: its calibration; a device without sensors needs none.
  ///   - usesOdometry: use the trajectory of `odometry` events instead of IMU and camera.
  ///   - policy: limits and time-outs of sessions.
  ///   - configuration: the finder's settings.
  public init(
    profile: DeviceProfile = .phone, rig: RigCalibration = RigCalibration(), usesOdometry: Bool = false,
    policy: SessionPolicy = SessionPolicy(), configuration: FinderConfiguration = FinderConfiguration()
  ) {
    self.profile = profile
    self.rig = rig
    rules = policy
    holdingEstimator = HoldingEstimator(rig: rig)
    finder = PrecisionFinder(rig: rig, configuration: configuration, useOdometry: usesOdometry)
  }

  /// Limits and time-outs of sessions; may change at any time.
  public var policy: SessionPolicy {
    get { SessionLock.withLock { rules } }
    set { SessionLock.withLock { rules = newValue } }
  }

  /// How the device is held; nil before its first accelerometer sample or pose.
  public var holding: Holding? { SessionLock.withLock { holdingEstimator.holding } }

  // MARK: - Playing

  /// Processes one sensor event, in order of arrival, and makes all resulting callbacks.
  public func receive(_ event: TimedEvent) {
    let admitted = SessionLock.withLock { admit(event) }
    let outputs = admitted.flatMap { finder.process($0) }
    SessionLock.withLock { outputs.forEach(route) }
    settle()
  }

  /// Delivers messages of a network's anchors, as received at `time`, to the sessions that listen to this network.
  public func receive(_ measurements: [NIDLTDOAMeasurement], ofNetwork network: Int, at time: Timestamp) {
    SessionLock.withLock {
      advanceClock(to: time)
      guard !measurements.isEmpty else { return }
      for session in liveSessions where session.core({ $0.isRunning && $0.request?.network == network }) {
        post(.didUpdateDLTDOA(measurements), from: session)
      }
    }
    settle()
  }

  /// Advances the clock without an event: time-outs take effect.
  public func advance(to time: Timestamp) {
    SessionLock.withLock { advanceClock(to: time) }
    settle()
  }

  /// Ends the input: the finder's reorder buffer is flushed.
  public func finish() {
    let outputs = finder.finish()
    SessionLock.withLock { outputs.forEach(route) }
    settle()
  }

  /// Makes pending callbacks without advancing the clock. Within a callback it does nothing: the outer call makes them.
  public func settle() {
    let mayDeliver = SessionLock.withLock {
      defer { isDelivering = true }
      return !isDelivering
    }
    guard mayDeliver else { return }
    let frames = SessionLock.withLock {
      defer { self.frames = [] }
      return self.frames
    }
    for (session, frame) in frames where session.update(with: frame) {
      guard let observer = session.delegate else { continue }
      CallbackQueue.run(on: session.delegateQueue) { observer.session(session, didUpdate: frame) }
    }
    while let (session, event) = SessionLock.withLock({ nextMessage() }) { session.deliver(event) }
  }

  private func nextMessage() -> (NISession, NISession.Event)? {
    guard !mailbox.isEmpty else {
      isDelivering = false
      return nil
    }
    return mailbox.removeFirst()
  }

  /// Queues a callback for a session's delegate. An app in the background receives no measurements.
  func post(_ event: NISession.Event, from session: NISession) {
    if isSuspended, event.needsRunningSession { return }
    mailbox.append((session, event))
  }
}

/// A weak reference to a session.
struct WeakSession {
  weak var session: NISession?
}

/// Another device with sessions of its own.
struct Neighbour {
  /// The device.
  weak var device: NearbyDevice?
  /// Its name in this device's ranges.
  var peer: String
}
