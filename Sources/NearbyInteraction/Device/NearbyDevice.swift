import Foundation
import Geometry
import PrecisionFinding
import SensorData

/// A phone, watch or tag on which sessions run: sensor events go in, callbacks come out.
///
/// Its clock is the events' clock: what comes when depends on them alone, however fast they are played. One thread at a
/// time plays a device; sessions may be used from any. See `World` for playing several.
public final class NearbyDevice: @unchecked Sendable {
  /// What kind of device it is.
  public let profile: DeviceProfile
  let rig: RigCalibration
  private let finder: PrecisionFinder

  // Guarded by SessionLock.
  var rules: SessionPolicy
  var sessions: [WeakSession] = []
  var bindings: [NIDiscoveryToken: String] = [:]
  var standIns: [String: NIDiscoveryToken] = [:]
  var accessories: [[UInt8]: String] = [:]
  var channelSounders: [UUID: String] = [:]
  var connectedAccessories: Set<UUID> = []
  var neighbours: [Neighbour] = []
  var notices: [(due: Timestamp?, token: NIDiscoveryToken)] = []
  var isSuspended = false
  var sense: HoldingSense
  /// How peers are held, where a recording says so.
  var peerHoldings: [String: Holding] = [:]
  var clock: Timestamp?
  var arWorld: ARWorld?
  var sessionConvergence: NIAlgorithmConvergence?
  /// For the finder, at the next moment.
  var injected: [(name: String, peer: String)] = []
  /// What apps said of peers' motion, by peer, until the finder has heard it.
  var motionHints: [String: String] = [:]
  /// For the apps' AR sessions, once the lock is free.
  var frames: [(session: ARSession, frame: ARFrame)] = []
  private var mailbox: [(NISession, NISession.Event)] = []
  private var isDelivering = false

  /// A device.
  ///
  /// - Parameters:
  ///   - profile: what it can do.
  ///   - rig: its calibration; a device without sensors of its own needs none.
  ///   - usesOdometry: take the trajectory from `odometry` events instead of IMU and camera.
  ///   - policy: what the system grants to sessions.
  ///   - configuration: the finder's settings.
  public init(
    profile: DeviceProfile = .phone, rig: RigCalibration = RigCalibration(), usesOdometry: Bool = false,
    policy: SessionPolicy = SessionPolicy(), configuration: FinderConfiguration = FinderConfiguration()
  ) {
    self.profile = profile
    self.rig = rig
    rules = policy
    sense = HoldingSense(rig: rig)
    finder = PrecisionFinder(rig: rig, configuration: configuration, useOdometry: usesOdometry)
  }

  /// What the system grants; may change at any time.
  public var policy: SessionPolicy {
    get { SessionLock.withLock { rules } }
    set { SessionLock.withLock { rules = newValue } }
  }

  /// How the device is held; nil before its sensors have said so.
  public var holding: Holding? { SessionLock.withLock { sense.holding } }

  // MARK: - Playing

  /// Takes one sensor event, in order of arrival, and makes all callbacks that follow.
  public func receive(_ event: TimedEvent) {
    let admitted = SessionLock.withLock { admit(event) }
    let outputs = admitted.flatMap { finder.process($0) }
    SessionLock.withLock { outputs.forEach(route) }
    settle()
  }

  /// Takes messages of a network's anchors, as received at `time`: sessions that listen to this network are told.
  public func receive(_ measurements: [NIDLTDOAMeasurement], ofNetwork network: Int, at time: Timestamp) {
    SessionLock.withLock {
      pass(to: time)
      guard !measurements.isEmpty else { return }
      for session in living where session.core({ $0.isRunning && $0.request?.network == network }) {
        post(.didUpdateDLTDOA(measurements), from: session)
      }
    }
    settle()
  }

  /// Lets time pass without an event: what waits for a time-out gets it.
  public func advance(to time: Timestamp) {
    SessionLock.withLock { pass(to: time) }
    settle()
  }

  /// Ends the input: what was held back for late data is told.
  public func finish() {
    let outputs = finder.finish()
    SessionLock.withLock { outputs.forEach(route) }
    settle()
  }

  /// Makes the callbacks that wait, without letting time pass. Within a callback it does nothing: the callback's own turn
  /// makes them.
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
    for (session, frame) in frames where session.take(frame) {
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

  /// Leaves a message for a session's delegate. An app in the background hears nothing of what is measured.
  func post(_ event: NISession.Event, from session: NISession) {
    if isSuspended, event.needsRunningSession { return }
    mailbox.append((session, event))
  }
}

/// A session, as long as its app keeps it.
struct WeakSession {
  weak var session: NISession?
}

/// Another device that has sessions of its own.
struct Neighbour {
  /// The device.
  weak var device: NearbyDevice?
  /// What it is called in our ranges.
  var peer: String
}
