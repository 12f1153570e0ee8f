import Geometry

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
