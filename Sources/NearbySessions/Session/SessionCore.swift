import Dispatch
import Foundation
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

/// State of a session's life cycle.
public enum SessionState: String, CaseIterable, Sendable {
  /// Never run.
  case idle
  /// Ranging, or waiting for the peer's first range.
  case running
  /// Paused by the app.
  case paused
  /// Suspended by the system: the app is in the background, or the resources are not available.
  case suspended
  /// The suspension is over; the app has not run the session again yet.
  case resumable
  /// The peer was removed; the app may run the session again.
  case inactive
  /// Ended permanently.
  case invalidated
}

/// The one lock of all sessions and devices in the process.
///
/// Paired devices read each other's sessions; a single lock rules out lock-order inversion. It guards small state only:
/// no estimate is computed and no callback is made while it is held.
enum SessionLock {
  private static let lock = NSRecursiveLock()

  static func withLock<T>(_ body: () throws -> T) rethrows -> T {
    lock.lock()
    defer { lock.unlock() }
    return try body()
  }
}

/// Life cycle of a session as a pure state machine: the table in docs/nearby-interaction.md, cell by cell.
package struct SessionLifecycle: Equatable, Sendable {
  /// Life-cycle events.
  package enum Event: Hashable, Sendable {
    /// `run`, accepted.
    case start
    /// `run`, but the resources are not available now.
    case startLater
    /// `run`, rejected.
    case refuse(NIError.Code)
    /// `pause`.
    case pause
    /// `invalidate`.
    case invalidate
    /// The system withdraws the resources.
    case suspend
    /// The system returns them.
    case suspensionEnds
    /// The peer is lost.
    case lose(NINearbyObject.RemovalReason)
    /// An error ends the session while it is active.
    case fail(NIError.Code)
  }

  /// Effects of an event, in this order.
  package enum Effect: Hashable, Sendable {
    /// `sessionDidStartRunning`.
    case didStartRunning
    /// `sessionWasSuspended`.
    case wasSuspended
    /// `sessionSuspensionEnded`.
    case suspensionEnded
    /// `session(_:didRemove:reason:)`.
    case didRemove(NINearbyObject.RemovalReason)
    /// `session(_:didInvalidateWith:)`.
    case didInvalidate(NIError.Code)
    /// The token becomes invalid, and the peer is notified later.
    case tokenDies
  }

  /// The current state.
  package private(set) var state: SessionState

  package init(state: SessionState = .idle) { self.state = state }

  /// Handles an event; an invalidated session stays invalidated.
  package mutating func handle(_ event: Event) -> [Effect] {
    let (next, effects) = Self.transition(from: state, on: event)
    state = next
    return effects
  }

  private static func transition(from state: SessionState, on event: Event) -> (SessionState, [Effect]) {
    switch (state, event) {
    // An invalidated session responds to `run` only.
    case (.invalidated, .start), (.invalidated, .startLater), (.invalidated, .refuse):
      (.invalidated, [.didInvalidate(.sessionFailed)])
    case (.invalidated, _): (.invalidated, [])

    case (_, .start): (.running, [.didStartRunning])
    // Reported once: a `run` before the suspension's end changes nothing.
    case (.suspended, .startLater): (.suspended, [])
    case (_, .startLater): (.suspended, [.wasSuspended])
    case (_, .refuse(let code)): (.invalidated, [.didInvalidate(code), .tokenDies])
    case (_, .invalidate): (.invalidated, [.tokenDies])

    case (.running, .pause), (.suspended, .pause), (.resumable, .pause): (.paused, [])
    case (_, .pause): (state, [])

    // Only a session with resources can be suspended; a resumable one receives the next suspension, too.
    case (.running, .suspend), (.resumable, .suspend): (.suspended, [.wasSuspended])
    case (_, .suspend): (state, [])
    case (.suspended, .suspensionEnds): (.resumable, [.suspensionEnded])
    case (_, .suspensionEnds): (state, [])

    case (.running, .lose(let reason)): (.inactive, [.didRemove(reason)])
    case (_, .lose): (state, [])

    case (.running, .fail(let code)), (.suspended, .fail(let code)):
      (.invalidated, [.didInvalidate(code), .tokenDies])
    case (_, .fail): (state, [])
    }
  }
}

/// Converts estimates to `NINearbyObject`s: which reason withholds which output, and whether a device of this profile
/// publishes a direction.
package struct ObjectPresenter: Sendable {
  private let profile: DeviceProfile
  /// Whether the peer was once inside the cone. From then on camera assistance publishes directions outside it, too.
  private var wasInCone = false

  /// A presenter for one peer on a device of this kind.
  package init(profile: DeviceProfile) { self.profile = profile }

  /// An estimate as an object, with camera assistance.
  package mutating func object(_ update: NearbyUpdate, token: NIDiscoveryToken) -> NINearbyObject {
    let object = update.object
    let withholds = update.convergence.reasons.contains(where: Self.withholdsAngle)
    if let direction = object.direction, isInCone(direction) { wasInCone = true }
    let publishesDirection = wasInCone && profile.capabilities.contains(.direction)
    return NINearbyObject(
      discoveryToken: token, distance: object.distance.map { Float($0) },
      direction: publishesDirection ? object.direction.map { simd_float3($0) } : nil,
      horizontalAngle: withholds ? nil : object.horizontalAngle.map { Float($0.value) },
      verticalDirectionEstimate: withholds ? .unknown : Self.apple(object.verticalDirectionEstimate),
      estimate: update)
  }

  /// An estimate as an object for an app whose own `ARSession` does not run: the distance only.
  package func distance(_ update: NearbyUpdate, token: NIDiscoveryToken) -> NINearbyObject {
    NINearbyObject(discoveryToken: token, distance: update.object.distance.map { Float($0) })
  }

  /// The peer's position in the estimator's world; nil while a reason withholds it. An unknown height withholds the
  /// position, but not the horizontal angle.
  package func worldPosition(_ update: NearbyUpdate) -> Vector3? {
    let reasons = update.convergence.reasons
    guard !reasons.contains(where: { Self.withholdsAngle($0) || $0 == .insufficientVerticalSweep }) else { return nil }
    return update.object.worldPosition?.position
  }

  /// A range as an object, without camera assistance: what the radio measured, after `DeviceProfile.measured`.
  package func object(_ range: RangeMeasurement, token: NIDiscoveryToken) -> NINearbyObject {
    var direction: Vector3?
    if let azimuth = range.azimuth, let elevation = range.elevation {
      direction = Vector3(sin(azimuth) * cos(elevation), sin(elevation), -cos(azimuth) * cos(elevation))
    }
    return NINearbyObject(
      discoveryToken: token, distance: Float(range.range), direction: direction.map { simd_float3($0) })
  }

  private func isInCone(_ direction: Vector3) -> Bool { -direction.z >= cos(profile.directionConeHalfAngle) }

  private static func withholdsAngle(_ reason: Convergence.Reason) -> Bool {
    switch reason {
    case .insufficientMovement, .insufficientHorizontalSweep, .insufficientLighting: true
    case .insufficientVerticalSweep, .insufficientSignalStrength: false
    }
  }

  private static func apple(_ estimate: PrecisionFinding.VerticalDirectionEstimate)
    -> NINearbyObject.VerticalDirectionEstimate
  {
    NINearbyObject.VerticalDirectionEstimate(rawValue: estimate.rawValue) ?? .unknown
  }
}
