import Estimator
import Foundation
import Geometry
import Premises
import SensorData

/// Finds peers: sensor events go in, in arrival order; updates come out, in time order.
///
/// Deterministic and without a clock or I/O of its own: the same events give the same outputs. An update at t uses
/// events stamped up to t plus the reorder window (or the next odometry pose), and nothing else.
public final class PrecisionFinder {
  let rig: RigCalibration
  let useOdometry: Bool
  let trajectory: any TrajectoryProvider
  let builder: UpdateBuilder
  var buffer: ReorderBuffer
  var queue: ActionQueue
  var links: [String: PeerLink] = [:]
  /// Motion that peers reported last.
  var reportedMoving: [String: Bool] = [:]
  var zones: [String: ZoneFollower] = [:]
  /// The trajectory that links were last started on, and whether its position was lost then.
  var started: (filter: (any NavigationFilter)?, isPositionLost: Bool) = (nil, false)
  var camera: CameraHealthMonitor
  /// Rolling shutters: those that are stated, nil where every camera's is global; whether the first camera has one that is not, nil once that is known.
  var shutter: (known: RollingShutter?, unstated: RowTimeEstimate?)
  let premises: PremiseMonitor
  /// Events that the premises have not seen: those later than the newest action.
  var unobserved: [SensorEvent] = []
  var session = Convergence(status: .unknown)
  var outputs: [FinderOutput] = []
  var hasEnded = false
  var meter: (any StageMeter)?
  var explanationObserver: (any ExplanationObserver)?
  /// Statistics so far.
  public internal(set) var summary = FinderSummary()

  /// A finder for one device.
  ///
  /// - Parameters:
  ///   - rig: cameras, inertial unit, radio and where they are on the device.
  ///   - configuration: the settings.
  ///   - useOdometry: use the trajectory from `odometry` events instead of IMU and camera.
  ///   - initialState: initialise from this state instead of finding one (`--initialize groundtruth`).
  public init(
    rig: RigCalibration, configuration: FinderConfiguration = FinderConfiguration(), useOdometry: Bool,
    initialState: GroundTruthState? = nil
  ) {
    self.rig = rig
    self.useOdometry = useOdometry
    buffer = ReorderBuffer(window: configuration.reorderWindow)
    camera = CameraHealthMonitor(configuration)
    shutter = useOdometry ? (nil, nil) : (RollingShutter(rig), RowTimeEstimate(rig))
    builder = UpdateBuilder(configuration)
    premises = PremiseMonitor(
      rig: rig, usesOdometry: useOdometry, calibrates: configuration.calibration.online,
      ranging: configuration.ranging)
    if !useOdometry, let imu = rig.imu, let first = rig.cameras.first {
      trajectory = InertialTrajectory(
        imu: imu, camera: first, second: rig.cameras.dropFirst().first, learning: configuration.calibration,
        learnsPixelNoise: configuration.learnsPixelNoise, initialState: initialState)
      queue = ActionQueue(updateInterval: configuration.updateInterval, frameLag: max(-first.timeOffset, 0))
    } else {
      queue = ActionQueue(updateInterval: configuration.updateInterval, frameLag: 0)
      trajectory = OdometryTrajectory(
        rig.odometry ?? OdometryCalibration(), driftScale: configuration.odometryDriftScale)
    }
  }

  var configuration: FinderConfiguration { builder.configuration }

  /// Premises that the data refute and errors that were handled, in the order in which they were found.
  public var diagnoses: [Diagnosis] { premises.verdict.diagnoses }

  /// The online calibration of the first camera so far; nil without it, or without a trajectory.
  public var calibration: CalibrationEstimate? { trajectory.calibration }

  /// Reports every stage to `meter` from now on.
  package func attach(_ meter: any StageMeter) {
    self.meter = meter
    trajectory.attach(meter)
  }

  /// Reports the inertial filter's input to `observer` from now on.
  package func attach(_ observer: any FrameObserver) { trajectory.attach(observer) }

