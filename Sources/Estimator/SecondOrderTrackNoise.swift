import Geometry
import CameraGeometry

/// What an uncertain inverse distance does to a linearised sight.
///
/// A sight depends on `rho (p_i - p_anchor)`. The linearisation leaves out the product of both errors, which is of the
/// order of the measurement itself where the parallax is little. Worse, the part of rho's error that comes from the prior
/// or from a wrong baseline is the same for all points seen at that time: it does not average out over them, so it
/// counts as many times as there are points.
package struct SecondOrderTrackNoise {
  private var variance: Double
  private var ways: [Matrix3] = []
  /// Variance of a component of the longest baseline over its square.
  private(set) var relativeBaseline = 0.0

  /// - Parameters:
  ///   - feature: the point, anchored at the clone of index `anchor`.
  ///   - sigma: of its inverse distance if the poses were exact, 1/m.
  ///   - companions: number of points that share the common part of the error.
  ///   - trustsClosedForm: a baseline's error scales what was found instead of what may be true.
  package init(
    _ feature: BearingFeature, sigma: Double, prior: InverseDistancePrior, companions: Int, clones: [Clone],
    anchor: Int, trustsClosedForm: Bool, covariance: ErrorCovariance
  ) {
    var farthest = 0.0
    for clone in clones {
      let way = Self.covariance(from: clones[anchor], to: clone, covariance)
      let baseline = (clone.worldFromCamera.translation - clones[anchor].worldFromCamera.translation).squaredNorm
      if baseline > farthest { (farthest, relativeBaseline) = (baseline, way.trace / 3 / baseline) }
      ways.append(way)
    }
    let rho = feature.inverseDistance
    let priorVariance = prior.sigma * prior.sigma
    let fromPrior = min(sigma * sigma / priorVariance, 1)
    let square =
      trustsClosedForm
      ? rho * rho : Self.trueSquare(found: rho, sigma: sigma, relativeBaseline: relativeBaseline, prior: prior)
    let common = min(sigma * sigma * fromPrior + square * relativeBaseline, priorVariance)
    variance = sigma * sigma * (1 - fromPrior) + common * Double(max(companions, 1))
  }

  /// Expected square of the true inverse distance of points found at `found`, 1/m^2.
  ///
  /// An error of the baseline scales what is found, `found = rho b / b_found + n`: a measurement of rho with the variance
  /// `E[rho^2] relativeBaseline + sigma^2`, beside the prior. Its result stands in its own noise; four rounds from the prior's
  /// second moment make them agree. It is within 30 % around the prior's mean, and still too little for points found at infinity
  /// with a baseline known to half. The square of what was found in its place would be certain of its own mistake: a state that
  /// drifts away while the hand stands finds every point infinitely far.
  ///
  /// - Parameters:
  ///   - sigma: of what was found if the poses were exact, 1/m.
  ///   - relativeBaseline: variance of a component of the longest baseline over its square.
  package static func trueSquare(
    found: Double, sigma: Double, relativeBaseline: Double, prior: InverseDistancePrior
  ) -> Double {
    let priorVariance = prior.sigma * prior.sigma
    // Far beyond one, a baseline tells nothing, however little it is known.
    let relativeBaseline = min(relativeBaseline, 100)
    var square = prior.mean * prior.mean + priorVariance
    for _ in 0..<4 {
      let noise = square * relativeBaseline + sigma * sigma
      // Both weights times the noise, which is zero for exact poses and pixels.
      let mean = (prior.mean * noise + found * priorVariance) / (priorVariance + noise)
      square = mean * mean + priorVariance * noise / (priorVariance + noise)
    }
    return square
  }

  /// Variance to add to a coordinate of a sight; `gradient` as in `ReprojectionJacobian`.
  func variance(sight: Int, gradient: Vector3) -> Double {
    variance * ways[sight].form(gradient, gradient)
  }

  /// Covariance of the way between two clones.
  private static func covariance(from a: Clone, to b: Clone, _ covariance: ErrorCovariance) -> Matrix3 {
    guard a.id != b.id else { return .zero }
    let p = covariance.offset(of: a.block) + 3, q = covariance.offset(of: b.block) + 3
    func element(_ i: Int, _ j: Int) -> Double {
      let own = covariance[p + i, p + j] + covariance[q + i, q + j]
      return own - covariance[p + i, q + j] - covariance[q + i, p + j]
    }
    var way = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { way[i, j] = element(i, j) } }
    return way
  }
}
