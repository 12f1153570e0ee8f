import Foundation
import Geometry
import PrecisionFinding
import SensorData

#if !ONE_MODULE
  import ARKit
#endif

/// A phone, watch or tag on which sessions run: sensor events go in, callbacks come out.
///
/// Its clock is the events' clock: callbacks and their order depend on the events alone, at any playback speed. One
/// thread at a time plays a device; sessions may be used from any thread. See `World` for playing several.
public final class NearbyDevice: FrameSource, @unchecked Sendable {
  /// Capabilities and limits of the device.
  public let profile: DeviceProfile
  let rig: RigCalibration
  private let makeFinder: () -> PrecisionFinder

  // Guarded by SessionLock.
  var rules: SessionPolicy
  var sessions: [WeakSession] = []
  var bindings = Bindings()
  var neighbours: [Neighbour] = []
  var peerEndedNotices: [(due: Timestamp?, token: NIDiscoveryToken)] = []
  var isSuspended = false
  var holdingEstimator: HoldingEstimator
  /// How peers are held, from a recording's events.
  var peerHoldings: [String: Holding] = [:]
  var clock: Timestamp?
  var assistance = CameraAssistance()
  /// Device events that the finder receives with the next event.
  var finderEvents: [(name: String, peer: String)] = []
  /// Motion of peers as reported by apps, by peer, until the finder has received it.
  var motionHints: [String: String] = [:]
  /// What its camera says to ARKit; nil without one.
  var camera: DeviceCamera?
  /// The apps' AR sessions that publish this device's poses.
  private var arSessions: [WeakARSession] = []
  /// Refused `run`s in a row.
  var refusals = Refusals()
  private var mailbox = Mailbox()
  /// Whether a callback was made on the main queue. Touched by the player only.
  private(set) var hasCalledOnMainQueue = false
  /// After so many refused `run`s in a row there is no answer any more.
  static let refusalLimit = 100
  /// The finder is kept for so long after the last session that needed it, seconds.
  private static let finderIdleTime = 10.0

  /// Names of peers in the ranges, by what apps know of them.
  struct Bindings {
    var peers: [NIDiscoveryToken: String] = [:]
    var tokens: [String: NIDiscoveryToken] = [:]
    /// By short address.
    var accessories: [[UInt8]: String] = [:]
    var channelSounders: [UUID: String] = [:]
    /// Accessories that are connected by Bluetooth.
    var connected: Set<UUID> = []
  }

  /// What is there while a session asks for camera assistance.
  struct CameraAssistance {
    /// Estimates from radio, camera and motion; nil while no session asks for them.
    var finder: PrecisionFinder?
    var wasNeededAt: Timestamp?
    var arWorld: ARWorld?
    /// Of the session's trajectory.
    var convergence: NIAlgorithmConvergence?
  }

