import Foundation
import Geometry
import Ranging

/// What the posterior of one peer says as seen from the device now: every output is read off this, each on its own.
package struct Belief {
  /// The device axes in the estimate's world.
  package let worldFromDevice: Pose
  /// The posterior; shares sum to 1.
  package let gaussians: [TargetGaussian]
  /// The same with what the side is mistaken for: the height, and all that holds it, is read off these. The images behind a plane that leans lie elsewhere
  /// horizontally, too, but there the hypotheses know what is left of them.
  package let places: [TargetGaussian]
  /// Probability that all this is wrong and the peer anywhere: what `ContradictionWatch` thinks of it.
  package let doubt: Double
  /// Variance of the device's axes, rad^2.
  let axesVariance: Double

  /// - Parameters:
  ///   - axesUncertainty: 1-sigma of the device's axes, radians.
  ///   - doubt: probability that the posterior is wrong, 0...1.
  ///   - mirror: what makes it doubtful on which side of the path's plane the peer is; nil: nothing.
  package init(
    worldFromDevice: Pose, gaussians: [TargetGaussian], axesUncertainty: Double = 0, doubt: Double = 0,
    mirror: HeightMirror? = nil
  ) {
    self.worldFromDevice = worldFromDevice
    self.doubt = doubt
    axesVariance = axesUncertainty * axesUncertainty
    let total = gaussians.reduce(0) { $0 + $1.weight }
    let shares = gaussians.map { gaussian in
      var share = gaussian
      share.weight /= max(total, 1e-300)
      return share
    }
    self.gaussians = shares
    places = mirror?.doubted(shares) ?? shares
  }

  var origin: Vector3 { worldFromDevice.translation }

  /// Distance from the device's origin by the radio's scale, bias removed: mean and 1-sigma, metres.
  ///
  /// `(1 + s) |d|`: a monocular trajectory is off in scale by percents, a radio by far less, so the link's scale error is
  /// taken to be the trajectory's, and the distance is the one the radio measures.
  package var distance: (mean: Double, sigma: Double) {
    moments { g in
      let d = g.position - origin
      let r = max(d.norm, 1e-6)
      let q = d / r
      let k = 1 + g.scale
      let cross = 2 * k * r * q.dot(g.scaleCovariance)
      return (k * r, max(k * k * g.covariance.form(q, q) + cross + r * r * g.scaleVariance, 0))
    }
  }

  /// Horizontal distance: mean and 1-sigma, metres.
  package var horizontalDistance: (mean: Double, sigma: Double) {
    moments { g in
      let d = g.position - origin
      let h = Vector3(d.x, d.y, 0)
      let r = max(h.norm, 1e-6)
      return (r, g.covariance.form(h / r, h / r))
    }
  }

  private func moments(_ f: (TargetGaussian) -> (Double, Double)) -> (mean: Double, sigma: Double) {
    var mean = 0.0
    var square = 0.0
    for g in gaussians {
      let (value, variance) = f(g)
      mean += g.weight * value
      square += g.weight * (value * value + variance)
    }
    return (mean, max(square - mean * mean, 0).squareRoot())
  }

  /// Mean position in the world and the covariance about it.
  package var position: (mean: Vector3, covariance: Matrix3) { Self.moments(places) }

  /// What the doubt of the side adds to the covariance of the position, m^2.
  package var mirrorSpread: Matrix3 {
    places.count > gaussians.count ? position.covariance - Self.moments(gaussians).covariance : .zero
  }

  private static func moments(_ gaussians: [TargetGaussian]) -> (mean: Vector3, covariance: Matrix3) {
    var mean = Vector3.zero
    for g in gaussians { mean += g.weight * g.position }
    var covariance = Matrix3.zero
    for g in gaussians {
      let d = g.position - mean
      covariance += g.weight * (g.covariance + Matrix3(outer: d, d))
    }
    return (mean, covariance)
  }

  /// Share of the posterior over `radius` metres from its mean position, or a little more: each Gaussian spreads along the way to
  /// the mean, or along its widest axis where it is wider.
  ///
  /// - Parameter extra: what the trajectory's own error adds to every covariance, m^2.
  package func share(beyond radius: Double, ofMeanWith extra: Matrix3) -> Double {
    let mean = position.mean
    var share = 0.0
    for g in places {
      let off = (g.position - mean).norm
      let covariance = g.covariance + extra
      let sigma = max(-(-1 * covariance).smallestEigenvalue, 1e-12).squareRoot()
      share +=
        g.weight * (AngleMarginal.cdf((off - radius) / sigma) + AngleMarginal.cdf((-off - radius) / sigma))
    }
    return share
  }
}
