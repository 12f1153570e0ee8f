import Geometry
import SensorData

extension Explanation {
  /// The gates of the posterior.
  static func judged(
    _ belief: PosteriorView, _ readout: PublishableEstimate, _ update: NearbyUpdate, movingProbability: Double, _ configuration: FinderConfiguration
  ) -> [Gate] {
    let marginal = belief.horizontalAngle
    let width = 0.5 * (marginal.quantile(0.95) - marginal.quantile(0.05))
    let horizontal = belief.horizontalDistance
    let side = max(readout.vertical.above, readout.vertical.below, readout.vertical.same)
    // Hysteresis: a class that is named stays until it falls below the lower limit.
    let isNamed = [.same, .above, .below].contains(update.object.verticalDirectionEstimate)
    let sigma = readout.position.covariance.trace.squareRoot()
    let far = Gate.upper(
      "posterior over \(configuration.positionLimit) m off", 100 * (readout.positionFarOff ?? 0),
      100 * configuration.maxProbabilityBeyond20Degrees, "%", "position")
    let all = Gate.all
    let contradicted = Gate.upper(
      "chance that the ranges contradict it", 100 * belief.doubt, 100 * configuration.maxProbabilityBeyond45Degrees, "%", all)
    return [
      .upper("90 % half-width of the angle", Angle.inDegrees(width), configuration.angleHalfWidthDegrees, "deg", all),
      .upper(
        "posterior over 45 deg away", 100 * marginal.mass(beyond: .pi / 4), 100 * configuration.maxProbabilityBeyond45Degrees, "%", all),
      contradicted, Self.walk(movingProbability, update, configuration),
      .lower("horizontal distance", horizontal.mean, max(0.5, 2 * horizontal.sigma), "m", all),
      .upper(
        "90 % cone of the direction", Angle.inDegrees(belief.direction.cone), configuration.directionConeDegrees,
        "deg", "direction"),
      .lower(
        "likeliest height class", 100 * side,
        100 * (isNamed ? configuration.verticalDrop : configuration.verticalDecision), "%", "height class"),
      .upper("1-sigma of the position", sigma, max(0.3, 0.15 * readout.distance.mean), "m", "position"),
      readout.positionFarOff == nil ? far.notAsked("not asked: the spread is too wide anyhow") : far,
      .upper("posterior over 20 deg away", 100 * readout.rivals, 100 * configuration.maxProbabilityBeyond20Degrees, "%", "converged"),
    ]
  }

  /// That the peer may be movingProbability withholds the angle by where it may have gone meanwhile: that is within the widths and shares. One
  /// that is known to walk may well have an angle.
  private static func walk(
    _ movingProbability: Double, _ update: NearbyUpdate, _ configuration: FinderConfiguration
  ) -> Gate {
    let gate = Gate.upper(
      "chance that it walks", 100 * movingProbability, 100 * configuration.maxProbabilityBeyond45Degrees, "%", Gate.all)
    guard gate.verdict == .failed, update.object.horizontalAngle != nil else { return gate }
    return gate.notAsked("where it may have gone is within the limits", keepsValue: true)
  }

  /// The gates of the signal. They withhold nothing by themselves.
  static func signal(
    _ link: PeerLink, _ update: NearbyUpdate, rate: Double, _ configuration: FinderConfiguration
  ) -> [Gate] {
    let nothing = "nothing by itself"
    let gate = Gate.lower("ranges a second", rate, 2, "Hz", nothing)
    let heard = link.record.firstRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let silence = link.record.lastNewRange.map { update.timestamp.seconds(since: $0) } ?? 0
    let astray = link.aoaValidity.isRefuted ? 1 : link.aoaValidity.probability
    var gates = [
      Gate.upper("since a range told anything new", max(silence, 0), configuration.rangeTimeout, "s", nothing),
      heard < 2 ? gate.notAsked("heard for less than two seconds", keepsValue: true) : gate,
      .lower("sight free of late", 100 * link.record.clearness, 100 * UpdateBuilder.nlosClearness, "%", nothing),
    ]
    if astray > 0 {
      gates.append(
        .upper("chance that its angles of arrival mislead", 100 * astray, 100 * configuration.maxProbabilityBeyond20Degrees, "%", nothing))
    }
    if case .number(let power) = update.details["power"] {
      gates.append(.lower("received power", power, configuration.weakPower, "dBm", nothing))
    }
    return gates
  }
}
