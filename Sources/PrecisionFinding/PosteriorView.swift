import Foundation
import Geometry
import Ranging

/// What the posterior of one peer says as seen from the device now: every output is read off this, each on its own.
package struct PosteriorView {
  /// The device axes in the estimate's world.
  package let worldFromDevice: Pose
  /// The posterior; shares sum to 1.
  package let gaussians: [PositionGaussian]
  /// The same with what left is mistaken for right, and above for below: the height, and all that holds it, is read off these. The images
  /// behind a plane that leans lie elsewhere horizontally, too, but there the hypotheses know what is left of them.
  package let places: [PositionGaussian]
  /// Probability that all this is wrong and the peer anywhere: what `CUSUMTest` thinks of it.
  package let doubt: Double
  /// Variance of the device's axes, rad^2.
  let axesVariance: Double
  /// The posterior with what left is mistaken for right, and the places, by fours, as seen from the device.
  let fours, placeFours: [PositionGaussian4]

  /// - Parameters:
  ///   - axesUncertainty: 1-sigma of the device's axes, radians.
  ///   - doubt: probability that the posterior is wrong, 0...1.
  ///   - lateralAmbiguity: what makes it doubtful whether the peer is left or right of the way; nil: nothing.
  ///   - mirror: what makes it doubtful on which side of the path's plane the peer is; nil: nothing.
  package init(
    worldFromDevice: Pose, gaussians: consuming [PositionGaussian], axesUncertainty: Double = 0, doubt: Double = 0,
    lateralAmbiguity: LateralAmbiguity? = nil, mirror: VerticalAmbiguity? = nil
  ) {
    self.worldFromDevice = worldFromDevice
    self.doubt = doubt
    axesVariance = axesUncertainty * axesUncertainty
    var shares = gaussians
    let total = shares.reduce(0) { $0 + $1.weight }
    for i in shares.indices { shares[i].weight /= max(total, 1e-300) }
    self.gaussians = shares
    let sides = lateralAmbiguity?.doubted(shares) ?? shares
    fours = PositionGaussian4.packed(sides, from: worldFromDevice.translation)
    if let doubted = mirror?.doubted(sides), doubted.count > sides.count {
      (places, placeFours) = (doubted, PositionGaussian4.packed(doubted, from: worldFromDevice.translation))
    } else {
      (places, placeFours) = (sides, fours)
    }
  }

  var origin: Vector3 { worldFromDevice.translation }

  /// Distance from the device's origin by the radio's scale, bias removed: mean and 1-sigma, metres.
  ///
  /// `(1 + s) |d|`: a monocular trajectory is off in scale by percents, a radio by far less, so the link's scale error is
  /// taken to be the trajectory's, and the distance is the one the radio measures.
  package var distance: (mean: Double, sigma: Double) {
    moments { g in
      let r = g.place.norm.atLeast(1e-6)
      let q = (1 / r) * g.place
      let k = 1 + g.scale
      let cross = 2 * k * r * q.dot(g.scaleCovariance)
      return (k * r, (k * k * q.dot(g.spread(q)) + cross + r * r * g.scaleVariance).atLeast(0))
    }
  }

  /// Horizontal distance: mean and 1-sigma, metres.
  package var horizontalDistance: (mean: Double, sigma: Double) {
    moments { g in
      let r = (g.place.x * g.place.x + g.place.y * g.place.y).squareRoot().atLeast(1e-6)
      return (r, g.variance(LaneVector(g.place.x / r, g.place.y / r, .zero)))
    }
  }

  @inline(__always)
  private func moments(_ f: (PositionGaussian4) -> (Lanes, Lanes)) -> (mean: Double, sigma: Double) {
    var (mean, square) = (Lanes.zero, Lanes.zero)
    for g in fours {
      let (value, variance) = f(g)
      mean += g.weight * value
      square += g.weight * (value * value + variance)
    }
    return (mean.sum(), max(square.sum() - mean.sum() * mean.sum(), 0).squareRoot())
  }

  /// Mean position in the world and the covariance about it.
  package var position: (mean: Vector3, covariance: Matrix3) {
    let (mean, covariance) = Self.moments(placeFours)
    return (origin + mean, covariance)
  }

  /// What the doubt of the sides adds to the covariance of the position, m^2.
  package var mirrorSpread: Matrix3 {
    guard places.count > gaussians.count else { return .zero }
    return position.covariance - Self.moments(PositionGaussian4.packed(gaussians, from: origin)).covariance
  }

  /// Mean and covariance of Gaussians as seen from where they are told from.
  private static func moments(_ fours: [PositionGaussian4]) -> (mean: Vector3, covariance: Matrix3) {
    var sum = LaneVector(repeating: .zero)
    for g in fours { sum = sum + g.weight * g.place }
    let mean = sum.sum
    let center = LaneVector(repeating: mean)
    var rows = (LaneVector(repeating: .zero), LaneVector(repeating: .zero), LaneVector(repeating: .zero))
    for g in fours {
      let d = g.place - center
      rows.0 = rows.0 + g.weight * (g.rows.0 + d.x * d)
      rows.1 = rows.1 + g.weight * (g.rows.1 + d.y * d)
      rows.2 = rows.2 + g.weight * (g.rows.2 + d.z * d)
    }
    return (mean, Matrix3(columns: rows.0.sum, rows.1.sum, rows.2.sum))
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
