import Geometry
import SensorData

extension Explanation {
  /// The gates of the posterior.
  static func posteriorGates(
    _ view: PosteriorView, _ estimate: PublishableEstimate, _ update: NearbyUpdate, movingProbability: Double,
    _ rules: PublicationRules
  ) -> [PublicationGate] {
    let marginal = view.horizontalAngle
    let horizontal = view.horizontalDistance
    // Hysteresis: a named class stays until it falls below the lower limit.
    let isNamed = [.same, .above, .below].contains(update.object.verticalDirectionEstimate)
    let far = PublicationGate(rules.position(at: estimate.distance.mean), estimate.positionFarOff ?? 0)
    return [
      PublicationGate(rules.angleHalfWidth, 0.5 * (marginal.quantile(0.95) - marginal.quantile(0.05))),
      PublicationGate(rules.beyond45, marginal.mass(beyond: .pi / 4)),
      PublicationGate(rules.contradiction, view.contradictionProbability),
      motionGate(movingProbability, update, rules),
      PublicationGate(rules.horizontalDistance(sigma: horizontal.sigma), horizontal.mean),
      PublicationGate(rules.cone, view.direction.cone),
      PublicationGate(
        rules.level(isNamed: isNamed), max(estimate.vertical.above, estimate.vertical.below, estimate.vertical.same)),
      PublicationGate(
        rules.positionSigma(at: estimate.distance.mean), estimate.position.covariance.trace.squareRoot()),
      estimate.positionFarOff == nil ? far.notAsked("not asked: the spread is too wide anyhow") : far,
      PublicationGate(rules.beyond20, estimate.probabilityBeyond20Degrees),
    ]
  }

  /// The probability of motion withholds the angle through the widths and probabilities of where the peer may have
  /// gone. A peer known to move may well have an angle.
  private static func motionGate(
    _ movingProbability: Double, _ update: NearbyUpdate, _ rules: PublicationRules
  ) -> PublicationGate {
    let gate = PublicationGate(rules.moving, movingProbability)
    guard gate.outcome == .failed, update.object.horizontalAngle != nil else { return gate }
    return gate.notAsked("where it may have gone is within the limits", keepsValue: true)
  }

  /// The gates of the signal. They withhold nothing by themselves.
  static func signalGates(
    _ link: PeerLink, _ update: NearbyUpdate, rate: Double, _ rules: PublicationRules
  ) -> [PublicationGate] {
    let received = link.record.firstRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let silence = link.record.lastNewRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let inconsistent = link.bank.isAoARefuted ? 1 : link.bank.aoaProbability
    let often = PublicationGate(rules.rate, rate)
    var gates = [
      PublicationGate(rules.silence, max(silence, 0)),
      received < 2 ? often.notAsked("received for less than two seconds", keepsValue: true) : often,
      PublicationGate(rules.losFraction, link.record.losFraction),
    ]
    if inconsistent > 0 { gates.append(PublicationGate(rules.aoaProbability, inconsistent)) }
    if case .number(let power) = update.details["power"] { gates.append(PublicationGate(rules.power, power)) }
    return gates
  }
}
