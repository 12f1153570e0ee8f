import Dispatch
import Geometry
import PrecisionFinding
import SensorData

/// Mutable state of a session; guarded by `SessionLock`.
struct SessionCore {
  var lifecycle = SessionLifecycle()
  /// Nil once the session is over.
  var token: NIDiscoveryToken?
  /// A copy of what `run` was given.
  var configuration: NIConfiguration?
  /// The same, in the form that the device uses.
  var request: SessionRequest?
  /// The AR session that the app shares.
  var arSession: ARSession?
  weak var delegate: (any NISessionDelegate)?
  var delegateQueue: DispatchQueue?
  /// Time of the start; nil until the device's clock is known.
  var startedAt: Timestamp?
  /// Time of the suspension.
  var suspendedAt: Timestamp?
  /// Time of the peer's last range, or of the session's start.
  var lastRangeAt: Timestamp?
  /// Whether the accessory was configured and started.
  var accessoryRanges = false
  var presenter: ObjectPresenter
  /// The last reported convergence of the peer, and of the session.
  var reportedConvergence: NIAlgorithmConvergence?
  var reportedSessionConvergence: NIAlgorithmConvergence?
  /// The peer's position in the estimator's world; nil while it is withheld.
  var worldPosition: Vector3?
  var streams: [Int: AsyncStream<NISession.Event>.Continuation] = [:]
  var nextStream = 0

  var isRunning: Bool { lifecycle.state == .running }
  /// Active sessions count against the device's limit.
  var isActive: Bool { isRunning || lifecycle.state == .suspended }

  /// Resets what an earlier run reported.
  mutating func reset(at clock: Timestamp?, profile: DeviceProfile) {
    (startedAt, lastRangeAt, suspendedAt) = (clock, clock, nil)
    accessoryRanges = false
    presenter = ObjectPresenter(profile: profile)
    (reportedConvergence, reportedSessionConvergence, worldPosition) = (nil, nil, nil)
  }
}
