import Estimator
import Foundation
import Geometry
import SensorData

/// Finds peers: sensor events go in, in arrival order; updates come out, in time order.
///
/// Deterministic and without a clock or I/O of its own: the same events give the same outputs. An update at t uses events
/// stamped up to t plus the reorder window (or the next odometry pose), and nothing else.
public final class PrecisionFinder {
  /// Something to be done at its time, once the motion up to then is known.
  private enum Action {
    case frame(CameraFrame, at: Timestamp)
    case range(RangeMeasurement)
    case device(DeviceEvent)
    case pose(Timestamp)
    case tick(Timestamp)

    var time: Timestamp {
      switch self {
      case .frame(_, let time): time
      case .range(let range): range.timestamp
      case .device(let event): event.timestamp
      case .pose(let time), .tick(let time): time
      }
    }
  }

  private let rig: RigCalibration
  private let configuration: FinderConfiguration
  private let useOdometry: Bool
  private let trajectory: any TrajectoryMaker
  /// How much later than they were taken frames are stamped, seconds.
  private let frameLag: Double
  private let composer: UpdateComposer
  private var buffer: ReorderBuffer
  private var actions: [Action] = []
  private var clock = Timestamp(nanoseconds: .min)
  private var nextTick: Timestamp?
  private var links: [String: PeerLink] = [:]
  private var presenters: [String: PeerPresenter] = [:]
  private var followed: (any NavigationFilter)?
  private var camera: CameraWatch
  private var session = Convergence(status: .unknown)
  private var outputs: [FinderOutput] = []
  private var hasEnded = false
  private var meter: (any StageMeter)?
  private var updateWitness: (any UpdateWitness)?
  /// What happened so far.
  public private(set) var summary = FinderSummary()

  /// A finder for one device.
  ///
  /// - Parameters:
  ///   - useOdometry: take the trajectory from `odometry` events instead of IMU and camera.
  ///   - initialState: start from this state instead of finding one (`--initialize groundtruth`).
  public init(
    rig: RigCalibration, configuration: FinderConfiguration = FinderConfiguration(), useOdometry: Bool,
    initialState: GroundTruthState? = nil
  ) {
    self.rig = rig
    self.configuration = configuration
    self.useOdometry = useOdometry
    buffer = ReorderBuffer(window: configuration.reorderWindow)
    camera = CameraWatch(configuration)
    composer = UpdateComposer(configuration)
    if !useOdometry, let imu = rig.imu, let first = rig.cameras.first {
      trajectory = InertialTrajectory(
        imu: imu, camera: first, second: rig.cameras.dropFirst().first, initialState: initialState)
      frameLag = max(-first.timeOffset, 0)
    } else {
      frameLag = 0
      trajectory = OdometryTrajectory(rig.odometry ?? OdometryCalibration())
    }
  }

  /// Tells `meter` of every stage from now on.
  package func attach(_ meter: any StageMeter) {
    self.meter = meter
    trajectory.attach(meter)
  }

  /// Tells `witness` of everything that goes into the inertial filter from now on.
  package func attach(_ witness: any FrameWitness) { trajectory.attach(witness) }

  /// Explains updates to `witness` from now on.
  package func attach(_ witness: any UpdateWitness) { updateWitness = witness }

  /// Takes one event, in arrival order, and returns what can be said now.
  public func process(_ event: TimedEvent) -> [FinderOutput] {
    switch buffer.insert(event) {
    case .held: break
    case .late: summary.lateEvents += 1
    case .duplicate, .notFinite: summary.unusableEvents += 1
    }
    buffer.release().forEach(admit)
    return drain()
  }

  /// Ends the input and returns what was still held back for late data.
  public func finish() -> [FinderOutput] {
    buffer.flush().forEach(admit)
    hasEnded = true
    return drain()
  }

  // MARK: - From events to actions

