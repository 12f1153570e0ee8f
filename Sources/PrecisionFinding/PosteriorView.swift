import Foundation
import Geometry
import LeastSquares
import Ranging

/// The posterior of one peer as seen from the device now: every output is computed from it, each on its own.
package struct PosteriorView {
  /// The device axes in the estimate's world.
  package let worldFromDevice: Pose
  /// The posterior; weights sum to 1.
  package let gaussians: [PositionGaussian]
  /// The posterior with the lateral and vertical reflection images: the vertical outputs, and those that include them,
  /// use these. Images behind a tilted plane also differ horizontally, but there the hypotheses hold the remaining
  /// probability.
  package let gaussiansWithImages: [PositionGaussian]
  /// Probability that the ranges contradict the posterior and the peer may be anywhere: see `ModelBank`.
  package let contradictionProbability: Double
  /// Variance of the device's axes, rad^2.
  let axesVariance: Double
  /// The posterior with lateral images, and with both kinds of images, in fours, relative to the device.
  let packed, packedWithImages: [PositionGaussian4]

  /// - Parameters:
  ///   - axesUncertainty: 1-sigma of the device's axes, radians.
  ///   - contradictionProbability: probability that the posterior is wrong, 0...1.
  ///   - lateralAmbiguity: ambiguity between left and right of the path; nil: none.
  ///   - verticalAmbiguity: ambiguity about the path's plane; nil: none.
  package init(
    worldFromDevice: Pose, gaussians: consuming [PositionGaussian], axesUncertainty: Double = 0,
    contradictionProbability: Double = 0, lateralAmbiguity: LateralAmbiguity? = nil,
    verticalAmbiguity: VerticalAmbiguity? = nil
  ) {
    self.worldFromDevice = worldFromDevice
    self.contradictionProbability = contradictionProbability
    axesVariance = axesUncertainty * axesUncertainty
    var normalized = gaussians
    let total = normalized.reduce(0) { $0 + $1.weight }
    for i in normalized.indices { normalized[i].weight /= max(total, 1e-300) }
    self.gaussians = normalized
    let withLateralImages = lateralAmbiguity?.withImages(normalized) ?? normalized
    packed = PositionGaussian4.packed(withLateralImages, from: worldFromDevice.translation)
    if let withImages = verticalAmbiguity?.withImages(withLateralImages), withImages.count > withLateralImages.count {
      (gaussiansWithImages, packedWithImages) = (
        withImages, PositionGaussian4.packed(withImages, from: worldFromDevice.translation)
      )
    } else {
      (gaussiansWithImages, packedWithImages) = (withLateralImages, packed)
    }
  }

  var origin: Vector3 { worldFromDevice.translation }

  /// Distance from the device's origin by the radio's scale, bias removed: mean and 1-sigma, metres.
  ///
  /// `(1 + s) |d|`: a monocular trajectory errs in scale by percents, a radio by far less. So the link's scale error is
  /// attributed to the trajectory, and the distance is the one the radio measures.
  package var distance: (mean: Double, sigma: Double) {
    moments { g in
      let r = g.position.norm.atLeast(1e-6)
      let q = (1 / r) * g.position
      let k = 1 + g.scale
      let cross = 2 * k * r * q.dot(g.scaleCovariance)
      return (k * r, (k * k * q.dot(g.spread(q)) + cross + r * r * g.scaleVariance).atLeast(0))
    }
  }

  /// Horizontal distance: mean and 1-sigma, metres.
  package var horizontalDistance: (mean: Double, sigma: Double) {
    moments { g in
      let r = (g.position.x * g.position.x + g.position.y * g.position.y).squareRoot().atLeast(1e-6)
      return (r, g.variance(LaneVector(g.position.x / r, g.position.y / r, .zero)))
    }
  }

  @inline(__always)
  private func moments(_ f: (PositionGaussian4) -> (Lanes, Lanes)) -> (mean: Double, sigma: Double) {
    var (mean, square) = (Lanes.zero, Lanes.zero)
    for g in packed {
      let (value, variance) = f(g)
      mean += g.weight * value
      square += g.weight * (value * value + variance)
    }
    return (mean.sum(), max(square.sum() - mean.sum() * mean.sum(), 0).squareRoot())
  }

  /// Mean position in the world and the covariance about it.
  package var position: (mean: Vector3, covariance: Matrix3) {
    let (mean, covariance) = Self.moments(packedWithImages)
    return (origin + mean, covariance)
  }

  /// What the reflection images add to the covariance of the position, m^2.
  package var ambiguityCovariance: Matrix3 {
    guard gaussiansWithImages.count > gaussians.count else { return .zero }
    return position.covariance - Self.moments(PositionGaussian4.packed(gaussians, from: origin)).covariance
  }

  /// Mean and covariance of Gaussians, relative to the device.
  private static func moments(_ packed: [PositionGaussian4]) -> (mean: Vector3, covariance: Matrix3) {
    var sum = LaneVector(repeating: .zero)
    for g in packed { sum = sum + g.weight * g.position }
    let mean = sum.sum
    let center = LaneVector(repeating: mean)
    var rows = (LaneVector(repeating: .zero), LaneVector(repeating: .zero), LaneVector(repeating: .zero))
    for g in packed {
      let d = g.position - center
      rows.0 = rows.0 + g.weight * (g.rows.0 + d.x * d)
      rows.1 = rows.1 + g.weight * (g.rows.1 + d.y * d)
      rows.2 = rows.2 + g.weight * (g.rows.2 + d.z * d)
    }
    return (mean, Matrix3(columns: rows.0.sum, rows.1.sum, rows.2.sum))
  }

  /// Probability over `radius` metres from the mean position, or a little more. Each Gaussian spreads along the line to
  /// the mean, or along its widest axis where it is wider.
  ///
  /// - Parameter extra: covariance that the trajectory's own error adds to each Gaussian, m^2.
  package func probability(beyond radius: Double, ofMeanWith extra: Matrix3) -> Double {
    let mean = position.mean
    var probability = 0.0
    for g in gaussiansWithImages {
      let off = (g.position - mean).norm
      let covariance = g.covariance + extra
      let sigma = max(-(-1 * covariance).smallestEigenvalue, 1e-12).squareRoot()
      probability +=
        g.weight
        * (NormalDistribution.cumulative((off - radius) / sigma)
          + NormalDistribution.cumulative((-off - radius) / sigma))
    }
    return probability
  }
}
