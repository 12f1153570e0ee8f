import Estimator
import Foundation
import Geometry
import Premises
import SensorData

/// From events, in arrival order, to actions in the order of their times.
extension PrecisionFinder {
  func admit(_ measured: SensorEvent) {
    queue.advance(to: measured.timestamp)
    let event = configuration.watchesPremises ? premises.filtered(measured) : measured
    if case .frame(let frame) = event, shutter.known != nil {
      for frame in shutter.known!.add(frame, gyroscopeBias: gyroscopeBias) { take(.frame(frame)) }
      return
    }
    take(event)
    if case .imu(let sample) = event, shutter.known != nil {
      for frame in shutter.known!.add(sample, gyroscopeBias: gyroscopeBias) { take(.frame(frame)) }
    }
  }

  /// The bias of the gyroscope that the filter has found, rad/s; nil before.
  var gyroscopeBias: Vector3? { (trajectory.filter as? InertialNavigation)?.state.gyroscopeBias }

  /// Takes an event for the premises and for the actions that it asks for. A frame that waited for the end of its readout
  /// may be older than the last event.
  func take(_ event: SensorEvent) {
    if configuration.watchesPremises {
      var place = unobserved.count
      while place > 0, unobserved[place - 1].timestamp > event.timestamp { place -= 1 }
      unobserved.insert(event, at: place)
    }
    switch event {
    case .imu(let sample):
      shutter.unstated?.add(sample)
      trajectory.append(event)
    case .odometry:
      trajectory.append(event)
      if useOdometry { queue.insert(.pose(event.timestamp)) }
    case .frame(let frame):
      shutter.unstated?.add(frame)
      if let found = shutter.unstated?.rowTime, let camera = rig.cameras.first,
        !configuration.watchesPremises || premises.reportRows(found, of: camera)
      {
        shutter.unstated = nil
      }
      if !useOdometry { queue.insert(.frame(frame, at: event.timestamp.advanced(bySeconds: timeOffset(frame)))) }
    case .device(let event): queue.insert(.device(event))
    case .range(let range): queue.insert(.range(range))
    }
  }

  func timeOffset(_ frame: CameraFrame) -> Double {
    rig.cameras.indices.contains(frame.camera) ? rig.cameras[frame.camera].timeOffset : 0
  }
}

/// From actions to outputs.
extension PrecisionFinder {
  func drain() -> [FinderOutput] {
    outputs.removeAll(keepingCapacity: true)
    queue.drain(hasEnded: hasEnded, covers: trajectory.covers, perform)
    return outputs
  }

  func perform(_ action: FinderAction) {
    observePremises(through: action.time)
    switch action {
    case .frame(let frame, let time): meter.measure(.frame) { handle(frame, at: time) }
    case .range(let range): meter.measure(.range) { handle(range) }
    case .device(let event): handle(event)
    case .pose(let time): meter.measure(.pose) { emitPose(at: time) }
    case .tick(let time): meter.measure(.tick) { publishAll(at: time) }
    }
  }

  func emitPose(at time: Timestamp) {
    if advance(to: time) { outputs.append(trajectory.filter!.bodyPose) }
  }

  func publishAll(at time: Timestamp) {
    let isReached = advance(to: time)
    observePosition(at: time, onPath: isReached)
    if isReached { handleTrajectoryChange(from: nil) }
    let onPath = isReached || holdsAtEnd(time)
    for peer in links.keys.sorted() { publish(peer, at: time, onPath: onPath) }
    updateSession(at: time, onPath: onPath)
  }

  /// Shows the premises all events up to a time; nil: all there are.
  func observePremises(through time: Timestamp?) {
    guard let time else {
      unobserved.forEach(premises.observe)
      return unobserved.removeAll()
    }
    var count = 0
    while count < unobserved.count, unobserved[count].timestamp <= time {
      premises.observe(unobserved[count])
      count += 1
    }
    unobserved.removeFirst(count)
  }

