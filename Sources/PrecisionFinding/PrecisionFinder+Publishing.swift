import Estimator
import Foundation
import Geometry
import SensorData

/// What is said of peers and of the session.
extension PrecisionFinder {
  func open(_ range: RangeMeasurement) -> PeerLink {
    let peer = range.peer
    let link = PeerLink(
      peer: peer, configuration: configuration, antennas: (rig.radio?.antennas ?? ["": .zero]).keys.sorted(),
      statedNoise: rig.radio?.rangeNoise ?? range.standardDeviation, bodyFromDevice: rig.bodyFromDevice)
    links[peer] = link
    presenters[peer] = OutputHysteresis(configuration)
    if let moves = reportedMoving[peer] { link.hear(moves: moves, filter: trajectory.filter) }
    return link
  }

  func publish(_ peer: String, at time: Timestamp, onPath: Bool, report: RangeReport? = nil) {
    guard let link = links[peer] else { return }
    let blind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let update = meter.measure(.readout) {
      composer.compose(
        link, &presenters[peer]!, at: time, filter: onPath ? trajectory.filter : nil,
        bodyFromDevice: rig.bodyFromDevice, report: report, blindness: blind ? camera.word(at: time) : nil,
        bare: {
          link.rangeOnlyDistance(
            at: time, filter: trajectory.filter, lever: rig.leverArm(of: link.record.lastRange?.antenna))
        })
    }
    summary.note(update, link: link)
    outputs.append(.update(update))
    if let explanationObserver, explanationObserver.wants(peer, at: time) {
      explanationObserver.take(
        Explanation(
          update, link, filter: onPath ? trajectory.filter : nil, bodyFromDevice: rig.bodyFromDevice,
          blindness: blind ? camera.word(at: time) : nil, configuration))
    }
  }

  /// The session's own convergence: whether there is a trajectory and whether the camera carries it.
  ///
  /// - Parameter onPath: whether the trajectory reaches `time`. Without it, as with a way that is lost, there is nothing to judge.
  func judgeSession(at time: Timestamp, onPath: Bool) {
    summary.waitingFor = trajectory.waitingFor
    let blind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let hasTrajectory = onPath && trajectory.filter?.isPositionLost == false
    let now: Convergence =
      blind
      ? Convergence(status: .notConverged, reasons: [.insufficientLighting])
      : Convergence(status: hasTrajectory ? .converged : .unknown)
    guard now != session else { return }
    session = now
    var details: [String: NearbyUpdate.Detail] = [:]
    if blind { details["camera"] = .text(camera.word(at: time)) }
    if !hasTrajectory { details["waitingFor"] = .text(trajectory.waitingFor ?? (onPath ? "way" : trajectory.source)) }
    let guidance = now.guidance(found: blind ? [camera.word(at: time)].compactMap(PublicationObstacle.init) : [])
    outputs.append(
      .session(SessionUpdate(timestamp: time, convergence: now, guidance: guidance, details: details)))
  }
}