  private func admit(_ event: SensorEvent) {
    queueTicks(before: event.timestamp)
    clock = event.timestamp
    switch event {
    case .imu: trajectory.append(event)
    case .odometry:
      trajectory.append(event)
      if useOdometry { insert(.pose(event.timestamp)) }
    case .frame(let frame):
      if !useOdometry { insert(.frame(frame, at: event.timestamp.advanced(bySeconds: timeOffset(frame)))) }
    case .device(let event): insert(.device(event))
    case .range(let range):
      if nextTick == nil { nextTick = firstTick(after: range.timestamp) }
      insert(.range(range))
    }
  }

  private func timeOffset(_ frame: CameraFrame) -> Double {
    rig.cameras.indices.contains(frame.camera) ? rig.cameras[frame.camera].timeOffset : 0
  }

  /// Puts an action in its place: a frame whose camera's clock is behind stands after ranges that are stamped later.
  private func insert(_ action: Action) {
    var position = actions.count
    while position > 0, actions[position - 1].time > action.time { position -= 1 }
    actions.insert(action, at: position)
  }

  private var interval: Int64 { max(Int64((configuration.updateInterval * 1e9).rounded()), 1_000_000) }

  private func firstTick(after time: Timestamp) -> Timestamp {
    let remainder = time.nanoseconds % interval
    return time.advanced(byNanoseconds: remainder > 0 ? interval - remainder : -remainder)
  }

  private func queueTicks(before time: Timestamp) {
    // Nobody looks at a screen through ten silent minutes: then the ticks go on with the next event.
    if let tick = nextTick, time.seconds(since: tick) > 600 { nextTick = firstTick(after: time) }
    while let tick = nextTick, tick < time {
      insert(.tick(tick))
      nextTick = tick.advanced(byNanoseconds: interval)
    }
  }

  // MARK: - From actions to outputs

  private func drain() -> [FinderOutput] {
    outputs.removeAll(keepingCapacity: true)
    var done = 0
    while done < actions.count, hasEnded || isDue(actions[done].time) {
      perform(actions[done])
      done += 1
    }
    actions.removeFirst(done)
    return outputs
  }

  /// Motion that does not come for half a second is not waited for: then there is a distance and no more. But a frame whose
  /// camera's clock is ahead is stamped later than it was taken: until it can no longer come, the filter must not move on.
  private func isDue(_ time: Timestamp) -> Bool {
    let waited = clock.seconds(since: time) - frameLag
    return waited >= 0 && (trajectory.covers(time) || waited > 0.5)
  }

  private func perform(_ action: Action) {
    switch action {
    case .frame(let frame, let time): meter.measure(.frame) { work(frame, at: time) }
    case .range(let range): meter.measure(.range) { work(range) }
    case .device(let event): work(event)
    case .pose(let time): meter.measure(.pose) { say(poseAt: time) }
    case .tick(let time): meter.measure(.tick) { publishAll(at: time) }
    }
  }

  private func say(poseAt time: Timestamp) {
    if advance(to: time) { outputs.append(trajectory.filter!.bodyPose) }
  }

  private func publishAll(at time: Timestamp) {
    let onPath = advance(to: time) || standsAtEnd(time)
    for peer in links.keys.sorted() { publish(peer, at: time, onPath: onPath) }
    judgeSession(at: time)
  }

  private func advance(to time: Timestamp) -> Bool {
    guard let filter = trajectory.filter else { return false }
    return meter.measure(.propagation) { filter.advance(to: time) }
  }

  /// The last pose still stands for a moment when the recording ends before the motion of its last instants is known.
  private func standsAtEnd(_ time: Timestamp) -> Bool {
    guard hasEnded, let filter = trajectory.filter else { return false }
    return time >= filter.time && time.seconds(since: filter.time) <= 0.2
  }

  private func work(_ frame: CameraFrame, at time: Timestamp) {
    camera.update(frame)
    let before = trajectory.filter
    defer { follow(from: before) }
    guard let outcome = meter.measure(.visualUpdate, { trajectory.process(frame) }) else {
      summary.framesDropped += 1
      return
    }
    summary.framesUsed += 1
    summary.tracksRejected += outcome.tracksRejected
    if let filter = trajectory.filter { outputs.append(filter.bodyPose) }
    judgeSession(at: time)
  }

