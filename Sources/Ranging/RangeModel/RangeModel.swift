import Foundation
import Geometry

/// Measurement model of one range between antenna j of the device and a peer: `z = (1 + s) r + b + a_j + b_j + e + n`, `r = |t - p - R l_j|`.
///
/// Metres but for s. The peer is at t, the device at p with the rotation R, antenna j at `l_j` in the device. s: scale
/// error of the link; b: its bias; `a_j`: coloured error of the antenna, Gauss-Markov (`RangeNoise`); `b_j`: bias of
/// the antenna, with several antennas only; e: NLOS bias, 0 under LOS (`NLOSBiasPrior`); n: white noise. This type
/// evaluates r, its derivatives and the mean of z. The kernel of the Gaussian sum (`Shim/GaussianSum/PredictedRange.hpp`)
/// is a transcription of it, and is held to it in `RangeModelTests`.
///
/// LOS and NLOS alternate as a two-state Markov chain with the rates `losLossRate` and `losReturnRate`, 1/s. A range is
/// an outlier with the probability `rangeOutlierProbability`. Its innovation then has a Cauchy density with the squared
/// half-width `S + rangeOutlierScale^2`, m^2, S being the innovation variance (`RangeLikelihood`). So the likelihood of
/// a range is a mixture of LOS, NLOS and outlier. Derivation, priors, settings: docs/method/range-model.md.
///
/// Source: the range row of Delama et al., "UVIO", arXiv:2308.00513, with the anchor's Jacobian free of any rotation
/// (it is `d|t - p - R l|/dt = q`, a world-frame unit row).
package struct RangeModel: Equatable, Sendable {
  /// Unit vector from antenna to peer in the world: the row `q`.
  package let direction: Vector3
  /// Geometric distance from antenna to peer, metres.
  package let distance: Double
  /// The lever arm rotated into the world, `R l`, metres.
  package let lever: Vector3

  /// Evaluates the model at one state.
  ///
  /// - Parameters:
  ///   - peer: `t`, the peer in the world, metres.
  ///   - worldFromNavigation: the pose whose error is (theta in the world, p).
  ///   - antenna: `l`, the antenna in the navigation frame, metres.
  package init(peer: Vector3, worldFromNavigation: Pose, antenna: Vector3) {
    lever = worldFromNavigation.rotation * antenna
    let d = peer - worldFromNavigation.translation - lever
    distance = d.norm
    direction = distance > 1e-9 ? d / distance : Vector3(1, 0, 0)
  }

  /// The mean of a range, metres: `(1 + s) r + b + a_j + b_j`, e being zero.
  ///
  /// - Parameters:
  ///   - scale: s, a ratio.
  ///   - bias: b, metres.
  ///   - coloured: `a_j`, metres.
  ///   - antennaBias: `b_j`, metres.
  package func predicted(scale: Double, bias: Double, coloured: Double, antennaBias: Double) -> Double {
    distance * (1 + scale) + bias + coloured + antennaBias
  }

  /// `dr/dtheta` (1x3) of the world-frame rotation error `R = Exp(theta) R_hat`: `q [R l]x`.
  package var rotationJacobian: Vector3 { -lever.cross(direction) }
  /// `dr/dp` (1x3): `-q`.
  package var positionJacobian: Vector3 { -direction }
  /// `dr/dt` (1x3): `q`.
  package var peerJacobian: Vector3 { direction }
}

/// Order of a link's state: three numbers for the position of the peer, then the biases.
///
/// `(position 0..<3, b, s, a_1 ... a_m, b_1 ... b_m, v, e)`: the constant bias of the link, its scale error (of the
/// radio's clock, or of the trajectory), a Gauss-Markov bias for each of the m antennas, for m > 1 a constant bias for
/// each antenna, for a moving peer its velocity in the world, and the NLOS bias. A range is `(1 + s) distance + b + a_j
/// + b_j + e + n`; the whole model is in `RangeModel`.
package struct LinkLayout: Equatable, Sendable {
  private let antennas: [String]
  /// Whether the state has the peer's velocity.
  package let isMoving: Bool

  /// A layout for a device with these antennas.
  package init(antennas: [String], isMoving: Bool = false) {
    self.antennas = antennas.sorted()
    self.isMoving = isMoving
  }

  /// The same antennas, with a moving or a stationary peer.
  init(antennas layout: LinkLayout, isMoving: Bool) { (antennas, self.isMoving) = (layout.antennas, isMoving) }

  /// Number of antennas.
  package var antennaCount: Int { max(antennas.count, 1) }
  /// Number of states.
  package var dimension: Int { velocity.upperBound + 1 }
  /// Index of the constant bias.
  package var bias: Int { 3 }
  /// Index of the scale error.
  package var scale: Int { 4 }
  /// Indices of the Gauss-Markov biases.
  package var coloured: Range<Int> { 5..<(5 + antennaCount) }
  /// Indices of the antennas' constant biases; empty with one antenna.
  package var antennaBiases: Range<Int> { (5 + antennaCount)..<(5 + antennaCount * (antennaCount > 1 ? 2 : 1)) }
  /// Indices of the velocity, m/s along the axes of the world; empty for a stationary peer.
  package var velocity: Range<Int> { antennaBiases.upperBound..<(antennaBiases.upperBound + (isMoving ? 3 : 0)) }
  /// Index of the NLOS bias: zero under LOS.
  package var nlosBias: Int { dimension - 1 }

  /// Indices of one antenna's biases; an unknown or missing id means the first antenna.
  package func columns(of antenna: String?) -> BiasColumns {
    let k = antenna.flatMap { antennas.firstIndex(of: $0) } ?? 0
    return BiasColumns(coloured: 5 + k, constant: antennaCount > 1 ? 5 + antennaCount + k : nil)
  }
}

/// Indices of one antenna's biases in a link's state.
package struct BiasColumns: Equatable, Sendable {
  /// Its Gauss-Markov bias.
  package let coloured: Int
  /// Its constant bias; nil with one antenna.
  package let constant: Int?
}

/// Prior of a link's state at its first range.
struct LinkPrior {
  let configuration: RangingConfiguration
  let layout: LinkLayout
  /// 1-sigma of a moving peer's speed, each axis, m/s.
  var speed: Vector3?
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
    if let speed { for (axis, k) in layout.velocity.enumerated() { variances[k] = square(speed[axis]) } }
    // The NLOS bias is not observable yet: the moments of the truncated normal distribution.
    let (nlosBias, nlosVariance) =
      isNLOS
      ? TruncatedNormal(mean: configuration.nlosMean, variance: square(configuration.nlosSpread)).moments : (0, 0)
    variances[layout.nlosBias] = nlosVariance

    let biasMean = bias?.mean ?? configuration.biasMean
    let distance = max(first.range - nlosBias - biasMean, 0.05)
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
    scalars[layout.bias - 2] = biasMean
    scalars[layout.nlosBias - 2] = nlosBias
    let rate = configuration.losLossRate + configuration.losReturnRate
    let probability = (isNLOS ? configuration.losLossRate : configuration.losReturnRate) / rate
    return (log(probability), scalars, p)
  }
}