  /// Explains updates to `observer` from now on.
  package func attach(_ observer: any ExplanationObserver) { explanationObserver = observer }

  /// Processes one event, in arrival order, and returns the outputs that are due.
  public func process(_ event: TimedEvent) -> [FinderOutput] {
    switch buffer.insert(event) {
    case .held: break
    case .late: recordLate(event)
    case .duplicate, .notFinite: summary.unusableEvents += 1
    }
    buffer.release().forEach(admit)
    return zoned(drain())
  }

  private func recordLate(_ event: TimedEvent) {
    summary.lateEvents += 1
    guard case .range(let range) = event.event else { return }
    summary.lateRanges += 1
    summary.latestRange = max(summary.latestRange, buffer.clock.seconds(since: range.timestamp))
  }

  /// Ends the input and returns the outputs that were held back for late data.
  public func finish() -> [FinderOutput] {
    buffer.flush().forEach(admit)
    for frame in shutter.known?.flush(gyroscopeBias: gyroscopeBias) ?? [] { take(.frame(frame)) }
    hasEnded = true
    defer { observePremises(through: nil) }
    return zoned(drain())
  }
}

/// Publishes the updates of peers and of the session.
extension PrecisionFinder {
  func openLink(_ range: RangeMeasurement) -> PeerLink {
    let peer = range.peer
    var configuration = configuration.stating(rig.radio?.mobility[peer])
    configuration.ranging = configuration.ranging.stating(rig.radio)
    let link = PeerLink(
      peer: peer, configuration: configuration, antennas: (rig.radio?.antennas ?? ["": .zero]).keys.sorted(),
      statedNoise: rig.radio?.rangeNoise ?? range.standardDeviation, bodyFromDevice: rig.bodyFromDevice,
      rangeFilter: rig.radio?.rangeFilter, outputs: OutputHysteresis(builder.rules))
    links[peer] = link
    if let isMoving = reportedMoving[peer] { link.setReportedMotion(isMoving) }
    return link
  }

  func publish(_ peer: String, at time: Timestamp, onPath: Bool, report: RangeReport? = nil) {
    guard let link = links[peer] else { return }
    let isBlind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let (update, objections) = meter.measure(.readout) {
      builder.build(
        link, at: time, filter: onPath ? trajectory.filter : nil,
        bodyFromDevice: rig.bodyFromDevice, report: report, blindness: isBlind ? camera.word(at: time) : nil,
        premises: (premises.verdict.refuted(for: peer), premises.verdict.openPremise(for: peer)),
        lever: rig.leverArm(of: link.record.lastRange?.antenna))
    }
    summary.recordUpdate(update, link: link)
    outputs.append(.update(update))
    if let explanationObserver, explanationObserver.wants(peer, at: time) {
      explanationObserver.observe(
        Explanation(
          update, link, filter: onPath ? trajectory.filter : nil, bodyFromDevice: rig.bodyFromDevice,
          blindness: isBlind ? camera.word(at: time) : nil, objections, builder.rules))
    }
  }

  /// The session's own convergence: whether there is a trajectory and whether the camera carries it.
  ///
  /// - Parameter onPath: whether the trajectory reaches `time`. Without it, or with a lost position, the status is
  ///   unknown.
  func updateSession(at time: Timestamp, onPath: Bool) {
    summary.waitingFor = trajectory.waitingFor
    let isBlind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let hasTrajectory = onPath && trajectory.filter?.isPositionLost == false
    let refuted = premises.verdict.refuted(for: nil)
    let now = builder.rules.session(hasTrajectory: hasTrajectory, isBlind: isBlind, isRefuted: !refuted.isEmpty)
    guard now != session else { return }
    session = now
    var details: [String: NearbyUpdate.Detail] = [:]
    if isBlind { details["camera"] = .text(camera.word(at: time)) }
    if !hasTrajectory { details["waitingFor"] = .text(trajectory.waitingFor ?? (onPath ? "way" : trajectory.source)) }
    if !refuted.isEmpty { details["findings"] = .obstacles(refuted.map { .init(code: $0.code) }) }
    let guidance = now.guidance(found: isBlind ? [camera.word(at: time)].compactMap(PublicationObstacle.init) : [])
    outputs.append(
      .session(SessionUpdate(timestamp: time, convergence: now, guidance: guidance, details: details)))
  }
}

