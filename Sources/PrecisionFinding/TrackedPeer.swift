import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// A place of a peer as a state of the filter: position and biases in the order of `LinkLayout`, cross-correlated with the
/// trajectory, updated range by range.
package struct TrackedPeer {
  /// What became of a range.
  package enum Outcome {
    case used
    /// Blocked or gross: the range moved nothing.
    case rejected
    /// The ranges contradict the state again and again: the hypotheses must be opened anew.
    case contradicted
  }

  /// Its part of the filter's state, in the order of `LinkLayout`.
  package let block: ErrorCovariance.Block
  let configuration: RangingConfiguration
  let layout: LinkLayout
  /// The link's noise, as the hypotheses left it.
  package internal(set) var noise: RangeNoise
  package internal(set) var chain: LineOfSightChain
  /// How often the sight was lost.
  package private(set) var sight: NLOSRateEstimator
  var lastRange: Timestamp
  var lastPosition: Vector3
  var angles: AoAErrorCorrelation
  var angleOffset: AoABias
  var lastAngle: Timestamp?
  var isBlocked = false
  var contradictions = 0
  var contradictedSince: Timestamp?
  /// What the last range told against what was expected, and the 1-sigma of that, metres; nil where it was not weighed.
  package private(set) var innovation: (value: Double, sigma: Double)?
  /// Logarithm of the density that was logPredictiveDensity for the last range, 1/m; nil where it was not weighed.
  package internal(set) var logDensity: Double?

  /// Hands a place over to the filter. The ranges it knows are in the posterior and are not used again.
  ///
  /// The posterior is relative to the device as it stands now, so the peer's error is the device's (position, and heading
  /// times lever) plus the posterior's own: `dt = dp + theta_z z x d + dd`. The trajectory's drift within the posterior's
  /// lifetime is in `dd` already.
  package init?(
    _ mode: PeerFilter.Mode, of posterior: PeerFilter, filter: any NavigationFilter,
    configuration: RangingConfiguration, antennas: [String]
  ) {
    guard let noise = posterior.noise else { return nil }
    let n = mode.mean.count
    let position = Vector3(mode.mean[0], mode.mean[1], mode.mean[2])
    let turn = Vector3(0, 0, 1).cross(position - filter.worldFromNavigation.translation)
    let width = filter.covariance.size(of: filter.poseBlock)
    var jacobian = [Double](repeating: 0, count: n * width)
    for r in 0..<3 {
      jacobian[r * width + 2] = turn[r]
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
    angles = posterior.angles
    angleOffset = posterior.angleOffset
    lastAngle = posterior.lastAngle
    sight = posterior.sight
    chain = LineOfSightChain(
      losLossRate: sight.losLossRate, losReturnRate: configuration.losReturnRate, free: posterior.free)
    lastRange = filter.time
    isBlocked = posterior.free < 0.5
    if !isBlocked { setNLOSBias(to: 0, variance: 0, filter) }
  }

  /// Before a range's update: lets time pass, and judges the sight by how well the range was logPredictiveDensity, which `logDensity` keeps.
  package mutating func foresee(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) {
    let seconds = range.timestamp.seconds(since: lastRange)
    lastRange = range.timestamp
    logDensity = nil
    predict(seconds: seconds, metres: (filter.worldFromBody.translation - lastPosition).norm, filter: filter)
    lastPosition = filter.worldFromBody.translation
    sight.note(seconds: seconds, free: chain.free)
    chain.losLossRate = sight.losLossRate
    chain.predict(seconds: seconds)
    if let blocked = range.nonLineOfSight {
      chain.update(ReportedNLOS(blocked: blocked, seconds: seconds, rate: configuration.losTransitionRate))
    }
    guard let row = row(of: range, antenna: antenna, filter: filter) else { return }
    let free = likelihood(
      row.residual, Self.variance(row.jacobian, in: filter.covariance) + noise.white * noise.white)
    judgeObservation(row.residual, variance: free.variance, free: free.value, filter: filter)
  }

  /// The range update, at the filter's time: `z = (1 + s) |t - p - R l| + b + a_j + b_j + e + n`.
  ///
  /// - Parameter share: probability that the peer is at this place: the range counts so much for the trajectory.
  package mutating func update(
    _ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter, share: Double = 1
  ) -> Outcome {
    innovation = nil
    guard let row = row(of: range, antenna: antenna, filter: filter) else {
      return reject(short: false, at: range.timestamp)
    }
    // In whichever state the sight is: a free one has no excess and no variance there.
    let residual = row.residual - filter.vector(block)[layout.excess]
    let noiseVariance =
      noise.white * noise.white + (isBlocked ? configuration.nlosNoise * configuration.nlosNoise : 0)
    let spread = Self.variance(row.jacobian, in: filter.covariance)
    innovation = (residual, (spread + noiseVariance).squareRoot())
    let regular = likelihood(residual, spread + noiseVariance).value.responsibility
    guard regular > 0.02 else { return reject(short: residual < 0, at: range.timestamp) }
    let result = filter.covariance.update(
      jacobian: row.jacobian, residual: residual, noise: noiseVariance / regular, share: share, own: block)
    guard case .accepted(_, let correction) = result else {
      return reject(short: residual < 0, at: range.timestamp)
    }
    filter.apply(correction)
    let excess = filter.vector(block)[layout.excess]
    guard regular > 0.5, isPlausible(excess) else { return reject(short: residual < 0, at: range.timestamp) }
    contradictions = 0
    contradictedSince = nil
    return isBlocked ? .rejected : .used
  }

  /// Three refusals too short in a row cannot be a blocked sight; three seconds of refusals may be a peer that left.
  private mutating func reject(short: Bool, at time: Timestamp) -> Outcome {
    let since = contradictedSince ?? time
    contradictedSince = since
    contradictions = short ? contradictions + 1 : 0
    if contradictions >= 3 || time.seconds(since: since) > 3 { return .contradicted }
    return .rejected
  }

  /// Takes the peer out of the filter.
  package func remove(from filter: any NavigationFilter) { filter.removeVector(block) }
}
