import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// A peer as a state of the filter: position and biases in the order of `LinkLayout`, cross-correlated with the
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

  private let block: ErrorCovariance.Block
  private let configuration: RangingConfiguration
  private let layout: LinkLayout
  /// The link's noise, as the hypotheses left it.
  package let noise: RangeNoise
  package private(set) var chain: LineOfSightChain
  private var lastRange: Timestamp
  private var lastPosition: Vector3
  private var lastAngle: Timestamp?
  private var angleWorth = 0.0
  private var isBlocked = false
  private var contradictions = 0
  private var contradictedSince: Timestamp?
  /// What the last range told against what was expected, and the 1-sigma of that, metres; nil where it was not weighed.
  package private(set) var innovation: (value: Double, sigma: Double)?
  /// Logarithm of the density that was foretold for the last range, 1/m; nil where it was not weighed.
  package private(set) var logDensity: Double?

  /// Hands a posterior with one mode left over to the filter. Its ranges are in the posterior and are not used again.
  ///
  /// The posterior is relative to the device as it stands now, so the peer's error is the device's (position, and heading
  /// times lever) plus the posterior's own: `dt = dp + theta_z z x d + dd`. The trajectory's drift within the posterior's
  /// lifetime is in `dd` already.
  package init?(
    _ posterior: PeerPosterior, filter: any NavigationFilter, configuration: RangingConfiguration, antennas: [String]
  ) {
    guard let merged = posterior.merged, let noise = posterior.noise else { return nil }
    let n = merged.mean.count
    let position = Vector3(merged.mean[0], merged.mean[1], merged.mean[2])
    let turn = Vector3(0, 0, 1).cross(position - filter.worldFromNavigation.translation)
    let width = filter.covariance.size(of: filter.poseBlock)
    var jacobian = [Double](repeating: 0, count: n * width)
    for r in 0..<3 {
      jacobian[r * width + 2] = turn[r]
      jacobian[r * width + 3 + r] = 1
    }
    guard
      let block = filter.addVector(
        merged.mean, jacobian: [(filter.poseBlock, jacobian)], independent: merged.covariance)
    else { return nil }
    self.block = block
    self.configuration = configuration
    layout = LinkLayout(antennas: antennas)
    lastPosition = filter.worldFromBody.translation
    self.noise = noise
    chain = LineOfSightChain(
      blockingRate: configuration.blockingRate, clearingRate: configuration.clearingRate, free: posterior.free)
    lastRange = filter.time
    isBlocked = posterior.free < 0.5
    if !isBlocked { setExcess(to: 0, variance: 0, filter) }
  }

  /// The range update, at the filter's time: `z = (1 + s) |t - p - R l| + b + a_j + b_j + n`.
  package mutating func update(_ range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter) -> Outcome {
    let seconds = range.timestamp.seconds(since: lastRange)
    lastRange = range.timestamp
    innovation = nil
    logDensity = nil
    predict(seconds: seconds, metres: (filter.worldFromBody.translation - lastPosition).norm, filter: filter)
    lastPosition = filter.worldFromBody.translation
    chain.predict(seconds: seconds)
    if let guess = range.nonLineOfSight { chain.update(radioGuess: guess) }

    let state = filter.vector(block)
    let first = filter.firstVector(block)
    let model = RangeModel(
      peer: Vector3(state[0], state[1], state[2]), worldFromNavigation: filter.worldFromNavigation, antenna: antenna)
    let linearised = RangeModel(
      peer: Vector3(first[0], first[1], first[2]), worldFromNavigation: filter.firstWorldFromNavigation,
      antenna: antenna)
    let columns = layout.columns(of: range.antenna)
    let predicted =
      model.distance * (1 + state[layout.scale]) + state[layout.bias] + state[columns.coloured]
      + (columns.constant.map { state[$0] } ?? 0)
    guard model.distance > 0.3 else { return reject(short: false, at: range.timestamp) }

    // The sight first: free, or blocked with the excess of this spell, or of one that begins now.
    let jacobian = rows(linearised, scale: 1 + first[layout.scale], columns, filter: filter)
    let white = noise.white * noise.white
    let free = likelihood(range.range - predicted, Self.variance(jacobian, in: filter.covariance) + white)
    judgeSight(range.range - predicted, variance: free.variance, free: free.value, filter: filter)

    // Then the update, in whichever state the sight is: a free one has no excess and no variance there.
    let residual = range.range - predicted - filter.vector(block)[layout.excess]
    let noiseVariance = white + (isBlocked ? configuration.blockedNoise * configuration.blockedNoise : 0)
    let spread = Self.variance(jacobian, in: filter.covariance)
    innovation = (residual, (spread + noiseVariance).squareRoot())
    let regular = likelihood(residual, spread + noiseVariance).value.responsibility
    guard regular > 0.02 else { return reject(short: residual < 0, at: range.timestamp) }
    let result = filter.covariance.update(
      jacobian: jacobian, residual: [residual], noise: [noiseVariance / regular], gate: nil)
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

  /// The update by one cosine of an angle of arrival that came with the last range: `c = a . d / |d|` with
  /// `d = t - p - R l`, the axis a turning with the device. `dc/dtheta = a x u - R l x g`, `dc/dp = -g`, `dc/dt = g`, where
  /// `u = d / |d|` and `g = (a - c u) / |d|`.
  package mutating func update(_ measured: AxisCosine, antenna: Vector3, filter: any NavigationFilter) {
    let seconds = lastAngle.map { lastRange.seconds(since: $0) } ?? .infinity
    // Both cosines of one angle are worth the same.
    if seconds > 0 { angleWorth = min(seconds / configuration.angleMemory, 1) }
    lastAngle = lastRange
    guard angleWorth > 0, !isBlocked else { return }
    let state = filter.vector(block)
    let lever = filter.worldFromNavigation.rotation * antenna
    let d = Vector3(state[0], state[1], state[2]) - filter.worldFromNavigation.translation - lever
    guard d.norm > 0.3 else { return }
    let (cosine, gradient) = measured.model(d)
    let turn = measured.axis.cross(d.normalized) - lever.cross(gradient)
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 { (pose[k], pose[3 + k], peer[k]) = (turn[k], -gradient[k], gradient[k]) }
    let row = [(filter.poseBlock, pose), (block, peer)]
    let (residual, noise) = (measured.cosine - cosine, measured.variance / angleWorth)
    let strange = configuration.strangeAngleShare
    let regular = (1 - strange) * RangeLikelihood.normal(residual, Self.variance(row, in: filter.covariance) + noise)
    let responsibility = regular / (regular + 0.5 * strange + 1e-300)
    guard responsibility > 0.02 else { return }
    let result = filter.covariance.update(
      jacobian: row, residual: [residual], noise: [noise / responsibility], gate: nil)
    if case .accepted(_, let correction) = result { filter.apply(correction) }
  }

  private func likelihood(_ innovation: Double, _ variance: Double) -> (value: RangeLikelihood, variance: Double) {
    (
      RangeLikelihood(
        innovation: innovation, variance: variance, grossShare: configuration.grossShare,
        grossSpread: configuration.grossSpread), variance
    )
  }

  /// Decides between a free and a blocked sight, and begins or ends a spell: its excess is a number of its own for as long as
  /// it lasts, so that a blocked sight neither moves the peer nor contradicts it.
  private mutating func judgeSight(
    _ innovation: Double, variance: Double, free: RangeLikelihood, filter: any NavigationFilter
  ) {
    let state = filter.vector(block)
    let flutter = configuration.blockedNoise * configuration.blockedNoise
    let fresh = configuration.excessSpread * configuration.excessSpread
    // While blocked, `variance` already holds that of the excess.
    let (mean, extra) = isBlocked ? (state[layout.excess], flutter) : (configuration.excessMean, flutter + fresh)
    let own = isBlocked ? filter.covariance.marginal([block])[layout.excess * (layout.dimension + 1)] : fresh
    // An excess cannot be negative: see `HypothesisScratch.assimilate`.
    let before = CutNormal(mean: mean, variance: own)
    let gain = own / (variance + extra)
    let after = CutNormal(mean: mean + gain * (innovation - mean), variance: own * (1 - gain))
    let ifFree = isBlocked ? likelihood(innovation, max(variance - own, 1e-6)).value.total : free.total
    let ifBlocked = likelihood(innovation - mean, variance + extra).value.total * after.share / before.share
    logDensity = log(max(chain.free * ifFree + (1 - chain.free) * ifBlocked, 1e-300))
    chain.update(likelihoodFree: ifFree, likelihoodBlocked: ifBlocked)
    let blockedNow = chain.free < 0.5
    guard blockedNow != isBlocked else { return }
    isBlocked = blockedNow
    setExcess(to: blockedNow ? configuration.excessMean : 0, variance: blockedNow ? fresh : 0, filter)
  }

  /// Begins the excess anew, apart from everything else.
  private func setExcess(to mean: Double, variance: Double, _ filter: any NavigationFilter) {
    var state = filter.vector(block)
    state[layout.excess] = mean
    filter.setVector(block, to: state)
    var decay = [Double](repeating: 1, count: state.count)
    decay[layout.excess] = 0
    var noise = [Double](repeating: 0, count: state.count)
    noise[layout.excess] = variance
    filter.covariance.addNoise(block, decay: decay, variance: noise)
  }

  /// An excess that no reflection has: the peer is elsewhere.
  private func isPlausible(_ excess: Double) -> Bool {
    excess > -0.4 * configuration.excessSpread && excess < configuration.excessMean + 3 * configuration.excessSpread
  }

  /// Three refusals too short in a row cannot be a blocked sight; three seconds of refusals may be a peer that left.
  private mutating func reject(short: Bool, at time: Timestamp) -> Outcome {
    let since = contradictedSince ?? time
    contradictedSince = since
    contradictions = short ? contradictions + 1 : 0
    if contradictions >= 3 || time.seconds(since: since) > 3 { return .contradicted }
    return .rejected
  }

  /// Lets the peer wander by `variance`, m^2 an axis.
  package func wander(variance: Double, filter: any NavigationFilter) {
    guard variance > 0 else { return }
    let n = layout.dimension
    filter.covariance.addNoise(
      block, decay: [Double](repeating: 1, count: n), variance: (0..<n).map { $0 < 3 ? variance : 0 })
  }

  /// Lets the Gauss-Markov biases forget.
  private func predict(seconds: Double, metres: Double, filter: any NavigationFilter) {
    guard seconds > 0 else { return }
    var state = filter.vector(block)
    let phi = noise.memory(after: seconds, metres: metres)
    var decay = [Double](repeating: 1, count: state.count)
    var variance = [Double](repeating: 0, count: state.count)
    for k in 0..<3 { variance[k] = configuration.peerRandomWalk * configuration.peerRandomWalk * seconds }
    if isBlocked { variance[layout.excess] = configuration.excessWalk * configuration.excessWalk * seconds }
    for k in layout.coloured {
      state[k] *= phi
      decay[k] = phi
      variance[k] = noise.coloured * noise.coloured * (1 - phi * phi)
    }
    filter.setVector(block, to: state)
    filter.covariance.addNoise(block, decay: decay, variance: variance)
  }

  private func rows(
    _ model: RangeModel, scale: Double, _ columns: BiasColumns, filter: any NavigationFilter
  ) -> [(ErrorCovariance.Block, [Double])] {
    var pose = [Double](repeating: 0, count: filter.covariance.size(of: filter.poseBlock))
    for k in 0..<3 {
      pose[k] = scale * model.rotationJacobian[k]
      pose[3 + k] = scale * model.positionJacobian[k]
    }
    var peer = [Double](repeating: 0, count: layout.dimension)
    for k in 0..<3 { peer[k] = scale * model.peerJacobian[k] }
    peer[layout.bias] = 1
    peer[layout.scale] = model.distance
    peer[columns.coloured] = 1
    if let constant = columns.constant { peer[constant] = 1 }
    peer[layout.excess] = 1
    return [(filter.poseBlock, pose), (block, peer)]
  }

  private static func variance(_ row: [(ErrorCovariance.Block, [Double])], in covariance: ErrorCovariance) -> Double {
    let p = covariance.marginal(row.map(\.0))
    let h = row.flatMap(\.1)
    var sum = 0.0
    for i in h.indices where h[i] != 0 { for j in h.indices { sum += h[i] * p[i * h.count + j] * h[j] } }
    return max(sum, 0)
  }

  /// The peer as seen from the device at `origin` (world): its position, and the covariance relative to the device,
  /// `e = dt - dp - theta x d`, which is what angles and distances feel.
  package func gaussian(filter: any NavigationFilter, origin: Vector3) -> TargetGaussian {
    let state = filter.vector(block)
    let position = Vector3(state[0], state[1], state[2])
    let skew = (position - origin).skew
    let width = filter.covariance.size(of: filter.poseBlock)
    let n = width + state.count
    let p = filter.covariance.marginal([filter.poseBlock, block])
    // e = [d]x theta - dp + dt; the origin's lever arm moves with theta too and is centimetres: it is left out.
    var j = [[Double]](repeating: [Double](repeating: 0, count: n), count: 3)
    for r in 0..<3 {
      for c in 0..<3 { j[r][c] = skew[r, c] }
      j[r][3 + r] = -1
      j[r][width + r] = 1
    }
    var relative = Matrix3.zero
    for r in 0..<3 {
      for c in 0..<3 {
        var sum = 0.0
        for a in 0..<n where j[r][a] != 0 {
          for b in 0..<n where j[c][b] != 0 { sum += j[r][a] * p[a * n + b] * j[c][b] }
        }
        relative[r, c] = sum
      }
    }
    var result = TargetGaussian(weight: 1, position: position, covariance: relative)
    let s = width + layout.scale
    result.scale = state[layout.scale]
    for r in 0..<3 {
      for a in 0..<n where j[r][a] != 0 { result.scaleCovariance[r] += j[r][a] * p[a * n + s] }
    }
    result.scaleVariance = p[s * n + s]
    return result
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let n = filter.covariance.size(of: block)
    let p = filter.covariance.marginal([block])
    return Matrix3(
      rows: Vector3(p[0], p[1], p[2]), Vector3(p[n], p[n + 1], p[n + 2]), Vector3(p[2 * n], p[2 * n + 1], p[2 * n + 2]))
  }

  /// Takes the peer out of the filter.
  package func remove(from filter: any NavigationFilter) { filter.removeVector(block) }
}
