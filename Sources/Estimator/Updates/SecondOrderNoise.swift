import CameraGeometry
import Geometry

/// Second-order noise of a track's observation due to the uncertain inverse distance.
///
/// An observation depends on `rho (p_i - p_anchor)`. The linearisation neglects the product of both errors, which is of
/// the order of the measurement itself at little parallax. The part of rho's error due to the prior or to a wrong
/// baseline is common to all points observed at that time. It does not average out, so it counts as many times as there
/// are points.
package struct SecondOrderTrackNoise {
  private var variance: Double
  private var displacementCovariances: [Matrix3] = []
  /// Variance of a component of the longest baseline over its square.
  private(set) var relativeBaseline = 0.0

  /// - Parameters:
  ///   - feature: the point, anchored at the clone of index `anchor`.
  ///   - sigma: of its inverse distance for exact poses, 1/m.
  ///   - companions: number of points that share the common part of the error.
  ///   - usesEstimatedDepth: scale a baseline's error by the estimated inverse distance instead of the expected true
  ///     one.
  package init(
    _ feature: BearingFeature, sigma: Double, prior: InverseDistancePrior, companions: Int, clones: [Clone],
    anchor: Int, usesEstimatedDepth: Bool, covariance: ErrorCovariance
  ) {
    var farthest = 0.0
    for clone in clones {
      let displacementCovariance = Self.covariance(from: clones[anchor], to: clone, covariance)
      let baseline = (clone.worldFromCamera.translation - clones[anchor].worldFromCamera.translation).squaredNorm
      if baseline > farthest { (farthest, relativeBaseline) = (baseline, displacementCovariance.trace / 3 / baseline) }
      displacementCovariances.append(displacementCovariance)
    }
    let rho = feature.inverseDistance
    let priorVariance = prior.sigma * prior.sigma
    let fromPrior = min(sigma * sigma / priorVariance, 1)
    let square =
      usesEstimatedDepth
      ? rho * rho : Self.trueSquare(found: rho, sigma: sigma, relativeBaseline: relativeBaseline, prior: prior)
    let common = min(sigma * sigma * fromPrior + square * relativeBaseline, priorVariance)
    variance = sigma * sigma * (1 - fromPrior) + common * Double(max(companions, 1))
  }

  /// Expected square of the true inverse distance, given the estimate `found`, 1/m^2.
  ///
  /// An error of the baseline scales the estimate, `found = rho b / b_found + n`: a measurement of rho with variance
  /// `E[rho^2] relativeBaseline + sigma^2`, combined with the prior. The result appears in its own noise; four
  /// iterations from the prior's second moment suffice. It is accurate within 30 % around the prior's mean, and too
  /// small for points estimated at infinity with a baseline known to half. The square of the estimate instead would be
  /// overconfident: a state that drifts while the hand is stationary estimates every point at infinity.
  ///
  /// - Parameters:
  ///   - sigma: of the estimate for exact poses, 1/m.
  ///   - relativeBaseline: variance of a component of the longest baseline over its square.
  package static func trueSquare(
    found: Double, sigma: Double, relativeBaseline: Double, prior: InverseDistancePrior
  ) -> Double {
    let priorVariance = prior.sigma * prior.sigma
    // Far above one, the baseline carries no information anyway.
    let relativeBaseline = min(relativeBaseline, 100)
    var square = prior.mean * prior.mean + priorVariance
    for _ in 0..<4 {
      let noise = square * relativeBaseline + sigma * sigma
      // Both weights are multiplied by the noise, which is zero for exact poses and pixels.
      let mean = (prior.mean * noise + found * priorVariance) / (priorVariance + noise)
      square = mean * mean + priorVariance * noise / (priorVariance + noise)
    }
    return square
  }

  /// Variance to add to a coordinate of an observation; `gradient` as in `ReprojectionJacobian`.
  func variance(observation: Int, gradient: Vector3) -> Double {
    variance * displacementCovariances[observation].form(gradient, gradient)
  }

  /// Covariance of the displacement between two clones.
  private static func covariance(from a: Clone, to b: Clone, _ covariance: ErrorCovariance) -> Matrix3 {
    guard a.id != b.id else { return .zero }
    let p = covariance.offset(of: a.block) + 3, q = covariance.offset(of: b.block) + 3
    func element(_ i: Int, _ j: Int) -> Double {
      let own = covariance[p + i, p + j] + covariance[q + i, q + j]
      return own - covariance[p + i, q + j] - covariance[q + i, p + j]
    }
    var displacementCovariance = Matrix3.zero
    for i in 0..<3 { for j in 0..<3 { displacementCovariance[i, j] = element(i, j) } }
    return displacementCovariance
  }
}

/// Second-order noise of a landmark's observation: the product of the errors of its inverse distance and of the
/// displacement from its anchor, which the linearisation neglects.
///
/// For Gaussian errors x of rho and y of the displacement along a gradient, `E[(x y)^2] = var(x) var(y) + 2 cov(x,
/// y)^2`. With little parallax the landmarks' distances have a common error, and while anchors stay the same the
/// products repeat in every frame. They average out neither over landmarks nor over frames, and so count as many times
/// as there are both.
struct SecondOrderLandmarkNoise {
  private let repetitions: Double
  private var rho = 0.0
  private var displacementCovariance = Matrix3.zero
  private var cross = Vector3.zero

  /// - Parameter repetitions: observations that share the error: landmarks times frames.
  init(_ landmark: Landmark, clone: Clone, anchor: Clone, repetitions: Double, _ covariance: ErrorCovariance) {
    self.repetitions = repetitions
    guard clone.id != anchor.id else { return }
    let i = covariance.offset(of: clone.block) + 3, a = covariance.offset(of: anchor.block) + 3
    let f = covariance.offset(of: landmark.block) + 2
    rho = covariance[f, f]
    for j in 0..<3 {
      cross[j] = covariance[i + j, f] - covariance[a + j, f]
      for k in 0..<3 {
        displacementCovariance[j, k] =
          covariance[i + j, i + k] + covariance[a + j, a + k] - covariance[i + j, a + k] - covariance[a + j, i + k]
      }
    }
  }

  /// Variance to add to a coordinate of the observation; `gradient` as in `ReprojectionJacobian`.
  func variance(_ gradient: Vector3) -> Double {
    let joint = gradient.dot(cross)
    return repetitions * max(rho * displacementCovariance.form(gradient, gradient) + 2 * joint * joint, 0)
  }
}
