import Estimator
import Foundation
import Geometry
import Premises
import Ranging
import SensorData

/// Builds an update: outputs, convergence rule, gating.
struct UpdateBuilder {
  let configuration: FinderConfiguration
  let rules: PublicationRules

  init(_ configuration: FinderConfiguration) {
    self.configuration = configuration
    rules = PublicationRules(configuration)
  }

  /// The update of one peer at `time`, and what stands against the link as a whole.
  ///
  /// - Parameters:
  ///   - filter: the trajectory at `time`; nil where there is none: then there is only a distance.
  ///   - report: what became of the range that this update is about; nil for a tick.
  ///   - blindness: why the camera is not usable; nil when it is.
  ///   - premises: what is refuted for this link, and the code of one that is open.
  ///   - lever: from the device's origin to the antenna of the newest range, metres.
  func build(
    _ link: PeerLink, at time: Timestamp, filter: (any NavigationFilter)?,
    bodyFromDevice: Pose, report: RangeReport?, blindness: String?, premises: (refuted: [Diagnosis], open: String?),
    lever: Double
  ) -> (NearbyUpdate, LinkObjections) {
    let weakness = weakness(link, at: time)
    var found = blindness.flatMap(PublicationObstacle.init).map { [NearbyUpdate.ObstacleProgress($0)] } ?? []
    var object = NearbyObject(peer: link.peer, quality: quality(link, at: time, filter: filter))
    var details: [String: NearbyUpdate.Detail] = [:]
    var convergence = Convergence(status: .unknown)
    func measureByRadio() {
      let distance = link.rangeOnlyDistance(at: time, lever: lever)
      (object.distance, object.distanceStandardDeviation) = (distance?.mean, distance?.sigma)
    }
    if let filter,
      let view = link.posteriorView(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice)
    {
      let estimate = PublishableEstimate(
        view, worldCovariance: link.worldCovariance(of: view, filter: filter), rules)
      link.outputs.vertical.update(
        above: estimate.vertical.above, below: estimate.vertical.below, same: estimate.vertical.same)
      convergence = rules.convergence(
        .init(
          estimate: estimate, vertical: link.outputs.vertical.estimate, dark: blindness != nil,
          weakness: weakness.compactMap(\.obstacle)))
      fill(&object, estimate, convergence, &link.outputs)
      details = describe(estimate, link)
      found += rules.obstacles(estimate, link.outputs.vertical.estimate)
        .map { .init($0, progress: progress($0, estimate)) }
      if link.movingProbability > 0.5 { found.append(.init(.peerMoving)) }
      if link.bank.isAoARefuted { found.append(.init(.aoaInconsistent)) }
      if convergence.reasons.contains(where: \.isMotion) { details["progress"] = .number(rounded(estimate.progress)) }
    } else {
      link.outputs.vertical.reset()
      measureByRadio()
      if filter == nil { found.append(.init(.noTrajectory)) }
      // A weak signal alone is nothing to evaluate yet.
      if blindness != nil {
        convergence = rules.convergence(
          .init(estimate: nil, vertical: .unknown, dark: true, weakness: weakness.compactMap(\.obstacle)))
      }
    }
    var objections = LinkObjections(refuted: premises.refuted, open: premises.open)
    objections.agreement = object.distance.flatMap {
      link.agreement(of: ($0, object.distanceStandardDeviation ?? 0), at: time, lever: lever)
    }
    if objections.contradictsRadio || !objections.refuted.isEmpty { measureByRadio() }
    if !objections.refuted.isEmpty {
      withdraw(&object)
      object.quality = .imprecise
      convergence = Convergence(status: .unknown)
      found = objections.refuted.map { .init(code: $0.code) } + found
    } else if let open = objections.open, object.horizontalAngle != nil || convergence.status == .converged {
      withdraw(&object)
      convergence = Convergence(status: .notConverged, reasons: [.insufficientMovement])
      found.insert(.init(.premiseOpen), at: 0)
      details["premise"] = .text(open)
    }
    if objections.contradictsRadio, objections.refuted.isEmpty {
      withdraw(&object)
      if convergence.status == .converged || !convergence.withholdsAngle {
        convergence = Convergence(status: .notConverged, reasons: [.insufficientHorizontalSweep])
      }
      if !found.contains(where: { $0.code == PublicationObstacle.contradicted.rawValue }) {
        found.insert(.init(.contradicted), at: 0)
      }
    }
    objections.contradiction = link.contradiction(at: time)
    if let (share, spread) = objections.contradiction, !rules.contradictoryRanges.isMet(by: share) {
      object.distanceStandardDeviation = object.distanceStandardDeviation.map { max($0, spread) }
      object.quality = .imprecise
      found.insert(.init(.rangesContradict), at: 0)
    }
    if let report { details.merge(report.details) { $1 } }
    if let blindness { details["camera"] = .text(blindness) }
    if let power = link.outputs.power.power { details["power"] = .number((power * 10).rounded() / 10) }
    found += weakness
    if !found.isEmpty { details["findings"] = .obstacles(found) }
    let update = NearbyUpdate(
      timestamp: time, object: object, convergence: convergence,
      guidance: convergence.guidance(found: found.compactMap(\.obstacle)), details: details)
    return (update, objections)
  }

