import Geometry
import LeastSquares
import Ranging

/// A plane behind which a peer may have a reflection image.
package struct ReflectionPlane: Equatable, Sendable {
  /// A point of it, metres, world.
  package let point: Vector3
  /// Its unit normal, world.
  package let normal: Vector3

  package init(point: Vector3, normal: Vector3) { (self.point, self.normal) = (point, normal) }

  /// Signed distance from the plane, metres, positive on the normal's side.
  package func offset(of position: Vector3) -> Double { normal.dot(position - point) }

  /// Probability of the normal's side, 0...1.
  func upperProbability(of gaussians: [PositionGaussian]) -> Double {
    let sum = gaussians.reduce((upper: 0.0, whole: 0.0)) { sum, g in
      let sigma = max(g.covariance.form(normal, normal), 1e-12).squareRoot()
      return (
        sum.upper + g.weight * NormalDistribution.cumulative(offset(of: g.position) / sigma), sum.whole + g.weight
      )
    }
    return sum.upper / max(sum.whole, 1e-300)
  }

  /// Image probabilities below this are neglected.
  private static let negligible = 1e-5

  /// More Gaussians than this are a broad posterior: one image per side represents theirs.
  private static let few = 40

  /// The Gaussians, with reflection images of the ambiguous ones where that makes a difference; the sum of the weights
  /// stays. Many have one image a side, with the mean and covariance of all.
  ///
  /// - Parameter imageProbability: probability that a position at this offset from the plane is taken for its image,
  ///   0...1.
  func withImages(_ gaussians: [PositionGaussian], imageProbability: (Double) -> Double) -> [PositionGaussian] {
    var result: [PositionGaussian] = []
    result.reserveCapacity(gaussians.count + min(gaussians.count, Self.few))
    var images: [PositionGaussian] = []
    var sides: (upper: PositionGaussian?, lower: PositionGaussian?)
    for gaussian in gaussians {
      result.append(gaussian)
      let offset = offset(of: gaussian.position)
      let imageProbability = imageProbability(offset)
      guard imageProbability > Self.negligible, offset * offset > 0.01 * gaussian.covariance.form(normal, normal)
      else { continue }
      var part = gaussian
      part.weight *= imageProbability
      result[result.count - 1].weight -= part.weight
      if gaussians.count <= Self.few {
        images.append(part)
      } else if offset > 0 {
        if sides.upper?.merge(part) == nil { sides.upper = part }
      } else {
        if sides.lower?.merge(part) == nil { sides.lower = part }
      }
    }
    for part in images { result.append(image(of: part)) }
    for side in [sides.upper, sides.lower] { if let side { result.append(image(of: side)) } }
    return result
  }

  private func image(of gaussian: PositionGaussian) -> PositionGaussian {
    let reflection = Matrix3.identity - 2 * Matrix3(outer: normal, normal)
    var image = gaussian
    image.position -= 2 * offset(of: gaussian.position) * normal
    image.covariance = reflection * gaussian.covariance * reflection
    image.scaleCovariance = reflection * gaussian.scaleCovariance
    return image
  }
}
