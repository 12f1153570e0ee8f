import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// Ranges on their way in: kept until there is a trajectory, then placed on it.
extension PeerLink {
  /// Keeps a range that came while there was no trajectory: for now it tells a distance, no more.
  func keep(_ range: RangeMeasurement) {
    record.note(range)
    guard !isRepeated(range, antenna: nil) else { return record.recordDuplicate(range) }
    _ = record.recordNewRange(at: range.timestamp)
    record.keep(range)
    kept.append(range)
    kept.removeAll { range.timestamp.seconds(since: $0.timestamp) > 10 }
  }

  /// Whether a range is the one before once more; `antenna` is its place in the world, metres, nil where there is no path.
  func isRepeated(_ range: RangeMeasurement, antenna: Vector3?) -> Bool {
    repeats[range.antenna ?? "", default: DuplicateRangeDetector()].isRepeated(range, antenna: antenna)
  }

  /// Uses the kept ranges at the trajectory's first pose, where the device was not yet far: noise grows with how far a hand
  /// may have moved since. Who was quiet hardly moved, and all ranges of that time count: they tell the radio's noise, and whether its sight
  /// has just been blocked. Before that the unknown motion is common to neighbours, so one per half second counts.
  func begin(on filter: any NavigationFilter, antenna: (String?) -> Vector3) {
    drift = filter.accumulatedDrift
    guard case .searching(var posterior) = stage else { return }
    let quietSince = filter.quietSince ?? filter.time
    let quietSpeed = min(filter.velocitySigma, configuration.handSpeedSigma)
    var next = Timestamp(nanoseconds: .max)
    var chosen: [(range: RangeMeasurement, away: Double)] = []
    for range in kept.reversed() where range.timestamp <= next {
      let quiet = abs(filter.time.seconds(since: max(range.timestamp, quietSince)))
      let unseen = max(quietSince.seconds(since: range.timestamp), 0)
      chosen.append((range, quietSpeed * quiet + configuration.handSpeedSigma * unseen))
      next = range.timestamp.advanced(bySeconds: unseen > 0 ? -0.5 : 0)
    }
    kept = []
    for (range, away) in chosen.reversed() {
      let placed = measured(range, antenna: antenna(range.antenna), filter: filter, extraVariance: away * away)
      aoaValidity.hear(placed, before: posterior)
      let outcome = posterior.update(placed)
      _ = aoaValidity.weigh(placed, logPredictiveDensity: outcome?.logDensity, lost: AccumulatedDrift(), seconds: 0, others: 0)
      record.tally(range.timestamp, wasUsed: outcome.map { $0.free > 0.5 }, isWaiting: !posterior.hasBegun)
      rangesTaken += 1
    }
    stage = .searching(posterior)
  }

  func measured(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, extraVariance: Double = 0
  ) -> PeerFilter.Range {
    var placed = PeerFilter.Range(
      timestamp: range.timestamp, range: range.range, antenna: filter.worldFromBody * antenna,
      device: filter.worldFromBody.translation, antennaID: range.antenna, reportedNLOS: range.nonLineOfSight,
      extraVariance: extraVariance)
    placed.isVelocityKnown = filter.isVelocityKnown
    // Where the device stood when earlier ranges came is known roughly, how it was held is not.
    if extraVariance == 0, !aoaValidity.isRefuted { placed.cosines = cosines(range, filter: filter) }
    return placed
  }

  /// The angles of arrival that came with a range.
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
  /// Square of the distance to the device, expected, m^2; 0 before the first range.
  func squaredDistance(from filter: any NavigationFilter) -> Double {
    let device = filter.worldFromBody.translation
    return gaussians.reduce(0) { $0 + $1.weight * ($1.position - device).squaredNorm }
  }
}