  private func work(_ range: RangeMeasurement) {
    let link = links[range.peer] ?? open(range)
    let onPath = advance(to: range.timestamp)
    if onPath { follow(from: nil) }
    if onPath, let antenna = rig.radio?.position(of: range.antenna) ?? (range.antenna == nil ? .zero : nil) {
      meter.measure(link.isTracked ? .trackedRange : .hypotheses) {
        link.take(range, antenna: antenna, filter: trajectory.filter!)
      }
    } else {
      link.keep(range)
    }
    publish(range.peer, at: range.timestamp, onPath: onPath || standsAtEnd(range.timestamp), report: link.record.report)
  }

  private func work(_ event: DeviceEvent) {
    if event.name == "peerEnded", let peer = event.peer, let link = links.removeValue(forKey: peer) {
      if let filter = trajectory.filter { link.detach(from: filter) }
      presenters[peer] = nil
    }
    // A peer that says itself whether it moves is believed.
    if let peer = event.peer, let link = links[peer] {
      if event.name == "moving" { link.hear(moves: true, filter: trajectory.filter) }
      if event.name == "stationary" { link.hear(moves: false, filter: trajectory.filter) }
    }
  }

  /// Follows the trajectory through its beginning and its restarts: peers leave a filter that is given up, and ranges from
  /// before the first pose are used at it.
  private func follow(from old: (any NavigationFilter)?) {
    let now = trajectory.filter
    if let old, old !== now {
      for peer in links.keys.sorted() { links[peer]!.detach(from: old) }
      summary.restarts += 1
    }
    guard let now, now !== followed else { return }
    followed = now
    if summary.trajectoryBegan == nil { summary.trajectoryBegan = now.time }
    for peer in links.keys.sorted() {
      links[peer]!.begin(on: now, antenna: { self.rig.radio?.position(of: $0) ?? .zero })
    }
  }

  private func open(_ range: RangeMeasurement) -> PeerLink {
    let peer = range.peer
    let link = PeerLink(
      peer: peer, configuration: configuration, antennas: (rig.radio?.antennas ?? ["": .zero]).keys.sorted(),
      statedNoise: rig.radio?.rangeNoise ?? range.standardDeviation, bodyFromDevice: rig.bodyFromDevice)
    links[peer] = link
    presenters[peer] = PeerPresenter(configuration)
    return link
  }

  private func publish(_ peer: String, at time: Timestamp, onPath: Bool, report: RangeReport? = nil) {
    guard let link = links[peer] else { return }
    let blind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let update = meter.measure(.readout) {
      composer.compose(
        link, &presenters[peer]!, at: time, filter: onPath ? trajectory.filter : nil,
        bodyFromDevice: rig.bodyFromDevice, report: report, blindness: blind ? camera.word(at: time) : nil)
    }
    summary.note(update, link: link)
    outputs.append(.update(update))
    if let updateWitness, updateWitness.wants(peer, at: time) {
      updateWitness.take(
        Explanation(
          update, link, filter: onPath ? trajectory.filter : nil, bodyFromDevice: rig.bodyFromDevice,
          blindness: blind ? camera.word(at: time) : nil, configuration))
    }
  }

  /// The session's own convergence: whether there is a trajectory and whether the camera carries it.
  private func judgeSession(at time: Timestamp) {
    summary.waitingFor = trajectory.waitingFor
    let blind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let now: Convergence =
      blind
      ? Convergence(status: .notConverged, reasons: [.insufficientLighting])
      : trajectory.filter == nil ? Convergence(status: .unknown) : Convergence(status: .converged)
    guard now != session else { return }
    session = now
    var details: [String: NearbyUpdate.Detail] = [:]
    if blind { details["camera"] = .text(camera.word(at: time)) }
    if let waiting = trajectory.waitingFor { details["waitingFor"] = .text(waiting) }
    outputs.append(
      .session(SessionUpdate(timestamp: time, convergence: now, guidance: now.guidance, details: details)))
  }
}

extension NavigationFilter {
  /// The body's pose as an output.
  fileprivate var bodyPose: FinderOutput {
    .pose(time, worldFromBody: worldFromBody, covariance: bodyCovariance)
  }
}
