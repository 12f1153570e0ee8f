import Estimator
import Foundation
import Geometry
import SensorData

/// Puts an update together: readout, judgement, gating.
struct UpdateComposer {
  private let configuration: FinderConfiguration
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
  func compose(
    _ link: PeerLink, _ presenter: inout PeerPresenter, at time: Timestamp, filter: (any NavigationFilter)?,
    bodyFromDevice: Pose, report: RangeReport?, blindness: String?
  ) -> NearbyUpdate {
    var object = NearbyObject(peer: link.peer, quality: quality(link, at: time, filter: filter))
    var details: [String: NearbyUpdate.Detail] = [:]
    var convergence = Convergence(status: .unknown)
    if let filter, let belief = link.belief(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice) {
      let readout = Readout(
        belief, worldCovariance: link.worldCovariance(of: belief, filter: filter), configuration)
      presenter.vertical.update(
        above: readout.vertical.above, below: readout.vertical.below, same: readout.vertical.same)
      convergence = judge.judge(
        .init(
          readout: readout, vertical: presenter.vertical.estimate, dark: blindness != nil,
          weakSignal: isWeak(link, at: time)))
      fill(&object, readout, convergence, &presenter)
      details = describe(readout, link)
      if convergence.reasons.contains(where: \.isMotion) { details["progress"] = .number(rounded(readout.progress)) }
    } else {
      presenter.vertical.reset()
      fallBack(&object, link)
      if blindness != nil { convergence = Convergence(status: .notConverged, reasons: [.insufficientLighting]) }
    }
    if let report { details.merge(report.details) { $1 } }
    if let blindness { details["camera"] = .text(blindness) }
    return NearbyUpdate(
      timestamp: time, object: object, convergence: convergence, guidance: convergence.guidance, details: details)
  }

  private func quality(_ link: PeerLink, at time: Timestamp, filter: (any NavigationFilter)?) -> TrackingQuality {
    guard filter != nil else { return .imprecise }
    guard let used = link.record.lastUsed else { return link.record.lastRange == nil ? .drifting : .precise }
    return time.seconds(since: used) > configuration.rangeTimeout ? .drifting : .precise
  }

  /// Fewer than two ranges a second over the last two seconds, or a sight that has been blocked for long.
  private func isWeak(_ link: PeerLink, at time: Timestamp) -> Bool {
    guard let first = link.record.firstRange else { return true }
    let recent = link.record.recent.count { time.seconds(since: $0) <= 2 }
    if recent < 4, time.seconds(since: first) >= 2 { return true }
    return link.record.clearness < 0.2
  }

  private func fill(
    _ object: inout NearbyObject, _ readout: Readout, _ convergence: Convergence, _ presenter: inout PeerPresenter
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

  /// Without a trajectory: the newest range, as wide as its bias and noise may be.
  private func fallBack(_ object: inout NearbyObject, _ link: PeerLink) {
    guard let range = link.record.lastRange else { return }
    let bias = configuration.ranging.biasPrior
    let noise = range.standardDeviation ?? 0.1
    object.distance = range.range
    object.distanceStandardDeviation = (bias * bias + noise * noise).squareRoot()
  }

  private func describe(_ readout: Readout, _ link: PeerLink) -> [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = [
      "hypotheses": .number(Double(link.hypotheses)),
      "lineOfSight": .number(rounded(link.free)),
      "rivalShare": .number(rounded(readout.rivals)),
      "above": .number(rounded(readout.vertical.above)),
      "below": .number(rounded(readout.vertical.below)),
    ]
    if let cause = readout.noAngle { details["noAngle"] = .text(cause.rawValue) }
    if link.doubt > 1e-3 { details["doubt"] = .number(rounded(link.doubt)) }
    if link.walking > 1e-3 { details["walking"] = .number(rounded(link.walking)) }
    if link.isTracked { details["stage"] = .text("tracked") }
    return details
  }

  private func rounded(_ share: Double) -> Double { (share * 1e4).rounded() / 1e4 }
}