  func observePosition(at time: Timestamp, onPath: Bool) {
    guard onPath, let filter = trajectory.filter else { return }
    // Without a camera the path drifts by metres in seconds: no witness against ranges.
    let isBlind = !useOdometry && camera.isBlind(at: time) == true
    guard !isBlind, !filter.isPositionLost else { return premises.restartPath() }
    premises.observe(filter.worldFromBody, at: time)
  }

  func advance(to time: Timestamp) -> Bool {
    guard let filter = trajectory.filter else { return false }
    return meter.measure(.propagation) { filter.advance(to: time) }
  }

  /// The last pose holds for 0.2 s when the recording ends before the motion of its last instants is known.
  func holdsAtEnd(_ time: Timestamp) -> Bool {
    guard hasEnded, let filter = trajectory.filter else { return false }
    return time >= filter.time && time.seconds(since: filter.time) <= 0.2
  }

  func handle(_ frame: CameraFrame, at time: Timestamp) {
    camera.update(frame)
    let before = trajectory.filter
    defer { handleTrajectoryChange(from: before) }
    guard let outcome = meter.measure(.visualUpdate, { trajectory.process(frame) }) else {
      summary.framesDropped += 1
      return
    }
    summary.framesUsed += 1
    summary.tracksRejected += outcome.tracksRejected
    premises.observe(
      innovationSum: outcome.innovationSum, count: outcome.innovationCount, tracks: frame.features.count,
      noise: outcome.trackNoise, imageNoise: outcome.imageNoise, at: time)
    if let filter = trajectory.filter { outputs.append(filter.bodyPose) }
    updateSession(at: time, onPath: true)
  }

  func handle(_ range: RangeMeasurement) {
    let link = links[range.peer] ?? openLink(range)
    link.outputs.power.update(range)
    let onPath = advance(to: range.timestamp)
    if onPath { handleTrajectoryChange(from: nil) }
    observePosition(at: range.timestamp, onPath: onPath)
    if onPath, let antenna = rig.radio?.position(of: range.antenna) ?? (range.antenna == nil ? .zero : nil) {
      meter.measure(.hypotheses) {
        link.process(range, antenna: antenna, filter: trajectory.filter!)
      }
    } else {
      link.keep(range)
    }
    publish(range.peer, at: range.timestamp, onPath: onPath || holdsAtEnd(range.timestamp), report: link.record.report)
  }

  func handle(_ event: DeviceEvent) {
    guard let peer = event.peer else { return }
    switch event.name {
    case "peerEnded":
      if let link = links.removeValue(forKey: peer), let filter = trajectory.filter { link.detach(from: filter) }
      reportedMoving[peer] = nil
    // A peer's reported motion is used, also before its first range.
    case "moving", "stationary":
      reportedMoving[peer] = event.name == "moving"
      links[peer]?.setReportedMotion(event.name == "moving")
    default: break
    }
  }

  /// Handles the start, restart and position loss of the trajectory. Peers are detached from a filter that is dropped
  /// or whose position was lost or recovered. Ranges from before the first pose are used at it.
  func handleTrajectoryChange(from old: (any NavigationFilter)?) {
    let now = trajectory.filter
    let isPositionLost = now?.isPositionLost ?? false
    if let old, old !== now || isPositionLost != started.isPositionLost {
      for peer in links.keys.sorted() { links[peer]!.detach(from: old) }
      if old !== now || isPositionLost {
        summary.restarts += 1
        premises.restartTrajectory()
      }
    }
    started.isPositionLost = isPositionLost
    guard let now, now !== started.filter else { return }
    started.filter = now
    if summary.trajectoryBegan == nil { summary.trajectoryBegan = now.time }
    summary.worlds.append(now.time)
    for peer in links.keys.sorted() {
      links[peer]!.start(on: now, antenna: { self.rig.radio?.position(of: $0) ?? .zero })
    }
  }
}

extension NavigationFilter {
  /// The body's pose as an output.
  fileprivate var bodyPose: FinderOutput {
    .pose(time, worldFromBody: worldFromBody, covariance: bodyCovariance)
  }
}
