import Geometry
import Ranging

/// A plane behind which a peer may have a mirror image.
package struct ReflectionPlane: Equatable, Sendable {
  /// A point of it, metres, world.
  package let point: Vector3
  /// Its unit normal, world.
  package let normal: Vector3

  package init(point: Vector3, normal: Vector3) { (self.point, self.normal) = (point, normal) }

  /// Metres off it, positive on the normal's side.
  package func height(of place: Vector3) -> Double { normal.dot(place - point) }

  /// Share of the Gaussians on the normal's side, 0...1.
  func share(of gaussians: [PositionGaussian]) -> Double {
    let sum = gaussians.reduce((upper: 0.0, whole: 0.0)) { sum, g in
      let sigma = max(g.covariance.form(normal, normal), 1e-12).squareRoot()
      return (sum.upper + g.weight * AngleMarginal.cdf(height(of: g.position) / sigma), sum.whole + g.weight)
    }
    return sum.upper / max(sum.whole, 1e-300)
  }

  /// Doubts below this say nothing, 1.
  private static let negligible = 1e-5

  /// More Gaussians than this are a broad belief: their images are told as one for either side.
  private static let few = 40

  /// The Gaussians, and the images of those of which it is doubted on which side they are, where that makes a difference; the sum of the
  /// weights stays. Many have one image a side, with the mean and covariance of all.
  ///
  /// - Parameter doubt: probability that a place so many metres off the plane is taken for its image, 0...1.
  func mirrored(_ gaussians: [PositionGaussian], doubt: (Double) -> Double) -> [PositionGaussian] {
    var doubted: [PositionGaussian] = []
    doubted.reserveCapacity(gaussians.count + min(gaussians.count, Self.few))
    var mistaken: [PositionGaussian] = []
    var sides: (upper: PositionGaussian?, lower: PositionGaussian?)
    for gaussian in gaussians {
      doubted.append(gaussian)
      let height = height(of: gaussian.position)
      let doubt = doubt(height)
      guard doubt > Self.negligible, height * height > 0.01 * gaussian.covariance.form(normal, normal) else { continue }
      var part = gaussian
      part.weight *= doubt
      doubted[doubted.count - 1].weight -= part.weight
      if gaussians.count <= Self.few {
        mistaken.append(part)
      } else if height > 0 {
        if sides.upper?.merge(part) == nil { sides.upper = part }
      } else {
        if sides.lower?.merge(part) == nil { sides.lower = part }
      }
    }
    for part in mistaken { doubted.append(image(of: part)) }
    for side in [sides.upper, sides.lower] { if let side { doubted.append(image(of: side)) } }
    return doubted
  }

  private func image(of gaussian: PositionGaussian) -> PositionGaussian {
    let reflection = Matrix3.identity - 2 * Matrix3(outer: normal, normal)
    var image = gaussian
    image.position -= 2 * height(of: gaussian.position) * normal
    image.covariance = reflection * gaussian.covariance * reflection
    image.scaleCovariance = reflection * gaussian.scaleCovariance
    return image
  }
}
