import Foundation

/// Prior of a link's state at its first range.
struct LinkPrior {
  let configuration: RangingConfiguration
  let layout: LinkLayout
  /// Mean and variance of the constant bias, metres, where it is known from before.
  var bias: (mean: Double, variance: Double)?

  /// State of a new component without its direction. The first range ties the distance to the biases: `rho = z - s z -
  /// b - a_j - b_j - e - n`.
  func half(
    _ first: PeerFilter.Range, _ noise: RangeNoise, isNLOS: Bool
  ) -> (logPrior: Double, scalars: [Double], covariance: [Double]) {
    let n = layout.dimension
    let columns = layout.columns(of: first.antennaID)
    func square(_ x: Double) -> Double { x * x }
    var variances = [Double](repeating: 0, count: n)
    variances[layout.bias] = bias?.variance ?? square(configuration.biasPrior)
    variances[layout.scale] = square(configuration.scalePrior)
    for k in layout.coloured { variances[k] = square(noise.coloured) }
    for k in layout.antennaBiases { variances[k] = square(configuration.antennaBiasPrior) }
    for (axis, k) in layout.velocity.enumerated() { variances[k] = square(configuration.peerVelocityModel.speed[axis]) }
    // The NLOS bias is not observable yet: the moments of the truncated normal distribution.
    let (nlosBias, nlosVariance) =
      isNLOS
      ? TruncatedNormal(mean: configuration.nlosMean, variance: square(configuration.nlosSpread)).moments : (0, 0)
    variances[layout.nlosBias] = nlosVariance

    let distance = max(first.range - nlosBias - (bias?.mean ?? 0), 0.05)
    var tied: [(index: Int, weight: Double)] = [
      (layout.bias, 1), (layout.scale, distance), (columns.coloured, 1), (layout.nlosBias, 1),
    ]
    if let constant = columns.constant { tied.append((constant, 1)) }
    variances[2] = square(noise.white) + first.extraVariance + (isNLOS ? square(configuration.nlosNoise) : 0)
    for (k, weight) in tied { variances[2] += weight * weight * variances[k] }
    var p = [Double](repeating: 0, count: n * n)
    for k in 0..<n { p[k * n + k] = variances[k] }
    for j in layout.coloured {
      let shared = configuration.antennaCorrelation * square(noise.coloured)
      for k in layout.coloured where k != j { p[j * n + k] = shared }
      if j != columns.coloured {
        p[2 * n + j] = -shared
        p[j * n + 2] = -shared
      }
    }
    for (k, weight) in tied {
      p[2 * n + k] = -weight * variances[k]
      p[k * n + 2] = -weight * variances[k]
    }
    var scalars = [Double](repeating: 0, count: n - 2)
    scalars[0] = distance
    scalars[layout.bias - 2] = bias?.mean ?? 0
    scalars[layout.nlosBias - 2] = nlosBias
    let rate = configuration.losLossRate + configuration.losReturnRate
    let probability = (isNLOS ? configuration.losLossRate : configuration.losReturnRate) / rate
    return (log(probability), scalars, p)
  }
}
