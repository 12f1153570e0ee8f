import Geometry
import LeastSquares

/// Triangulates the point seen by several cameras.
///
/// The inverse distance comes from a linear equation that is always solvable; bearing and inverse distance then from
/// Gauss-Newton on the pixels with a weak prior. Little parallax is not an error: the inverse distance stays near its
/// prior, `sigma` is large, and the bearing still constrains the camera's rotation.
package struct Triangulation: Sendable {
  /// The outcome.
  package enum Outcome: Equatable, Sendable {
    /// The point, the 1-sigma of its inverse distance for exact poses (1/m), and the mean squared error of a
    /// coordinate, pixels^2.
    case found(BearingFeature, sigma: Double, meanSquaredError: Double)
    /// The point is behind a camera or outside the lens's domain.
    case behindCamera
    /// The pixels are inconsistent by far more than their noise.
    case inconsistent(meanSquaredError: Double)
  }

  /// Least distance of a point from the anchor, metres.
  package static let nearest = 0.1

  private let lenses: [LensModel]
  private let pixelNoise: Double
  private let prior: InverseDistancePrior
  private let largestError: Double

  /// - Parameters:
  ///   - lenses: those of the views, by their index.
  ///   - pixelNoise: 1-sigma of a coordinate, pixels.
  ///   - largestError: root mean squared error, in sigmas, above which the pixels are inconsistent. The statistical
  ///     gate follows and includes the poses' uncertainty; this limit only protects the linearisation.
  package init(
    lenses: [LensModel], pixelNoise: Double, prior: InverseDistancePrior = .handHeld, largestError: Double = 10
  ) {
    self.lenses = lenses
    self.pixelNoise = pixelNoise
    self.prior = prior
    self.largestError = largestError
  }

  /// The point seen in `views`, relative to `origin` or to the camera of the view at index `anchor`. At least two
  /// views. O(views).
  package func solve(_ views: [CameraView], anchor: Int, from origin: Vector3? = nil) -> Outcome {
    precondition(views.indices.contains(anchor), "the anchor is one of the views")
    let center = origin ?? views[anchor].worldFromCamera.translation
    let start = views[anchor].worldFromCamera.rotation * views[anchor].direction
    var feature = BearingFeature(bearing: start, inverseDistance: 0)
    feature.inverseDistance = Self.clamped(linearInverseDistance(views, center: center, bearing: start))

    // The linear solution is unreliable where parallax is mostly noise; infinity is the safe start.
    if linearised(feature, views, center) == nil { feature.inverseDistance = 0 }
    guard let system = linearised(feature, views, center) else { return .behindCamera }
    return refined(feature, system, views, center)
  }

  private func refined(
    _ start: BearingFeature, _ linearisation: NormalEquations, _ views: [CameraView], _ center: Vector3
  ) -> Outcome {
    var here = (feature: start, system: linearisation), cost = linearisation.cost
    let damping = LevenbergMarquardt.Damping(from: 1e-6, raise: 100, most: 1e6)
    var descent = LevenbergMarquardt(steps: 8, absolute: 1e-6, relative: 1e-6, damping: damping)
    descent.descend(&here, cost: &cost) { here, damping in
      guard let step = here.system.step(damping: damping) else { return .singular }
      let candidate = moved(here.feature, by: step)
      return linearised(candidate, views, center).map { .candidate((candidate, $0), cost: $0.cost) } ?? .refused
    }
    let (feature, system) = here
    let residual = priorResidual(feature)
    let mean = max(cost - residual * residual, 0) / Double(2 * views.count)
    if mean > largestError * largestError * pixelNoise * pixelNoise { return .inconsistent(meanSquaredError: mean) }
    return .found(feature, sigma: pixelNoise * system.spread, meanSquaredError: mean)
  }

  /// Residual of the prior, scaled to pixels like every other residual.
  private func priorResidual(_ feature: BearingFeature) -> Double {
    pixelNoise / prior.sigma * (prior.mean - feature.inverseDistance)
  }

  /// Least squares in rho alone: in every view the direction d is parallel to `bearing - rho t`.
  private func linearInverseDistance(_ views: [CameraView], center: Vector3, bearing: Vector3) -> Double {
    var top = 0.0, bottom = 0.0
    for view in views {
      let d = view.worldFromCamera.rotation * view.direction
      let across = d.cross(view.worldFromCamera.translation - center)
      top += across.dot(d.cross(bearing))
      bottom += across.squaredNorm
    }
    return bottom > 0 ? top / bottom : 0
  }

  private static func clamped(_ inverseDistance: Double) -> Double { min(max(inverseDistance, 0), 1 / nearest) }

  private func moved(_ feature: BearingFeature, by step: Vector3) -> BearingFeature {
    let (e1, e2) = feature.bearing.tangentBasis
    return BearingFeature(
      bearing: (feature.bearing + step.x * e1 + step.y * e2).normalized,
      inverseDistance: Self.clamped(feature.inverseDistance + step.z))
  }

  /// Sum of squared pixel errors and its normal equations in (e1, e2, inverse distance).
  private struct NormalEquations {
    var matrix = Matrix3.zero
    var gradient = Vector3.zero
    var cost = 0.0

    mutating func add(_ row: Vector3, _ residual: Double) {
      matrix += Matrix3(outer: row, row)
      gradient += row * residual
      cost += residual * residual
    }

    /// Square root of the inverse's last diagonal element: sigma of the inverse distance for unit noise.
    var spread: Double { matrix.inverse.map { max($0[2, 2], 0).squareRoot() } ?? .infinity }

    func step(damping: Double) -> Vector3? {
      let diagonal = Vector3(matrix[0, 0], matrix[1, 1], matrix[2, 2])
      let floor = Vector3(repeating: 1e-12 * max(diagonal.x, diagonal.y))
      let step = (matrix + Matrix3(diagonal: damping * diagonal + floor)).inverse.map { $0 * gradient }
      return step.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  private func linearised(_ feature: BearingFeature, _ views: [CameraView], _ center: Vector3) -> NormalEquations? {
    var system = NormalEquations()
    system.add(Vector3(0, 0, pixelNoise / prior.sigma), priorResidual(feature))
    let (e1, e2) = feature.bearing.tangentBasis
    for view in views {
      let cameraFromWorld = view.worldFromCamera.rotation.inverse
      let offset = view.worldFromCamera.translation - center
      guard let projection = lenses[view.lens].project(cameraFromWorld * feature.scaled(from: offset)) else {
        return nil
      }
      let (a, b, c) = (cameraFromWorld * e1, cameraFromWorld * e2, -(cameraFromWorld * offset))
      let error = view.pixel - projection.pixel
      let g = projection.columnGradient, h = projection.rowGradient
      system.add(Vector3(g.dot(a), g.dot(b), g.dot(c)), error.x)
      system.add(Vector3(h.dot(a), h.dot(b), h.dot(c)), error.y)
    }
    return system.cost.isFinite ? system : nil
  }
}

/// A point seen from several poses: bearing from one of them (the anchor) and inverse distance,
/// `f = c_anchor + bearing / inverseDistance`.
///
/// An inverse distance of zero is a point at infinity, so no parallax is required.
/// Source: Civera, Davison, Montiel, "Inverse depth parametrization for monocular SLAM", TRO 24(5), 2008,
/// doi:10.1109/TRO.2008.2003276.
package struct BearingFeature: Equatable, Sendable {
  /// Unit vector from the anchor camera to the point, world axes.
  package var bearing: Vector3
  /// 1 / distance from the anchor camera, 1/m; 0 at infinity, never negative.
  package var inverseDistance: Double

  /// A feature from its parts.
  package init(bearing: Vector3, inverseDistance: Double) {
    self.bearing = bearing
    self.inverseDistance = inverseDistance
  }

  /// The point relative to another position, times the inverse distance: finite also at infinity.
  ///
  /// - Parameter offset: from the anchor camera to the other position, world axes, metres.
  package func scaled(from offset: Vector3) -> Vector3 { bearing - inverseDistance * offset }
}

/// Prior of a point's inverse distance before it has parallax.
///
/// It regularises the linearisation point; only for landmarks does it enter the filter.
package struct InverseDistancePrior: Equatable, Sendable {
  /// Mean, 1/m.
  package var mean: Double
  /// 1-sigma, 1/m.
  package var sigma: Double

  /// A prior from its parts.
  package init(mean: Double, sigma: Double) {
    self.mean = mean
    self.sigma = sigma
  }

  /// Scenes of a hand-held camera: from 1 m (two sigmas) to the horizon (one sigma).
  package static let handHeld = InverseDistancePrior(mean: 0.3, sigma: 0.3)

  /// The same for points that become landmarks, where it does enter the filter. The points of a scene are not
  /// independent: all may be far. With three times the sigma about ten of them together weigh as much as one
  /// independent point.
  package static let landmark = InverseDistancePrior(mean: 0.3, sigma: 1)
}

/// One observation of a point: camera pose and pixel.
package struct CameraView: Sendable {
  /// Pose of the camera.
  package var worldFromCamera: Pose
  /// Observed position, raw pixels.
  package var pixel: SIMD2<Double>
  /// Unit direction of this pixel, camera axes.
  package var direction: Vector3
  /// Index of the lens among the triangulation's lenses.
  package var lens: Int

  /// A view from its parts.
  package init(worldFromCamera: Pose, pixel: SIMD2<Double>, direction: Vector3, lens: Int = 0) {
    self.worldFromCamera = worldFromCamera
    self.pixel = pixel
    self.direction = direction
    self.lens = lens
  }
}
