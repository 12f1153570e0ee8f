import Geometry
import Ranging
import Simulation

/// Gaussian sums with random states and covariances, and a check of covariances.
enum RandomGaussianSum {
  static let noises = [
    RangeNoise(white: 0.05, coloured: 0.1, correlationTime: 3, correlationLength: 1),
    RangeNoise(white: 0.1, coloured: 0.03, correlationTime: 3, correlationLength: 1),
  ]

  static let velocityModels = [
    PeerVelocityModel(speed: Vector3(0.8, 0.7, 0.15), memory: 4),
    PeerVelocityModel(speed: Vector3(0.3, 0.35, 0.1), memory: 9),
  ]

  /// `count` LOS/NLOS pairs some metres from the anchor; `spread` scales their 1-sigma (1: centimetres and hundredths).
  static func make(
    _ random: inout SeededRandom, antennas: [String], count: Int, spread: Double = 1, isMoving: Bool = false
  ) -> GaussianSum {
    var set = GaussianSum(
      anchor: random.gaussian3(), layout: LinkLayout(antennas: antennas, isMoving: isMoving), noises: noises)
    if isMoving { set.velocityModels = velocityModels }
    let n = set.dimension
    for i in 0..<count {
      let u = random.direction()
      var scalars = (0..<(n - 2)).map { _ in 0.1 * random.gaussian() }
      scalars[0] = random.uniform(1...8)
      scalars[2] = 0.02 * random.gaussian()
      let root = (0..<(n * n)).map { _ in 0.02 * spread * random.gaussian() }
      var p = [Double](repeating: 0, count: n * n)
      for r in 0..<n {
        for c in 0..<n {
          for k in 0..<n { p[r * n + c] += root[r * n + k] * root[c * n + k] }
        }
        p[r * n + r] += 1e-4 * spread * spread
      }
      // The scale error is a ratio: its spread is a hundredth at most.
      for k in 0..<n {
        p[4 * n + k] *= 0.1
        p[k * n + 4] *= 0.1
      }
      // LOS has no NLOS bias and no variance of it.
      var (los, without) = (p, scalars)
      without[n - 3] = 0
      for k in 0..<n {
        los[(n - 1) * n + k] = 0
        los[k * n + n - 1] = 0
      }
      for (numbers, covariance) in [(without, los), (scalars, p)] {
        set.append(
          MixtureComponent(
            logWeight: random.uniform(-1...0), direction: u, tangent: u.tangentBasis.0, noise: i % 2,
            velocityModel: isMoving ? i / 2 % 2 : 0, scalars: numbers, covariance: covariance))
      }
    }
    return set
  }

  /// The smallest pivot of the Cholesky decomposition of the correlation matrix: positive if `p` is positive definite
  /// apart from zero rows.
  static func smallestPivot(_ p: [Double], _ n: Int) -> Double {
    var l = [Double](repeating: 0, count: n * n)
    var smallest = Double.infinity
    let known = (0..<n).filter { p[$0 * n + $0] == 0 }
    guard known.allSatisfy({ r in (0..<n).allSatisfy { p[r * n + $0] == 0 } }) else { return -1 }
    for r in 0..<n where !known.contains(r) {
      for c in 0...r where !known.contains(c) {
        var sum = p[r * n + c] / (p[r * n + r] * p[c * n + c]).squareRoot()
        for k in 0..<c { sum -= l[r * n + k] * l[c * n + k] }
        if r == c {
          guard sum > 0 else { return sum }
          smallest = min(smallest, sum)
          l[r * n + r] = sum.squareRoot()
        } else {
          l[r * n + c] = sum / l[c * n + c]
        }
      }
    }
    return smallest
  }
}

extension GaussianSum {
  /// Covariance of one component over (t, biases as in `layout`), row-major.
  func cartesianCovariance(_ i: Int) -> [Double] { moments(weights: (0..<count).map { $0 == i ? 1 : 0 }).covariance }
}