/// What the finder emits as data come in, in time order.
public enum FinderOutput: Equatable, Sendable {
  /// A peer's update.
  case update(NearbyUpdate)
  /// The session's own convergence (lighting, tracking) changed.
  case session(SessionUpdate)
  /// The body's pose in the estimate's world and how well it is known, one per frame or odometry row.
  case pose(Timestamp, worldFromBody: Pose, covariance: PoseCovariance)
}

/// A change of the session's own convergence.
public struct SessionUpdate: Equatable, Sendable {
  /// When the change occurred.
  public var timestamp: Timestamp
  /// The session's convergence.
  public var convergence: Convergence
  /// What the user should do now.
  public var guidance: String?
  /// Further details, as in `NearbyUpdate.details`.
  public var details: [String: NearbyUpdate.Detail]

  /// A change from its parts.
  public init(
    timestamp: Timestamp, convergence: Convergence, guidance: String? = nil,
    details: [String: NearbyUpdate.Detail] = [:]
  ) {
    self.timestamp = timestamp
    self.convergence = convergence
    self.guidance = guidance
    self.details = details
  }
}

/// Statistics of a finder at the end of a run.
public struct FinderSummary: Equatable, Sendable {
  /// Statistics of one peer.
  public struct Peer: Equatable, Sendable {
    /// Ranges that reached the estimator.
    public var rangesUsed = 0
    /// Ranges that a gate rejected.
    public var rangesRejected = 0
    /// When a horizontal angle was first published.
    public var firstAngle: Timestamp?
    /// When the peer first converged.
    public var firstConverged: Timestamp?
    /// The last update.
    public var last: NearbyUpdate?

    /// Nothing yet.
    public init() {}
  }

  /// Per peer.
  public var peers: [String: Peer] = [:]
  /// Events that came later than the reorder window allows and could not be used.
  public var lateEvents = 0
  /// Ranges among them.
  public var lateRanges = 0
  /// How late the latest of these ranges arrived, seconds: the `reorderWindow` it would have needed.
  public var latestRange = 0.0
  /// Duplicate events, and events with NaN or infinite numbers.
  public var unusableEvents = 0
  /// Camera frames that reached the estimator.
  public var framesUsed = 0
  /// Camera frames that could not be used (before the trajectory started, out of order).
  public var framesDropped = 0
  /// Feature tracks that a gate rejected, or that do not stand still in the room.
  public var tracksRejected = 0
  /// How often the trajectory restarted, or its position was lost in the dark.
  public var restarts = 0
  /// When the trajectory started; nil when it never did.
  public var trajectoryBegan: Timestamp?
  /// When each of its worlds began, in time order: the first with the trajectory, a further one where the trajectory
  /// restarted. Positions in one world say nothing about those in another.
  public var worlds: [Timestamp] = []
  /// Why the trajectory has not started, a machine-readable word; nil once it has.
  public var waitingFor: String?

  /// Nothing yet.
  public init() {}
}

extension FinderSummary {
  mutating func recordUpdate(_ update: NearbyUpdate, link: PeerLink) {
    var peer = peers[update.object.peer] ?? Peer()
    peer.rangesUsed = link.record.used
    peer.rangesRejected = link.record.rejected
    if peer.firstAngle == nil, update.object.horizontalAngle != nil { peer.firstAngle = update.timestamp }
    if peer.firstConverged == nil, update.convergence.status == .converged { peer.firstConverged = update.timestamp }
    peer.last = update
    peers[update.object.peer] = peer
  }
}
