import Estimator
import Foundation
import Geometry
import SensorData

/// Puts an update together: readout, judgement, gating.
struct UpdateBuilder {
  let configuration: FinderConfiguration
  private let judge: ConvergenceJudge

  init(_ configuration: FinderConfiguration) {
    self.configuration = configuration
    judge = ConvergenceJudge(configuration)
  }

  /// The update of one peer at `time`.
  ///
  /// - Parameters:
  ///   - filter: the trajectory at `time`; nil where there is none: then a distance is all there is.
  ///   - report: what became of the range that this update is about; nil for a tick.
  ///   - blindness: why the camera is of no use; nil when it is.
  ///   - bare: the distance that a range tells by itself; asked for only where there is nothing better.
  func compose(
    _ link: PeerLink, _ presenter: inout OutputHysteresis, at time: Timestamp, filter: (any NavigationFilter)?,
    bodyFromDevice: Pose, report: RangeReport?, blindness: String?, bare: () -> RangeOnlyDistance?
  ) -> NearbyUpdate {
    let weakness = weakness(link, presenter.power, at: time)
    var found = blindness.flatMap(PublicationObstacle.init).map { [NearbyUpdate.ObstacleProgress($0)] } ?? []
    var object = NearbyObject(peer: link.peer, quality: quality(link, at: time, filter: filter))
    var details: [String: NearbyUpdate.Detail] = [:]
    var convergence = Convergence(status: .unknown)
    if let filter, let belief = link.belief(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice) {
      let readout = PublishableEstimate(
        belief, worldCovariance: link.worldCovariance(of: belief, filter: filter), configuration)
      presenter.vertical.update(
        above: readout.vertical.above, below: readout.vertical.below, same: readout.vertical.same)
      convergence = judge.judge(
        .init(
          readout: readout, vertical: presenter.vertical.estimate, dark: blindness != nil,
          weakness: weakness.map(\.finding)))
      fill(&object, readout, convergence, &presenter)
      details = describe(readout, link)
      found += judge.open(readout, presenter.vertical.estimate).map { .init($0, progress: progress($0, readout)) }
      if link.movingProbability > 0.5 { found.append(.init(.peerMoving)) }
      if link.aoaValidity.isRefuted { found.append(.init(.aoaInconsistent)) }
      if convergence.reasons.contains(where: \.isMotion) { details["progress"] = .number(rounded(readout.progress)) }
    } else {
      presenter.vertical.reset()
      let bare = bare()
      (object.distance, object.distanceStandardDeviation) = (bare?.mean, bare?.sigma)
      if filter == nil { found.append(.init(.noTrajectory)) }
      // A weak signal alone is nothing to judge yet.
      if blindness != nil {
        convergence = judge.judge(
          .init(readout: nil, vertical: .unknown, dark: true, weakness: weakness.map(\.finding)))
      }
    }
    if let report { details.merge(report.details) { $1 } }
    if let blindness { details["camera"] = .text(blindness) }
    if let power = presenter.power.power { details["power"] = .number((power * 10).rounded() / 10) }
    found += weakness
    if !found.isEmpty { details["findings"] = .findings(found) }
    return NearbyUpdate(
      timestamp: time, object: object, convergence: convergence,
      guidance: convergence.guidance(found: found.map(\.finding)), details: details)
  }

  /// A way that is lost in the dark is no trajectory: the filter goes on for the sake of velocity, tilt and biases, but its positions are off by
  /// metres, and peers have been taken out of it. And a link that has just come up has not been without a usable range for long.
  private func quality(_ link: PeerLink, at time: Timestamp, filter: (any NavigationFilter)?) -> TrackingQuality {
    guard let filter, !filter.isPositionLost else { return .imprecise }
    guard let since = link.record.lastUsed ?? link.record.firstRange else { return .drifting }
    return time.seconds(since: since) > configuration.rangeTimeout ? .drifting : .precise
  }

  private func fill(
    _ object: inout NearbyObject, _ readout: PublishableEstimate, _ convergence: Convergence, _ presenter: inout OutputHysteresis
  ) {
    object.distance = readout.distance.mean
    object.distanceStandardDeviation = readout.distance.sigma
    let direction = presenter.steady(
      convergence.withholdsAngle ? nil : readout.direction, cone: readout.cone,
      limit: Angle.degrees(configuration.directionConeDegrees))
    guard !convergence.withholdsAngle else { return }
    object.horizontalAngle = readout.angle
    object.direction = direction
    object.verticalDirectionEstimate = presenter.vertical.estimate
    if readout.positionIsGood {
      object.worldPosition = .init(position: readout.position.mean, covariance: readout.position.covariance)
    }
  }
}
