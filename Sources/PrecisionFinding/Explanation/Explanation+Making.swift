import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

extension Explanation {
  /// Explains an update that has just been made.
  ///
  /// - Parameter filter: the trajectory at that moment; nil where there was none.
  init(
    _ update: NearbyUpdate, _ link: PeerLink, filter: (any NavigationFilter)?, bodyFromDevice: Pose,
    blindness: String?, _ configuration: FinderConfiguration
  ) {
    self.update = update
    self.blindness = blindness
    hypotheses = link.hypotheses
    isTracked = link.isTracked
    free = link.free
    noise = link.noise
    let recent = Double(link.record.recent.count { update.timestamp.seconds(since: $0) <= 2 })
    rate = recent / 2
    guard let filter, let belief = link.belief(filter: filter, worldFromDevice: filter.worldFromBody * bodyFromDevice)
    else {
      (places, gates, manoeuvre) = ([], [], nil)
      return
    }
    let readout = Readout(
      belief, worldCovariance: link.worldCovariance(of: belief, filter: filter), configuration)
    let places = Place.places(of: belief)
    self.places = places
    gates = Self.judged(
      belief, readout, link, rate: rate, vertical: update.object.verticalDirectionEstimate, configuration)
    manoeuvre =
      update.convergence.status == .converged
      ? nil : Self.mostTelling(places, readout, belief, (link.noise, rate), configuration)
  }

  private static func judged(
    _ belief: Belief, _ readout: Readout, _ link: PeerLink, rate: Double, vertical: VerticalDirectionEstimate,
    _ configuration: FinderConfiguration
  ) -> [Gate] {
    let marginal = belief.horizontalAngle
    let width = 0.5 * (marginal.quantile(0.95) - marginal.quantile(0.05))
    let horizontal = belief.horizontalDistance
    let side = max(readout.vertical.above, readout.vertical.below, readout.vertical.same)
    // Hysteresis: a class that is named stays until it falls below the lower limit.
    let isNamed = [.same, .above, .below].contains(vertical)
    func upper(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(name: name, value: value, limit: limit, isUpperLimit: true, unit: unit, withholds: withholds)
    }
    func lower(_ name: String, _ value: Double, _ limit: Double, _ unit: String, _ withholds: String) -> Gate {
      Gate(name: name, value: value, limit: limit, isUpperLimit: false, unit: unit, withholds: withholds)
    }
    return [
      upper(
        "90 % half-width of the angle", Angle.inDegrees(width), configuration.angleHalfWidthDegrees, "deg", "angle"),
      upper(
        "posterior over 45 deg away", 100 * marginal.mass(beyond: .pi / 4), 100 * configuration.mirrorShare, "%",
        "angle"
      ),
      upper("doubt in all of it", 100 * belief.doubt, 100 * configuration.mirrorShare, "%", "angle"),
      lower("horizontal distance", horizontal.mean, max(0.5, 2 * horizontal.sigma), "m", "angle"),
      upper(
        "90 % cone of the direction", Angle.inDegrees(belief.direction.cone), configuration.directionConeDegrees,
        "deg", "direction"),
      lower(
        "likeliest height class", 100 * side,
        100 * (isNamed ? configuration.verticalDrop : configuration.verticalDecision), "%", "height class"),
      upper(
        "1-sigma of the position", readout.position.covariance.trace.squareRoot(),
        max(0.3, 0.15 * readout.distance.mean),
        "m", "position"),
      upper(
        "posterior over \(configuration.positionLimit) m off", 100 * (readout.positionFarOff ?? 1),
        100 * configuration.rivalShare, "%", "position"),
      upper("posterior over 20 deg away", 100 * readout.rivals, 100 * configuration.rivalShare, "%", "converged"),
      lower("ranges a second", rate, 2, "Hz", "signal"),
      lower("sight free of late", 100 * link.record.clearness, 20, "%", "signal"),
    ]
  }

  private static func mostTelling(
    _ places: [Place], _ readout: Readout, _ belief: Belief, _ link: (noise: RangeNoise?, rate: Double),
    _ configuration: FinderConfiguration
  ) -> Manoeuvre? {
    guard let first = places.first else { return nil }
    let device = belief.worldFromDevice
    if places.count > 1, readout.rivals > configuration.rivalShare {
      return .separating(
        places, limit: configuration.rivalShare, worldFromDevice: device, noise: link.noise, rate: link.rate)
    }
    let (across, up) = Place.axes(first.direction)
    if readout.angle == nil {
      let goal = Angle.degrees(configuration.angleHalfWidthDegrees) / 1.645
      return .narrowing(
        first.sideways, to: goal, axis: across, worldFromDevice: device, noise: link.noise, rate: link.rate)
    }
    // Position and height class: the wider axis, to what the position may err. 3.3 sigma leave a thousandth.
    let goal = min(0.15 / 2.0.squareRoot(), configuration.positionLimit / 3.3 / max(first.distance, 0.1))
    let isFlat = first.sideways > first.upwards
    return .narrowing(
      isFlat ? first.sideways : first.upwards, to: goal, axis: isFlat ? across : up, worldFromDevice: device,
      noise: link.noise, rate: link.rate)
  }
}
