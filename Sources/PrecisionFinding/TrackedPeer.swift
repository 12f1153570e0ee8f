import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// One mode of a peer as a state of the filter: position and biases in the order of `LinkLayout`, cross-correlated with
/// the trajectory, updated range by range.
package struct TrackedPeer {
  /// What became of a range.
  package enum Outcome {
    case used
    /// NLOS or an outlier: the range moved nothing.
    case rejected
    /// The ranges contradict the state again and again: the search must restart.
    case contradicted
  }

  /// Its part of the filter's state, in the order of `LinkLayout`.
  package let block: ErrorCovariance.Block
  let configuration: RangingConfiguration
  let layout: LinkLayout
  /// The link's noise model from the search.
  package internal(set) var noise: RangeNoise
  package internal(set) var chain: LineOfSightChain
  /// Rate estimate of LOS losses.
  package private(set) var nlosRate: NLOSRateEstimator
  var lastRange: Timestamp
  var lastPosition: Vector3
  var aoaErrors: AoAErrorCorrelation
  var aoaBias: AoABias
  var lastAoA: Timestamp?
  var isNLOS = false
  var contradictions = 0
  var contradictedSince: Timestamp?
  /// Innovation of the last range and its 1-sigma, metres; nil where it was not processed.
  package private(set) var innovation: (value: Double, sigma: Double)?
  /// Log predictive density of the last range, 1/m; nil where it was not processed.
  package internal(set) var logDensity: Double?

  /// Augments the filter with a mode. The ranges of the posterior are included and are not used again.
  ///
  /// The posterior is relative to the current device, so the peer's error is the device's (position, and heading times
  /// lever) plus the posterior's own: `dt = dp + theta_z z x d + dd`. The trajectory's drift during the search is in
  /// `dd` already.
  package init?(
    _ mode: PeerFilter.Mode, of posterior: PeerFilter, filter: any NavigationFilter,
    configuration: RangingConfiguration, antennas: [String]
  ) {
    guard let noise = posterior.noise else { return nil }
    let n = mode.mean.count
    let position = Vector3(mode.mean[0], mode.mean[1], mode.mean[2])
    let tangent = Vector3(0, 0, 1).cross(position - filter.worldFromNavigation.translation)
    let width = filter.covariance.size(of: filter.poseBlock)
    var jacobian = [Double](repeating: 0, count: n * width)
    for r in 0..<3 {
      jacobian[r * width + 2] = tangent[r]
      jacobian[r * width + 3 + r] = 1
    }
    guard
      let block = filter.augment(
        mode.mean, jacobian: [(filter.poseBlock, jacobian)], independent: mode.covariance)
    else { return nil }
    self.block = block
    self.configuration = configuration
    layout = LinkLayout(antennas: antennas)
    lastPosition = filter.worldFromBody.translation
    self.noise = noise.coloured(atLeast: configuration.foundPeerNoise)
    aoaErrors = posterior.aoaErrors
    aoaBias = posterior.aoaBias
    lastAoA = posterior.lastAoA
    nlosRate = posterior.nlosRate
    chain = LineOfSightChain(
      losLossRate: nlosRate.losLossRate, losReturnRate: configuration.losReturnRate,
      losProbability: posterior.losProbability)
    lastRange = filter.time
    isNLOS = posterior.losProbability < 0.5
    if !isNLOS { setNLOSBias(to: 0, variance: 0, filter) }
  }

  /// Time update before a range, and LOS/NLOS decision by its predictive density, which `logDensity` keeps.
  package mutating func predict(
    _ range: RangeMeasurement, pose: PoseVisit = PoseVisit(), antenna: Vector3, filter: any NavigationFilter
  ) {
    let seconds = range.timestamp.seconds(since: lastRange)
    lastRange = range.timestamp
    logDensity = nil
    predict(
      seconds: seconds, metres: (filter.worldFromBody.translation - lastPosition).norm, pose: pose, filter: filter)
    lastPosition = filter.worldFromBody.translation
    nlosRate.record(seconds: seconds, losProbability: chain.losProbability)
    chain.losLossRate = nlosRate.losLossRate
    chain.predict(seconds: seconds)
    if let probability = range.nonLineOfSight {
      chain.update(ReportedNLOS(probability: probability, seconds: seconds, rate: configuration.losTransitionRate))
    }
    guard let row = row(of: range, antenna: antenna, filter: filter) else { return }
    let los = likelihood(
      row.residual, Self.variance(row.jacobian, in: filter.covariance) + noise.white * noise.white)
    updateLOS(row.residual, variance: los.variance, los: los.value, filter: filter)
  }

  /// The range update, at the filter's time: `z = (1 + s) |t - p - R l| + b + a_j + b_j + e + n`.
  ///
  /// - Parameter weight: probability of this mode: the weight of the range for the trajectory.
  package mutating func update(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, weight: Double = 1
  ) -> Outcome {
    innovation = nil
    guard let row = row(of: range, antenna: antenna, filter: filter) else {
      return reject(short: false, at: range.timestamp)
    }
    // In LOS and NLOS alike: in LOS the bias and its variance are 0.
    let residual = row.residual - filter.vector(block)[layout.nlosBias]
    let noiseVariance =
      noise.white * noise.white + (isNLOS ? configuration.nlosNoise * configuration.nlosNoise : 0)
    let spread = Self.variance(row.jacobian, in: filter.covariance)
    innovation = (residual, (spread + noiseVariance).squareRoot())
    let regular = likelihood(residual, spread + noiseVariance).value.responsibility
    guard regular > 0.02 else { return reject(short: residual < 0, at: range.timestamp) }
    let result = filter.covariance.update(
      jacobian: row.jacobian, residual: residual, noise: noiseVariance / regular, probability: weight, own: block)
    guard case .accepted(_, let correction) = result else {
      return reject(short: residual < 0, at: range.timestamp)
    }
    filter.apply(correction)
    let nlosBias = filter.vector(block)[layout.nlosBias]
    guard regular > 0.5, isPlausible(nlosBias) else { return reject(short: residual < 0, at: range.timestamp) }
    contradictions = 0
    contradictedSince = nil
    return isNLOS ? .rejected : .used
  }

  /// Three rejected ranges in a row that are too short cannot be NLOS; three seconds of rejections may be a peer that
  /// left.
  private mutating func reject(short: Bool, at time: Timestamp) -> Outcome {
    let since = contradictedSince ?? time
    contradictedSince = since
    contradictions = short ? contradictions + 1 : 0
    if contradictions >= 3 || time.seconds(since: since) > 3 { return .contradicted }
    return .rejected
  }

  /// Removes the peer from the filter.
  package func remove(from filter: any NavigationFilter) { filter.removeVector(block) }
}
