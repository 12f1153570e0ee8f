import Estimator
import Foundation
import Geometry
import SensorData

/// From actions to outputs.
extension PrecisionFinder {
  func drain() -> [FinderOutput] {
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
  func isDue(_ time: Timestamp) -> Bool {
    let waited = clock.seconds(since: time) - frameLag
    return waited >= 0 && (trajectory.covers(time) || waited > 0.5)
  }

  func perform(_ action: Action) {
    switch action {
    case .frame(let frame, let time): meter.measure(.frame) { work(frame, at: time) }
    case .range(let range): meter.measure(.range) { work(range) }
    case .device(let event): work(event)
    case .pose(let time): meter.measure(.pose) { say(poseAt: time) }
    case .tick(let time): meter.measure(.tick) { publishAll(at: time) }
    }
  }

  func say(poseAt time: Timestamp) {
    if advance(to: time) { outputs.append(trajectory.filter!.bodyPose) }
  }

  func publishAll(at time: Timestamp) {
    let isReached = advance(to: time)
    if isReached { follow(from: nil) }
    let onPath = isReached || standsAtEnd(time)
    for peer in links.keys.sorted() { publish(peer, at: time, onPath: onPath) }
    judgeSession(at: time, onPath: onPath)
  }

  func advance(to time: Timestamp) -> Bool {
    guard let filter = trajectory.filter else { return false }
    return meter.measure(.propagation) { filter.advance(to: time) }
  }

  /// The last pose still stands for a moment when the recording ends before the motion of its last instants is known.
  func standsAtEnd(_ time: Timestamp) -> Bool {
    guard hasEnded, let filter = trajectory.filter else { return false }
    return time >= filter.time && time.seconds(since: filter.time) <= 0.2
  }

  func work(_ frame: CameraFrame, at time: Timestamp) {
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
    judgeSession(at: time, onPath: true)
  }

  func work(_ range: RangeMeasurement) {
    let link = links[range.peer] ?? open(range)
    presenters[range.peer]?.power.take(range)
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

  func work(_ event: DeviceEvent) {
    guard let peer = event.peer else { return }
    switch event.name {
    case "peerEnded":
      if let link = links.removeValue(forKey: peer), let filter = trajectory.filter { link.detach(from: filter) }
      (presenters[peer], reportedMoving[peer]) = (nil, nil)
    // A peer that says itself whether it moves is believed, also before its first range.
    case "moving", "stationary":
      reportedMoving[peer] = event.name == "moving"
      links[peer]?.hear(moves: event.name == "moving", filter: trajectory.filter)
    default: break
    }
  }

  /// Follows the trajectory through its beginning, its restarts and its lost ways: peers leave a filter that is given up, has lost its
  /// way or has just found it, and ranges from before the first pose are used at it.
  func follow(from old: (any NavigationFilter)?) {
    let now = trajectory.filter
    let isPositionLost = now?.isPositionLost ?? false
    if let old, old !== now || isPositionLost != wasPositionLost {
      for peer in links.keys.sorted() { links[peer]!.detach(from: old) }
      if old !== now || isPositionLost { summary.restarts += 1 }
    }
    wasPositionLost = isPositionLost
    guard let now, now !== followed else { return }
    followed = now
    if summary.trajectoryBegan == nil { summary.trajectoryBegan = now.time }
    for peer in links.keys.sorted() {
      links[peer]!.begin(on: now, antenna: { self.rig.radio?.position(of: $0) ?? .zero })
    }
  }
}

extension NavigationFilter {
  /// The body's pose as an output.
  fileprivate var bodyPose: FinderOutput {
    .pose(time, worldFromBody: worldFromBody, covariance: bodyCovariance)
  }
}
