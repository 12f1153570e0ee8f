import Dispatch
import Geometry
import PrecisionFinding
import SensorData

/// All that changes in a session; guarded by `SessionLock`.
struct SessionCore {
  var lifecycle = SessionLifecycle()
  /// Nil once the session is over.
  var token: NIDiscoveryToken?
  /// A copy of what `run` was given.
  var configuration: NIConfiguration?
  /// The same, in the device's form.
  var request: SessionRequest?
  /// Shared by the app.
  var arSession: ARSession?
  weak var delegate: (any NISessionDelegate)?
  var delegateQueue: DispatchQueue?
  /// When it began to run; nil until the device's clock is known.
  var startedAt: Timestamp?
  /// When it was suspended.
  var suspendedAt: Timestamp?
  /// When the peer was last heard, or the session began to listen.
  var lastHeard: Timestamp?
  /// Whether the accessory was told to range with us.
  var accessoryRanges = false
  var presenter: ObjectPresenter
  /// What was last told of the peer's convergence, and of the session's.
  var toldConvergence: NIAlgorithmConvergence?
  var toldSessionConvergence: NIAlgorithmConvergence?
  /// The peer's place in the estimate's world; nil while it is withheld.
  var worldPosition: Vector3?
  var streams: [Int: AsyncStream<NISession.Event>.Continuation] = [:]
  var nextStream = 0

  var isRunning: Bool { lifecycle.state == .running }
  /// Active sessions count against the device's limit.
  var isActive: Bool { isRunning || lifecycle.state == .suspended }

  /// Forgets what an earlier run has told.
  mutating func begin(at clock: Timestamp?, profile: DeviceProfile) {
    (startedAt, lastHeard, suspendedAt) = (clock, clock, nil)
    accessoryRanges = false
    presenter = ObjectPresenter(profile: profile)
    (toldConvergence, toldSessionConvergence, worldPosition) = (nil, nil, nil)
  }
}
