import Estimator
import Foundation
import Geometry
import Premises
import SensorData

/// Publishes the updates of peers and of the session.
extension PrecisionFinder {
  func openLink(_ range: RangeMeasurement) -> PeerLink {
    let peer = range.peer
    var configuration = configuration.stating(rig.radio?.mobility[peer])
    configuration.ranging = configuration.ranging.stating(rig.radio)
    let link = PeerLink(
      peer: peer, configuration: configuration, antennas: (rig.radio?.antennas ?? ["": .zero]).keys.sorted(),
      statedNoise: rig.radio?.rangeNoise ?? range.standardDeviation, bodyFromDevice: rig.bodyFromDevice,
      rangeFilter: rig.radio?.rangeFilter)
    links[peer] = link
    hysteresis[peer] = OutputHysteresis(builder.rules)
    if let isMoving = reportedMoving[peer] { link.setReportedMotion(isMoving, filter: trajectory.filter) }
    return link
  }

  func publish(_ peer: String, at time: Timestamp, onPath: Bool, report: RangeReport? = nil) {
    guard let link = links[peer] else { return }
    let isBlind = !useOdometry && (camera.isBlind(at: time) ?? false)
    let (update, objections) = meter.measure(.readout) {
      builder.build(
        link, &hysteresis[peer]!, at: time, filter: onPath ? trajectory.filter : nil,
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