  /// Callbacks to make, after the lock is released.
  private struct Mailbox {
    var messages: [Message] = []
    var isDelivering = false
  }

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
    camera = DeviceCamera(rig)
    rules = policy
    holdingEstimator = HoldingEstimator(rig: rig)
    makeFinder = { PrecisionFinder(rig: rig, configuration: configuration, useOdometry: usesOdometry) }
    CurrentFrameSource.set { NearbyDevice.current }
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
    take(.event(event))
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
    take(.time(time))
    settle()
  }

  /// Ends the input: the finder's reorder buffer is flushed.
  public func finish() {
    take(.end)
    settle()
  }

  /// What a device is played.
  enum Input {
    /// A sensor event.
    case event(TimedEvent)
    /// Nothing up to this time.
    case time(Timestamp)
    /// No more events.
    case end
  }

  /// Processes an input without making callbacks.
  func take(_ input: Input) {
    switch input {
    case .event(let event):
      let (admitted, finder) = SessionLock.withLock { (admit(event), finderInUse()) }
      guard let finder else { return }
      let outputs = admitted.flatMap { finder.process($0) }
      SessionLock.withLock { outputs.forEach(route) }
    case .time(let time): SessionLock.withLock { advanceClock(to: time) }
    case .end:
      guard let finder = SessionLock.withLock({ assistance.finder }) else { return }
      let outputs = finder.finish()
      SessionLock.withLock { outputs.forEach(route) }
    }
  }

  /// What a refuted premise is about and what to do, by the code of its diagnosis, for the device or for one peer's link.
  func explanation(of code: String, peer: String?) -> String? {
    assistance.finder?.diagnoses.first { $0.code == code && [nil, peer].contains($0.peer) }.map {
      "\($0.sentence): \($0.remedy)."
    }
  }

  /// The finder, where a session or an `ARSession` needs it; a new one when the last one has had nothing to do for long.
  private func finderInUse() -> PrecisionFinder? {
    // Without a camera sessions report the radio's measurements.
    guard profile.capabilities.contains(.cameraAssistance) else { return nil }
    if isFinderNeeded {
      assistance.wasNeededAt = clock
      if assistance.finder == nil { assistance.finder = makeFinder() }
    } else if let last = assistance.wasNeededAt, let clock, clock.seconds(since: last) > Self.finderIdleTime {
      assistance = CameraAssistance()
    }
    return assistance.finder
  }

  private var isFinderNeeded: Bool {
    followingARSessions.contains { $0.isRunning }
      || liveSessions.contains {
        $0.core { $0.request?.isCameraAssisted == true && $0.lifecycle.state != .invalidated }
      }
  }

  // MARK: - Callbacks

  /// Makes pending callbacks without advancing the clock. Within a callback it does nothing: the outer call makes them.
  /// What those callbacks lead to waits for the next event.
  public func settle() { _ = makeCallbacks() }

  /// Makes pending callbacks; how many it made.
  func makeCallbacks() -> Int {
    let count = beginDelivering()
    guard count > 0 else { return 0 }
    defer { endDelivering() }
    return MainQueue.whileCalling {
      var made = 0
      for _ in 0..<count {
        guard let delivery = nextMessage()?.delivery() else { continue }
        CallbackQueue.run(on: delivery.queue) { NearbyDevice.with(self, delivery.body) }
        hasCalledOnMainQueue = hasCalledOnMainQueue || CallbackQueue.isMain(delivery.queue)
        made += 1
      }
      return made
    }
  }

  /// The same, without blocking the caller's thread.
  func makeCallbacks() async -> Int {
    let count = beginDelivering()
    guard count > 0 else { return 0 }
    defer { endDelivering() }
    var made = 0
    for _ in 0..<count {
      guard let delivery = nextMessage()?.delivery() else { continue }
      await CallbackQueue.run(on: delivery.queue) { NearbyDevice.with(self, delivery.body) }
      made += 1
    }
    return made
  }

  /// How many messages to deliver now, one `nextMessage` each; none while an outer call delivers.
  private func beginDelivering() -> Int {
    SessionLock.withLock {
      guard !mailbox.isDelivering, !mailbox.messages.isEmpty else { return 0 }
      mailbox.isDelivering = true
      return mailbox.messages.count
    }
  }

  private func endDelivering() { SessionLock.withLock { mailbox.isDelivering = false } }

  private func nextMessage() -> Message? {
    SessionLock.withLock { mailbox.messages.isEmpty ? nil : mailbox.messages.removeFirst() }
  }

  /// Queues a callback for a session's delegate. An app in the background receives no measurements.
  func post(_ event: NISession.Event, from session: NISession) {
    if isSuspended, event.needsRunningSession { return }
    post { session.delivery(of: event) }
  }

  /// Queues a callback.
  func post(_ delivery: @escaping () -> Delivery?) { mailbox.messages.append(Message(delivery: delivery)) }

  /// Counts a refused `run`; how many there were in a row.
  func countRefusal(_ code: NIError.Code) -> Int { refusals.add(code, at: clock, limit: Self.refusalLimit) }

  /// The error of an app that restarts refused sessions without end; once.
  func takeEndlessRestart() -> PlayingError? {
    SessionLock.withLock {
      // After the last callback, which says why there are no more.
      guard refusals.isEndless, mailbox.messages.isEmpty, let code = refusals.first else { return nil }
      refusals = Refusals()
      return .endlessRestart(code)
    }
  }

  @TaskLocal private static var scoped: NearbyDevice?
  nonisolated(unsafe) private static var installed: NearbyDevice?

  /// The device that `NISession()` runs on: in a callback the one that calls, else that of the surrounding `with`, else
  /// the installed one.
  public static var current: NearbyDevice? { scoped ?? SessionLock.withLock { installed } }

  /// Installs a device as the process's own: the only call that an app needs in order to run on it.
  public static func install(_ device: NearbyDevice?) { SessionLock.withLock { installed = device } }

  /// Makes a device the current one within `body`: for several apps in one process.
  public static func with<T>(_ device: NearbyDevice?, _ body: () throws -> T) rethrows -> T {
    try $scoped.withValue(device, operation: body)
  }

  /// The same, for a body that waits.
  public static func with<T>(_ device: NearbyDevice?, _ body: () async throws -> T) async rethrows -> T {
    try await $scoped.withValue(device, operation: body)
  }
}

/// A weak reference to a session.
struct WeakSession {
  weak var session: NISession?
}

/// A weak reference to an AR session.
private struct WeakARSession {
  weak var session: ARSession?
}

/// Another device with sessions of its own.
struct Neighbour {
  /// The device.
  weak var device: NearbyDevice?
  /// Its name in this device's ranges.
  var peer: String
}

/// The apps' AR sessions: they publish the device's poses.
extension NearbyDevice {
  package func attach(_ session: ARSession) {
    SessionLock.withLock {
      arSessions.removeAll { $0.session == nil || $0.session === session }
      arSessions.append(WeakARSession(session: session))
    }
  }

  /// AR sessions that still exist and follow this device, in the order in which they came.
  private var followingARSessions: [ARSession] { arSessions.compactMap(\.session).filter { $0.follows(self) } }

  /// The tracking state of a pose: limited while the session's convergence has been lost, by darkness for instance.
  var trackingState: ARCamera.TrackingState {
    switch assistance.convergence?.status {
    case .converged, nil: .normal
    case .notConverged, .unknown: .limited(.insufficientFeatures)
    }
  }

  /// Queues a frame for every AR session that runs.
  func postFrame(at timestamp: Double, _ camera: ARCamera, meanLuma: Double?) {
    for session in followingARSessions where session.isRunning {
      post {
        guard let news = session.update(at: timestamp, camera: camera, meanLuma: meanLuma),
          let observer = session.delegate
        else { return nil }
        return Delivery(queue: session.delegateQueue) {
          if news.changesTrackingState { observer.session(session, cameraDidChangeTrackingState: news.frame.camera) }
          if !news.removed.isEmpty { observer.session(session, didRemove: news.removed) }
          if !news.added.isEmpty { observer.session(session, didAdd: news.added) }
          observer.session(session, didUpdate: news.frame)
        }
      }
    }
  }

  /// Queues the begin or the end of an interruption.
  func postInterruption(isOver: Bool) {
    for session in followingARSessions where session.isRunning {
      post {
        session.delegate.map { observer in
          Delivery(queue: session.delegateQueue) {
            if isOver { observer.sessionInterruptionEnded(session) } else { observer.sessionWasInterrupted(session) }
          }
        }
      }
    }
  }
}
