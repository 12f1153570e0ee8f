import Geometry
import SensorData

extension Explanation {
  /// The gates of the posterior.
  static func posteriorGates(
    _ view: PosteriorView, _ estimate: PublishableEstimate, _ update: NearbyUpdate, movingProbability: Double,
    _ configuration: FinderConfiguration
  ) -> [Gate] {
    let marginal = view.horizontalAngle
    let width = 0.5 * (marginal.quantile(0.95) - marginal.quantile(0.05))
    let horizontal = view.horizontalDistance
    let level = max(estimate.vertical.above, estimate.vertical.below, estimate.vertical.same)
    // Hysteresis: a named class stays until it falls below the lower limit.
    let isNamed = [.same, .above, .below].contains(update.object.verticalDirectionEstimate)
    let sigma = estimate.position.covariance.trace.squareRoot()
    let far = Gate.upper(
      "posterior over \(configuration.positionLimit) m off", 100 * (estimate.positionFarOff ?? 0),
      100 * configuration.maxProbabilityBeyond20Degrees, "%", "position")
    let all = Gate.all
    let contradicted = Gate.upper(
      "probability that the ranges contradict it", 100 * view.contradictionProbability,
      100 * configuration.maxProbabilityBeyond45Degrees, "%", all)
    return [
      .upper("90 % half-width of the angle", Angle.inDegrees(width), configuration.angleHalfWidthDegrees, "deg", all),
      .upper(
        "posterior over 45 deg away", 100 * marginal.mass(beyond: .pi / 4),
        100 * configuration.maxProbabilityBeyond45Degrees, "%", all),
      contradicted, Self.motionGate(movingProbability, update, configuration),
      .lower("horizontal distance", horizontal.mean, max(0.5, 2 * horizontal.sigma), "m", all),
      .upper(
        "90 % cone of the direction", Angle.inDegrees(view.direction.cone), configuration.directionConeDegrees,
        "deg", "direction"),
      .lower(
        "likeliest height class", 100 * level,
        100 * (isNamed ? configuration.verticalDrop : configuration.verticalDecision), "%", "height class"),
      .upper("1-sigma of the position", sigma, max(0.3, 0.15 * estimate.distance.mean), "m", "position"),
      estimate.positionFarOff == nil ? far.notAsked("not asked: the spread is too wide anyhow") : far,
      .upper(
        "posterior over 20 deg away", 100 * estimate.probabilityBeyond20Degrees,
        100 * configuration.maxProbabilityBeyond20Degrees, "%", "converged"),
    ]
  }

  /// The probability of motion withholds the angle through the widths and probabilities of where the peer may have
  /// gone. A peer known to move may well have an angle.
  private static func motionGate(
    _ movingProbability: Double, _ update: NearbyUpdate, _ configuration: FinderConfiguration
  ) -> Gate {
    let gate = Gate.upper(
      "probability that it moves", 100 * movingProbability, 100 * configuration.maxProbabilityBeyond45Degrees, "%",
      Gate.all)
    guard gate.outcome == .failed, update.object.horizontalAngle != nil else { return gate }
    return gate.notAsked("where it may have gone is within the limits", keepsValue: true)
  }

  /// The gates of the signal. They withhold nothing by themselves.
  static func signalGates(
    _ link: PeerLink, _ update: NearbyUpdate, rate: Double, _ configuration: FinderConfiguration
  ) -> [Gate] {
    let nothing = "nothing by itself"
    let gate = Gate.lower("ranges a second", rate, 2, "Hz", nothing)
    let received = link.record.firstRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let silence = link.record.lastNewRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let inconsistent = link.aoaValidity.isRefuted ? 1 : link.aoaValidity.probability
    var gates = [
      Gate.upper("since the last new range", max(silence, 0), configuration.rangeTimeout, "s", nothing),
      received < 2 ? gate.notAsked("received for less than two seconds", keepsValue: true) : gate,
      .lower(
        "recent line-of-sight probability", 100 * link.record.losFraction, 100 * UpdateBuilder.losFractionLimit, "%",
        nothing),
    ]
    if inconsistent > 0 {
      gates.append(
        .upper(
          "probability that its angles of arrival are inconsistent", 100 * inconsistent,
          100 * configuration.maxProbabilityBeyond20Degrees, "%", nothing))
    }
    if case .number(let power) = update.details["power"] {
      gates.append(.lower("received power", power, configuration.weakPower, "dBm", nothing))
    }
    return gates
  }
}
