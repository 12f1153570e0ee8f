import Estimator
import Foundation
import Geometry
import LeastSquares
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

/// The posterior of a tracked peer.
extension TrackedPeer {
  /// The peer's state (position, then the biases in the order of `LinkLayout`) and its covariance relative to the
  /// device at `origin` (world), row-major. The relative position error is `e = dt - dp - theta x d`, which angles and
  /// distances depend on.
  package func relative(filter: any NavigationFilter, origin: Vector3) -> (mean: [Double], covariance: [Double]) {
    let state = filter.vector(block)
    let skew = (Vector3(state[0], state[1], state[2]) - origin).skew
    let width = filter.covariance.size(of: filter.poseBlock)
    let (n, m) = (state.count, width + state.count)
    let p = filter.covariance.marginal([filter.poseBlock, block])
    // e = [d]x theta - dp + dt; the origin's lever arm also rotates with theta and is centimetres: it is neglected.
    var j = [[(index: Int, value: Double)]](repeating: [], count: n)
    for r in 0..<n {
      j[r] = [(width + r, 1)]
      if r < 3 { j[r] += (0..<3).map { ($0, skew[r, $0]) } + [(3 + r, -1)] }
    }
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0..<n {
        for a in j[r] { for b in j[c] { covariance[r * n + c] += a.value * p[a.index * m + b.index] * b.value } }
      }
    }
    return (state, covariance)
  }

  /// The peer as seen from the device at `origin` (world).
  package func gaussian(filter: any NavigationFilter, origin: Vector3) -> PositionGaussian {
    let (state, p) = relative(filter: filter, origin: origin)
    let (n, s) = (state.count, layout.scale)
    func row(_ r: Int) -> Vector3 { Vector3(p[r * n], p[r * n + 1], p[r * n + 2]) }
    var result = PositionGaussian(
      weight: 1, position: Vector3(state[0], state[1], state[2]), covariance: Matrix3(rows: row(0), row(1), row(2)))
    result.scale = state[s]
    result.scaleCovariance = row(s)
    result.scaleVariance = p[s * n + s]
    return result
  }

  /// The same posterior as a part of a Gaussian-sum filter.
  package func part(weight: Double, filter: any NavigationFilter) -> PeerFilter.Part {
    let (mean, covariance) = relative(filter: filter, origin: filter.worldFromBody.translation)
    return PeerFilter.Part(
      probability: weight, mean: mean, covariance: covariance, losProbability: chain.losProbability)
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let n = filter.covariance.size(of: block)
    let p = filter.covariance.marginal([block])
    return Matrix3(
      rows: Vector3(p[0], p[1], p[2]), Vector3(p[n], p[n + 1], p[n + 2]), Vector3(p[2 * n], p[2 * n + 1], p[2 * n + 2]))
  }
}

/// Angles of arrival (AoA) of a tracked peer.
extension TrackedPeer {
  /// Weight of an AoA that came with the last range; call before its update.
  package mutating func aoaWeight(
    of measured: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter
  ) -> AoAWeight {
    guard !measured.isEmpty else { return .none }
    let independence = lastAoA.map { aoaErrors.weight(after: lastRange.seconds(since: $0)) } ?? 1
    lastAoA = lastRange
    aoaErrors.record(
      measured.map { ($0.cosine - model($0, antenna, filter).cosine) / $0.variance.squareRoot() }, at: lastRange)
    return isNLOS ? .none : aoaBias.weight(of: measured, independence: independence)
  }

  /// Log predictive density of the AoA, tempered by its weight.
  package func logDensity(
    of measured: [DirectionCosine], aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter
  ) -> Double {
    guard aoaWeight.unbiased > 0 else { return 0 }
    return measured.reduce(0) { sum, cosine in
      guard let row = row(of: cosine, aoaWeight: aoaWeight, antenna: antenna, filter: filter) else { return sum }
      let logLikelihoodBeyondBias = aoaWeight.logLikelihoodBeyondBias(
        Lanes(repeating: row.residual), spread: Lanes(repeating: row.spread),
        noise: Lanes(repeating: row.slope * row.slope * cosine.variance),
        slope: Lanes(repeating: row.slope),
        outlierProbability: Lanes(repeating: configuration.aoaOutlierProbability))[0]
      return sum
        + aoaWeight.measurement * log(max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300))
        + logLikelihoodBeyondBias
    }
  }

  /// Updates by the direction cosines of an AoA.
  ///
  /// - Parameter weight: as for ranges.
  package mutating func update(
    _ measured: [DirectionCosine], aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter,
    weight: Double = 1
  ) {
    guard aoaWeight.measurement > 0 else { return }
    for cosine in measured {
      guard let row = row(of: cosine, aoaWeight: aoaWeight, antenna: antenna, filter: filter) else { continue }
      let responsibility = row.regular / max(row.regular + 0.5 * configuration.aoaOutlierProbability, 1e-300)
      guard responsibility > 0.02 else { continue }
      let result = filter.covariance.update(
        jacobian: row.jacobian, residual: row.residual, noise: row.noise / responsibility, probability: weight,
        own: block)
      if case .accepted(_, let correction) = result { filter.apply(correction) }
    }
  }

  private func model(
    _ measured: DirectionCosine, _ antenna: Vector3, _ filter: any NavigationFilter
  ) -> DirectionCosineModel {
    let state = filter.vector(block)
    let peer = Vector3(state[0], state[1], state[2])
    return DirectionCosineModel(
      axis: measured.axis(towards: peer - filter.worldFromNavigation * antenna), peer: peer,
      worldFromNavigation: filter.worldFromNavigation, antenna: antenna)
  }

  /// Residual, variance and Jacobian of one direction cosine, and the inlier density, 1/1; nil where the peer is too
  /// near.
  private func row(
    of measured: DirectionCosine, aoaWeight: AoAWeight, antenna: Vector3, filter: any NavigationFilter
  ) -> (
    residual: Double, noise: Double, slope: Double, spread: Double, jacobian: [(ErrorCovariance.Block, [Double])],
    regular: Double
  )? {
    let model = model(measured, antenna, filter)
    guard model.distance > 0.3 else { return nil }
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 {
      (pose[k], pose[3 + k], peer[k]) = (model.rotationJacobian[k], model.positionJacobian[k], model.peerJacobian[k])
    }
    let jacobian = [(filter.poseBlock, pose), (block, peer)]
    let state = filter.vector(block)
    let slope = measured.slope(
      towards: Vector3(state[0], state[1], state[2]) - filter.worldFromNavigation * antenna)
    let (residual, noise) = (
      measured.cosine - model.cosine, slope * slope * measured.variance / max(aoaWeight.measurement, 1e-9)
    )
    let spread = Self.variance(jacobian, in: filter.covariance)
    let regular =
      (1 - configuration.aoaOutlierProbability) * slope * NormalDistribution.density(residual, variance: spread + noise)
    return (residual, noise, slope, spread, jacobian, regular)
  }
}
