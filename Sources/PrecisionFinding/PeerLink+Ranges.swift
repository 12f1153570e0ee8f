import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// Incoming ranges: kept until there is a trajectory, then placed on it.
extension PeerLink {
  /// Keeps a range that came without a trajectory: until then it gives only a distance.
  func keep(_ range: RangeMeasurement) {
    record.recordRange(range)
    guard !isDuplicate(range, antenna: nil) else { return record.recordDuplicate(range) }
    _ = record.recordNewRange(at: range.timestamp)
    record.recordKept(range)
    kept.append(range)
    kept.removeAll { range.timestamp.seconds(since: $0.timestamp) > 10 }
  }

  /// Whether a range is a duplicate of the previous one; `antenna` is its position in the world, metres, nil where
  /// there is no path.
  func isDuplicate(_ range: RangeMeasurement, antenna: Vector3?) -> Bool {
    duplicateDetectors[range.antenna ?? "", default: DuplicateRangeDetector()].isDuplicate(range, antenna: antenna)
  }

  /// What the rounding of an antenna's ranges adds to their variance, m^2 (`RangeResolution`).
  func roundingVariance(of antenna: String?) -> Double { duplicateDetectors[antenna ?? ""]?.resolution.variance ?? 0 }

  /// Uses the kept ranges at the trajectory's first pose; their noise grows with the distance the hand may have moved
  /// since. While the device was nearly still all ranges count: they inform the noise model and the LOS state. Before
  /// that, the unknown motion is common to neighbours, and one range per half second counts.
  func start(on filter: any NavigationFilter, antenna: (String?) -> Vector3) {
    drift = filter.accumulatedDrift
    guard case .searching(var posterior) = stage else { return }
    let nearlyStillSince = filter.nearlyStillSince ?? filter.time
    let stillSpeed = min(filter.velocitySigma, configuration.handSpeedSigma)
    var next = Timestamp(nanoseconds: .max)
    var chosen: [(range: RangeMeasurement, away: Double)] = []
    for range in kept.reversed() where range.timestamp <= next {
      let still = abs(filter.time.seconds(since: max(range.timestamp, nearlyStillSince)))
      let unknown = max(nearlyStillSince.seconds(since: range.timestamp), 0)
      chosen.append((range, stillSpeed * still + configuration.handSpeedSigma * unknown))
      next = range.timestamp.advanced(bySeconds: unknown > 0 ? -0.5 : 0)
    }
    kept = []
    for (range, away) in chosen.reversed() {
      var placed = worldRange(range, antenna: antenna(range.antenna), filter: filter, extraVariance: away * away)
      placed.extraVariance += roundingVariance(of: range.antenna)
      bank.observeAoA(placed, before: posterior)
      let outcome = posterior.update(placed)
      bank.updateWithoutAoA(
        placed, logPredictiveDensity: outcome?.logDensity, lost: AccumulatedDrift(), seconds: 0)
      record.tally(range.timestamp, wasUsed: outcome.map { $0.losProbability > 0.5 }, isWaiting: !posterior.hasBegun)
      rangesTaken += 1
    }
    stage = .searching(posterior)
  }

  func worldRange(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, extraVariance: Double = 0
  ) -> PeerFilter.Range {
    var placed = PeerFilter.Range(
      timestamp: range.timestamp, range: range.range, antenna: filter.worldFromBody * antenna,
      device: filter.worldFromBody.translation, antennaID: range.antenna, reportedNLOS: range.nonLineOfSight,
      extraVariance: extraVariance)
    placed.isVelocityKnown = filter.isVelocityKnown
    // The position at earlier ranges is known roughly, the orientation is not.
    if extraVariance == 0, !bank.isAoARefuted { placed.cosines = cosines(range, filter: filter) }
    return placed
  }

  /// Puts a smoothed range where it was measured from; the same range as the present place would have had it, by the best position of a tracked peer.
  func unsmoothed(
    _ range: RangeMeasurement, _ placed: inout PeerFilter.Range, filter: any NavigationFilter
  ) -> RangeMeasurement {
    guard let rangeFilter else { return range }
    let here = placed.antenna
    let there = smoothedPlaces[range.antenna ?? "", default: SmoothedPlace(rangeFilter)].visit(
      here, at: range.timestamp)
    guard case .tracked(let tracked) = stage else {
      placed.antenna = there
      placed.device = placed.device + (there - here)
      return range
    }
    var present = range
    let peer = tracked.best.gaussian(filter: filter, origin: here).position
    present.range += (peer - here).norm - (peer - there).norm
    placed.range = present.range
    return present
  }

  /// The AoA that came with a range, as direction cosines.
  private func cosines(_ range: RangeMeasurement, filter: any NavigationFilter) -> [DirectionCosine] {
    let floor = Angle.degrees(configuration.ranging.aoaFloorDegrees)
    return DirectionCosine.measured(
      azimuth: range.azimuth, elevation: range.elevation,
      deviation: max(range.angleStandardDeviation ?? 2 * floor, floor),
      cone: Angle.degrees(configuration.ranging.aoaConeDegrees),
      worldFromDevice: filter.worldFromBody.rotation * bodyFromDevice.rotation)
  }
}

extension PeerFilter {
  /// Expected squared distance to the device, m^2; 0 before the first range.
  func squaredDistance(from filter: any NavigationFilter) -> Double {
    let device = filter.worldFromBody.translation
    return gaussians.reduce(0) { $0 + $1.weight * ($1.position - device).squaredNorm }
  }
}
