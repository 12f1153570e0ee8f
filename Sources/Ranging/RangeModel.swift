import Geometry

/// One range between antenna j of the device and a peer: `z = (1 + s) r + b + a_j + b_j + e + n`, `r = |t - p - R l_j|`.
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