  /// Takes back all that rests on a trajectory and its geometry: the distance stays, it is the radio's.
  private func withdraw(_ object: inout NearbyObject) {
    object.horizontalAngle = nil
    object.direction = nil
    object.verticalDirectionEstimate = .unknown
    object.worldPosition = nil
  }

  /// A lost position is no trajectory: the filter continues for velocity, tilt and biases, but its positions err by
  /// metres, and peers have been removed from it. A link that has just started has not been without a usable range for
  /// long.
  private func quality(_ link: PeerLink, at time: Timestamp, filter: (any NavigationFilter)?) -> TrackingQuality {
    guard let filter, !filter.isPositionLost else { return .imprecise }
    guard let since = link.record.lastUsed ?? link.record.firstRange else { return .drifting }
    return time.seconds(since: since) > configuration.rangeTimeout ? .drifting : .precise
  }

  private func fill(
    _ object: inout NearbyObject, _ estimate: PublishableEstimate, _ convergence: Convergence,
    _ hysteresis: inout OutputHysteresis
  ) {
    object.distance = estimate.distance.mean
    object.distanceStandardDeviation = estimate.distance.sigma
    let direction = hysteresis.steady(
      convergence.withholdsAngle ? nil : estimate.direction, cone: estimate.cone, rules)
    guard !convergence.withholdsAngle else { return }
    object.horizontalAngle = estimate.angle
    object.direction = direction
    object.verticalDirectionEstimate = hysteresis.vertical.estimate
    if estimate.positionIsGood {
      object.worldPosition = .init(position: estimate.position.mean, covariance: estimate.position.covariance)
    }
  }
}

/// The details of an update.
extension UpdateBuilder {
  /// Obstacles of the signal: silence, a radio that repeats itself, fewer than two ranges a second over the last two
  /// seconds, low power, or a long NLOS interval.
  func weakness(_ link: PeerLink, at time: Timestamp) -> [NearbyUpdate.ObstacleProgress] {
    guard let first = link.record.firstRange, let last = link.record.lastRange else { return [.init(.weakRate)] }
    var found: [NearbyUpdate.ObstacleProgress] = []
    if time.seconds(since: last.timestamp) > rules.silence.value { found.append(.init(.stale)) }
    if link.record.isRepeating, let lastNew = link.record.lastNewRange,
      time.seconds(since: lastNew) > rules.silence.value
    {
      found.append(.init(.repeated))
    }
    let recent = link.record.recent.count { time.seconds(since: $0) <= 2 }
    let rate = Double(recent) / 2
    if !rules.rate.isMet(by: rate), time.seconds(since: first) >= 2 {
      found.append(.init(.weakRate, progress: rate / rules.rate.value))
    }
    if link.outputs.power.isWeak { found.append(.init(.weakPower)) }
    let losFraction = link.record.losFraction
    if !rules.losFraction.isMet(by: losFraction) {
      found.append(.init(.nonLineOfSight, progress: rounded(losFraction / rules.losFraction.value)))
    }
    return found
  }

