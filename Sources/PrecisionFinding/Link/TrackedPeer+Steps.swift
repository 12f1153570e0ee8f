import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// Steps of the range update.
extension TrackedPeer {
  /// Time update of the Gauss-Markov biases.
  func predict(seconds: Double, metres: Double, pose: PoseVisit, filter: any NavigationFilter) {
    guard seconds > 0 else { return }
    var state = filter.vector(block)
    let phi = noise.memory(after: seconds, metres: metres, path: pose.path)
    var decay = [Double](repeating: 1, count: state.count)
    var variance = [Double](repeating: 0, count: state.count)
    for k in 0..<3 { variance[k] = configuration.peerRandomWalk * configuration.peerRandomWalk * seconds }
    if isNLOS { variance[layout.nlosBias] = configuration.nlosRandomWalk * configuration.nlosRandomWalk * seconds }
    let fresh = noise.coloured * noise.coloured * (1 - phi * phi) + noise.renewal(after: pose.revisits)
    for k in layout.coloured {
      state[k] *= phi
      decay[k] = phi
      variance[k] = (1 - configuration.antennaCorrelation) * fresh
    }
    filter.setVector(block, to: state)
    filter.covariance.addNoise(
      block, decay: decay, variance: variance, common: (layout.coloured, configuration.antennaCorrelation * fresh))
  }

  /// The range minus its LOS prediction, metres, with its Jacobian; nil so near that the direction rotates faster than
  /// the linearisation holds.
  func row(
    of range: RangeMeasurement, antenna: Vector3, filter: any NavigationFilter
  ) -> (residual: Double, jacobian: [(ErrorCovariance.Block, [Double])])? {
    let state = filter.vector(block)
    // The vertical component is linearised at its current value: its slope in the range changes with it, and it has no
    // part in the unobservable heading.
    var first = filter.firstVector(block)
    first[2] = state[2]
    func model(_ state: [Double], _ worldFromNavigation: Pose) -> RangeModel {
      RangeModel(
        peer: Vector3(state[0], state[1], state[2]), worldFromNavigation: worldFromNavigation, antenna: antenna)
    }
    let present = model(state, filter.worldFromNavigation)
    guard present.distance > 0.3 else { return nil }
    let columns = layout.columns(of: range.antenna)
    let predicted = present.predicted(
      scale: state[layout.scale], bias: state[layout.bias], coloured: state[columns.coloured],
      antennaBias: columns.constant.map { state[$0] } ?? 0)
    let linearised = model(first, filter.firstWorldFromNavigation)
    return (
      range.range - predicted, jacobian(linearised, scale: 1 + first[layout.scale], columns, filter: filter)
    )
  }

  private func jacobian(
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
    peer[layout.nlosBias] = 1
    return [(filter.poseBlock, pose), (block, peer)]
  }

  static func variance(_ row: [(ErrorCovariance.Block, [Double])], in covariance: ErrorCovariance) -> Double {
    let p = covariance.marginal(row.map(\.0))
    let h = row.flatMap(\.1)
    var sum = 0.0
    for i in h.indices where h[i] != 0 { for j in h.indices { sum += h[i] * p[i * h.count + j] * h[j] } }
    return max(sum, 0)
  }
}

/// The LOS/NLOS state of a tracked peer.
extension TrackedPeer {
  func likelihood(_ innovation: Double, _ variance: Double) -> (value: RangeLikelihood, variance: Double) {
    (
      RangeLikelihood(
        innovation: innovation, variance: variance, rangeOutlierProbability: configuration.rangeOutlierProbability,
        rangeOutlierScale: configuration.rangeOutlierScale), variance
    )
  }

  /// Decides between LOS and NLOS, and starts or ends an NLOS interval. Its bias is a state of its own for the
  /// interval, so that NLOS neither moves the peer nor contradicts it.
  mutating func updateLOS(
    _ innovation: Double, variance: Double, los: RangeLikelihood, filter: any NavigationFilter
  ) {
    let nlosNoiseVariance = configuration.nlosNoise * configuration.nlosNoise
    let prior = NLOSBiasPrior(configuration)
    var (losDensity, fresh) = (los.total, prior.near)
    let nlosDensity: Double
    if isNLOS {
      let own = TruncatedNormal(
        mean: filter.vector(block)[layout.nlosBias],
        variance: filter.covariance.marginal([block])[layout.nlosBias * (layout.dimension + 1)])
      // In NLOS, `variance` already holds that of the bias.
      losDensity = likelihood(innovation, max(variance - own.variance, 1e-6)).value.total
      nlosDensity = density(innovation, variance: variance + nlosNoiseVariance, nlosBias: own)
    } else {
      let (near, far) = (
        (1 - prior.farProbability)
          * density(innovation, variance: variance + nlosNoiseVariance + prior.near.variance, nlosBias: prior.near),
        prior.farProbability
          * density(innovation, variance: variance + nlosNoiseVariance + prior.far.variance, nlosBias: prior.far)
      )
      nlosDensity = near + far
      if far > near { fresh = prior.far }
    }
    logDensity = log(max(chain.losProbability * losDensity + (1 - chain.losProbability) * nlosDensity, 1e-300))
    chain.update(losLikelihood: losDensity, nlosLikelihood: nlosDensity)
    let nlosNow = chain.losProbability < 0.5
    guard nlosNow != isNLOS else { return }
    isNLOS = nlosNow
    setNLOSBias(to: nlosNow ? fresh.mean : 0, variance: nlosNow ? fresh.variance : 0, filter)
  }

  /// Density of a range in NLOS, 1/m; `variance` holds that of the bias. The bias cannot be negative: see the kernel's
  /// `LOSTransition`.
  private func density(_ innovation: Double, variance: Double, nlosBias: TruncatedNormal) -> Double {
    let gain = nlosBias.variance / variance
    let after = TruncatedNormal(
      mean: nlosBias.mean + gain * (innovation - nlosBias.mean), variance: nlosBias.variance * (1 - gain))
    return likelihood(innovation - nlosBias.mean, variance).value.total * after.probabilityAboveZero
      / nlosBias.probabilityAboveZero
  }

  /// Resets the NLOS bias, uncorrelated with everything else.
  func setNLOSBias(to mean: Double, variance: Double, _ filter: any NavigationFilter) {
    var state = filter.vector(block)
    state[layout.nlosBias] = mean
    filter.setVector(block, to: state)
    var decay = [Double](repeating: 1, count: state.count)
    decay[layout.nlosBias] = 0
    var noise = [Double](repeating: 0, count: state.count)
    noise[layout.nlosBias] = variance
    filter.covariance.addNoise(block, decay: decay, variance: noise)
  }

  /// Whether a single Gaussian explains the NLOS bias. Below the limits the peer is elsewhere. Above, it may have left
  /// or be behind a wall, which hypotheses distinguish and one Gaussian cannot.
  func isPlausible(_ nlosBias: Double) -> Bool {
    nlosBias > -0.4 * configuration.nlosSpread && nlosBias < configuration.nlosMean + 3 * configuration.nlosSpread
  }
}
