import Foundation
import Geometry

/// What is read off the hypotheses.
extension PeerFilter {
  /// The hypotheses with their shares, as if withDirections: coarsely, and as one a direction, because all directions say the same.
  private var spread: (set: GaussianSum, shares: [Double])? {
    guard let hypotheses else { return nil }
    guard isDirectionUnobserved else { return (hypotheses, normalized) }
    let set = withDirections(hypotheses.merged(shares: normalized), directions: Self.fewestDirections)
    return (set, Self.shares(set.logWeight))
  }

  func withDirections(_ set: GaussianSum, directions: Int) -> GaussianSum {
    set.withDirections(over: FibonacciLattice.directions(directions)) { u in
      let elevation = asin(u.z) / configuration.elevationPrior
      return -0.5 * elevation * elevation
    }
  }

  /// Weights that sum to 1, from their logarithms.
  static func shares(_ logWeight: [Double]) -> [Double] {
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

  /// The posterior over the peer's position as Gaussians; those below 1e-5 are left out. Where there are many, the posterior is
  /// broad, and those of one direction of the lattice are told as one with the mean and covariance of all.
  ///
  /// - Parameter seconds: since the newest range: a peer that isMoving has gone on.
  package func gaussians(after seconds: Double) -> [PositionGaussian] {
    guard let (set, normalized) = spread else { return [] }
    let step = isMoving && seconds > 0 ? configuration.walk.step(seconds) : nil
    let listed = normalized.reduce(0) { $0 + ($1 > Self.leastWeight ? 1 : 0) }
    return listed > Self.manyGaussians
      ? set.gaussiansOfNodes(weights: normalized, above: Self.leastWeight, after: step)
      : set.gaussians(weights: normalized, above: Self.leastWeight, after: step)
  }

  /// Gaussians of lesser weight say nothing.
  private static let leastWeight = 1e-5

  /// The same at the newest range.
  package var gaussians: [PositionGaussian] { gaussians(after: 0) }

  /// More Gaussians than this are told by directions of the lattice.
  private static let manyGaussians = 400

  /// Length of the mean direction from where the first range was taken, 0...1: near 1 when all hypotheses agree on it.
  package var agreement: Double {
    guard let set = hypotheses, !isDirectionUnobserved else { return 0 }
    var sum = Vector3.zero
    for i in 0..<set.count { sum += normalized[i] * set.direction(i) }
    return sum.norm
  }

  /// The whole posterior as one place: for the hand-over to a filter, once one is left.
  package var merged: Mode? {
    guard let (set, shares) = spread else { return nil }
    return mode(Array(0..<set.count), of: set, shares: shares)
  }

  /// The noise of the link as the posterior sees it: the candidates' variances weighted by their probabilities, and the memory that keeps the
  /// density at low frequencies. Whoever begins with it learns the white part further from there, as from a stated one.
  package var noise: RangeNoise? {
    guard let set = hypotheses else { return nil }
    let candidates = zip(set.noises, noiseShares(set))
    let coloured = candidates.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured }
    let lasting = candidates.reduce(0) { $0 + $1.1 * $1.0.coloured * $1.0.coloured * $1.0.correlationTime }
    return RangeNoise(
      white: candidates.reduce(0) { $0 + $1.1 * $1.0.white * $1.0.white }.squareRoot(),
      degrees: configuration.statedNoisePseudoCount,
      coloured: coloured.squareRoot(), correlationTime: coloured > 0 ? lasting / coloured : 1,
      correlationLength: configuration.correlationLength)
  }

  /// Shares of the noise candidates.
  func noiseShares(_ set: borrowing GaussianSum) -> [Double] {
    var shares = [Double](repeating: 0, count: set.noises.count)
    for i in 0..<set.count { shares[Int(set.noise[i])] += normalized[i] }
    return shares
  }
}