  /// Progress of an obstacle of the posterior, 0...1.
  func progress(_ obstacle: PublicationObstacle, _ estimate: PublishableEstimate) -> Double {
    switch obstacle {
    case .heightUndecided: rounded(estimate.towards.level)
    case .positionTooWide: rounded(estimate.towards.position)
    case .competingModes: rounded(estimate.towards.probabilityBeyond20Degrees)
    default: rounded(estimate.progress)
    }
  }

  func describe(_ estimate: PublishableEstimate, _ link: PeerLink) -> [String: NearbyUpdate.Detail] {
    var details: [String: NearbyUpdate.Detail] = [
      "hypotheses": .number(Double(link.hypotheses)),
      "lineOfSight": .number(rounded(link.losProbability)),
      "rivalShare": .number(rounded(estimate.probabilityBeyond20Degrees)),
      "above": .number(rounded(estimate.vertical.above)),
      "below": .number(rounded(estimate.vertical.below)),
    ]
    if let cause = estimate.noAngle { details["noAngle"] = .text(cause.rawValue) }
    if link.contradictionProbability > 1e-3 { details["doubt"] = .number(rounded(link.contradictionProbability)) }
    if link.movingProbability > 1e-3 { details["walking"] = .number(rounded(link.movingProbability)) }
    if link.bank.aoaProbability > 1e-3 { details["anglesAstray"] = .number(rounded(link.bank.aoaProbability)) }
    return details
  }

  func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }
}

/// The distance from a range alone, where no trajectory adds to it: as wide as all unknowns make it.
package struct RangeOnlyDistance: Equatable, Sendable {
  /// Metres from the device's origin, bias removed; never negative.
  package let mean: Double
  /// 1-sigma, metres.
  package let sigma: Double

  /// - Parameters:
  ///   - range: as measured, metres.
  ///   - age: of it, seconds. The device may have moved since, and the peer as a moving one.
  ///   - bias: the link's; mean in metres, variance in m^2.
  ///   - noise: 1-sigma of the range without it, metres.
  ///   - lever: from the device's origin to the antenna, metres. The orientation is unknown: it adds the cosine of a
  ///     random direction, a third of its square.
  ///   - nlosProbability: NLOS probability. The NLOS bias is positive, but half of them are a few decimetres: the mean
  ///     stays where most ranges are right, and the 1-sigma is the root mean square about it.
  ///   - peerIsStationary: as the peer reported.
  package init(
    range: Double, age: Double, bias: (mean: Double, variance: Double), noise: Double, lever: Double,
    nlosProbability: Double, peerIsStationary: Bool, _ configuration: FinderConfiguration
  ) {
    let age = max(age, 0)
    let device = configuration.handSpeedSigma * age
    let model = configuration.ranging.peerVelocityModel
    let step = model.step(age)
    let peer = peerIsStationary ? 0 : step.reach * step.reach * model.speed.x * model.speed.x + step.positionVariance.x
    let prior = NLOSBiasPrior(configuration.ranging)
    let nlosBiasSquare =
      (1 - prior.farProbability) * Self.meanSquare(prior.near) + prior.farProbability * Self.meanSquare(prior.far)
    mean = max(range - bias.mean, 0)
    sigma =
      (bias.variance + noise * noise + lever * lever / 3 + device * device + peer
      + nlosProbability * nlosBiasSquare).squareRoot()
  }

  private static func meanSquare(_ nlosBias: TruncatedNormal) -> Double {
    let (mean, variance) = nlosBias.moments
    return mean * mean + variance
  }
}
