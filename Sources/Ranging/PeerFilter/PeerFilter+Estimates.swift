import Foundation
import Geometry

/// Estimates from the posterior.
extension PeerFilter {
  /// The components with their weights. While the direction is unobserved, one component per direction of a coarse
  /// lattice.
  private var spread: (set: GaussianSum, weights: [Double])? {
    guard let hypotheses else { return nil }
    guard isDirectionUnobserved else { return (hypotheses, normalized) }
    let set = withDirections(hypotheses.merged(weights: normalized), directions: Self.fewestDirections)
    return (set, Self.weights(set.logWeight))
  }

  func withDirections(_ set: GaussianSum, directions: Int) -> GaussianSum {
    set.withDirections(over: FibonacciLattice.directions(directions), configuration.heightPrior)
  }

  /// Weights that sum to 1, from their logarithms.
  static func weights(_ logWeight: [Double]) -> [Double] {
    guard let best = logWeight.max() else { return [] }
    var weights = [Double](repeating: 0, count: logWeight.count)
    for start in stride(from: 0, to: weights.count, by: 4) {
      var four = Lanes.zero
      let lanes = min(4, weights.count - start)
      for lane in 0..<lanes { four[lane] = logWeight[start + lane] - best }
      four = Lanes.exp(four)
      for lane in 0..<lanes { weights[start + lane] = four[lane] }
    }
    let sum = weights.reduce(0, +)
    for i in weights.indices { weights[i] /= sum }
    return weights
  }

  /// The posterior of the peer's position as Gaussians with weights above 1e-5. Where there are many, those of one
  /// lattice direction are merged by their moments.
  ///
  /// - Parameter seconds: since the newest range, for the prediction of a moving peer.
  package func gaussians(after seconds: Double) -> [PositionGaussian] {
    guard let (set, normalized) = spread else { return [] }
    let listed = normalized.reduce(0) { $0 + ($1 > Self.leastWeight ? 1 : 0) }
    return listed > Self.manyGaussians
      ? set.gaussiansByLatticeDirection(weights: normalized, above: Self.leastWeight, after: seconds)
      : set.gaussians(weights: normalized, above: Self.leastWeight, after: seconds)
  }

  /// Gaussians below this weight are left out.
  private static let leastWeight = 1e-5

  /// The same at the newest range.
  package var gaussians: [PositionGaussian] { gaussians(after: 0) }

  /// More Gaussians than this are merged by lattice direction.
  private static let manyGaussians = 400

  /// Mean resultant length of the directions from the anchor, 0...1: near 1 when all components agree.
  package var meanResultantLength: Double {
    guard let set = hypotheses, !isDirectionUnobserved else { return 0 }
    var sum = Vector3.zero
    for i in 0..<set.count { sum += normalized[i] * set.direction(i) }
    return sum.norm
  }

  /// Moments of the whole posterior: position (world, metres), then the biases as in `LinkLayout`; the covariance row-major. Nil before initialisation.
  package var merged: (mean: [Double], covariance: [Double])? {
    guard let (set, weights) = spread else { return nil }
    return set.moments(weights: weights)
  }

  /// Posterior mean of the noise of the link: the candidates' variances weighted by their probabilities, with the
  /// correlation time that keeps the spectral density at low frequencies. A filter that uses it continues to estimate
  /// the white part, as from a stated one.
  package var noise: RangeNoise? {
    guard let set = hypotheses else { return nil }
    let candidates = zip(set.noises, noiseProbabilities(set))
    let coloured = candidates.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured }
    // Those of the place count with their size; the memory is that of the others, a process in time.
    let inTime = candidates.filter { $0.0.law == .time }
    let bound = candidates.filter { $0.0.law == .pose }
    let ofPose = bound.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured }
    let posePath = bound.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured * $1.0.correlationLength }
    let isOfPose = 2 * ofPose > coloured
    let whole = inTime.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured }
    let lasting = inTime.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured * $1.0.correlationTime }
    return RangeNoise(
      white: candidates.reduce(0) { $0 + $1.1 * $1.0.white * $1.0.white }.squareRoot(),
      degrees: configuration.statedNoisePseudoCount,
      coloured: coloured.squareRoot(), correlationTime: whole > 0 ? lasting / whole : 1,
      correlationLength: isOfPose ? posePath / ofPose : configuration.correlationLength, law: isOfPose ? .pose : .time)
  }

  /// Posterior probabilities of the noise candidates.
  func noiseProbabilities(_ set: borrowing GaussianSum) -> [Double] {
    var weights = [Double](repeating: 0, count: set.noises.count)
    for i in 0..<set.count { weights[Int(set.noise[i])] += normalized[i] }
    return weights
  }
}

/// Posterior of the radio's parameters, without the peer's position: it is kept when a trajectory is restarted.
package struct LinkKnowledge: Sendable {
  /// Constant bias, metres: mean and variance.
  package var bias: (mean: Double, variance: Double)
  /// Noise candidates with their estimated white parts and posterior probabilities.
  package var noises: [(noise: RangeNoise, probability: Double)]
  /// NLOS rate of the link.
  package var nlosRate: NLOSRateEstimator
}

extension PeerFilter {
  /// Posterior of the radio's parameters; nil before initialisation.
  package var linkKnowledge: LinkKnowledge? {
    guard let set = hypotheses, let merged else { return knowledge }
    let (n, bias) = (layout.dimension, layout.bias)
    let probabilities = noiseProbabilities(set)
    // A diverged filter may contain NaN.
    guard merged.mean[bias].isFinite, merged.covariance[bias * (n + 1)] >= 0 else { return knowledge }
    return LinkKnowledge(
      bias: (merged.mean[bias], merged.covariance[bias * (n + 1)]),
      noises: zip(set.noises, probabilities).filter { $0.1 > 0 }.map { (noise: $0, probability: $1) },
      nlosRate: nlosRate)
  }

  /// The same filter with known radio parameters and no information on the position.
  package func withLinkKnowledge(_ knowledge: LinkKnowledge?) -> PeerFilter {
    var copy = self
    copy.knowledge = knowledge
    if let knowledge { copy.nlosRate = knowledge.nlosRate }
    return copy
  }
}
