import Foundation
import Geometry
import SensorData

/// A camera's projection: directions to raw pixels and back.
package struct LensModel: Sendable {
  /// The pixel of a direction, and its derivative with respect to the direction.
  package struct Projection: Sendable {
    /// Column and row, pixels; may lie outside the image.
    package var pixel: SIMD2<Double>
    /// Gradient of the column with respect to the direction's three components.
    package var columnGradient: Vector3
    /// Gradient of the row.
    package var rowGradient: Vector3
  }

  /// Focal lengths and principal point, pixels.
  var fx, fy, cx, cy: Double
  private let optics: Optics

  /// The distortion model at focal length one.
  private enum Optics: Sendable {
    case none
    case brown(BrownConrady)
    case kannala(KannalaBrandt)
    case fieldOfView(FieldOfViewLens)
    case rational(RationalLens)
    case omni(MeiLens)
    case doubleSphere(DoubleSphereLens)
    case extendedUnified(ExtendedUnifiedLens)
  }

  /// From the calibration of a camera.
  package init(_ calibration: CameraCalibration) {
    (fx, fy, cx, cy) = (calibration.fx, calibration.fy, calibration.cx, calibration.cy)
    optics =
      switch calibration.distortion {
      case .none: .none
      case .radialTangential(let k1, let k2, let p1, let p2): .brown(BrownConrady(k1: k1, k2: k2, p1: p1, p2: p2))
      case .equidistant(let k1, let k2, let k3, let k4): .kannala(KannalaBrandt(k1: k1, k2: k2, k3: k3, k4: k4))
      case .fieldOfView(let w): .fieldOfView(FieldOfViewLens(w: w))
      case .rational(let k1, let k2, let p1, let p2, let k3, let k4, let k5, let k6):
        .rational(RationalLens(k1: k1, k2: k2, k3: k3, k4: k4, k5: k5, k6: k6, p1: p1, p2: p2))
      case .omni(let xi, let k1, let k2, let p1, let p2):
        .omni(MeiLens(xi: xi, distortion: BrownConrady(k1: k1, k2: k2, p1: p1, p2: p2)))
      case .doubleSphere(let xi, let alpha): .doubleSphere(DoubleSphereLens(xi: xi, alpha: alpha))
      case .extendedUnified(let alpha, let beta): .extendedUnified(ExtendedUnifiedLens(alpha: alpha, beta: beta))
      }
  }

  /// Mean focal length, pixels: small angles times this are pixels near the image's middle.
  package var focalLength: Double { (fx * fy).squareRoot() * axialScale }

  /// Image radius by angle on the axis, in focal lengths: models with a second sphere shrink the image there.
  private var axialScale: Double {
    switch optics {
    case .omni(let lens): 1 / (1 + lens.xi)
    case .doubleSphere(let lens): 1 / (1 + lens.xi)
    default: 1
    }
  }

  /// The pixel of a direction. Nil when it is not visible: behind a flat image plane, beyond the fold of the distortion
  /// polynomial, or not finite.
  package func project(_ direction: Vector3) -> Projection? {
    guard let distorted = distort(direction) else { return nil }
    let projection = Projection(
      pixel: SIMD2(fx * distorted.point.x + cx, fy * distorted.point.y + cy), columnGradient: fx * distorted.xGradient,
      rowGradient: fy * distorted.yGradient)
    guard projection.pixel.x.isFinite, projection.pixel.y.isFinite, projection.columnGradient.isFinite,
      projection.rowGradient.isFinite
    else { return nil }
    return projection
  }

  /// The unit direction of a pixel; nil when no direction projects there.
  package func direction(ofPixel pixel: SIMD2<Double>) -> Vector3? {
    let point = SIMD2((pixel.x - cx) / fx, (pixel.y - cy) / fy)
    guard point.x.isFinite, point.y.isFinite, let direction = undistort(point), direction.isFinite else { return nil }
    return direction.normalized
  }

  // MARK: The lens alone, in units of the focal length

  private struct Distorted {
    var point: SIMD2<Double>
    var xGradient: Vector3
    var yGradient: Vector3
  }

  private func distort(_ d: Vector3) -> Distorted? {
    switch optics {
    case .none:
      guard d.z > 1e-9 * d.norm else { return nil }
      let (x, y) = (d.x / d.z, d.y / d.z)
      return Distorted(
        point: SIMD2(x, y), xGradient: Vector3(1, 0, -x) / d.z, yGradient: Vector3(0, 1, -y) / d.z)
    case .brown(let lens): return distort(d, lens)
    case .kannala(let lens): return distort(d, radius: lens)
    case .fieldOfView(let lens): return distort(d, radius: lens)
    case .rational(let lens): return distort(d, lens)
    case .omni(let lens):
      guard let there = distort(d, central: lens) else { return nil }
      let (point, dx, dy) = lens.distortion.distorted(there.point)
      guard lens.distortion.isOneToOne(there.point, dx, dy) else { return nil }
      func gradient(_ g: SIMD2<Double>) -> Vector3 { g.x * there.xGradient + g.y * there.yGradient }
      return Distorted(point: point, xGradient: gradient(dx), yGradient: gradient(dy))
    case .doubleSphere(let lens): return distort(d, central: lens)
    case .extendedUnified(let lens): return distort(d, central: lens)
    }
  }

  private func undistort(_ point: SIMD2<Double>) -> Vector3? {
    switch optics {
    case .none: return Vector3(point.x, point.y, 1)
    case .brown(let lens): return lens.undistorted(point).map { Vector3($0.x, $0.y, 1) }
    case .kannala(let lens): return undistort(point, radius: lens)
    case .fieldOfView(let lens): return undistort(point, radius: lens)
    case .rational(let lens): return lens.undistorted(point).map { Vector3($0.x, $0.y, 1) }
    case .omni(let lens): return lens.distortion.undistorted(point).flatMap(lens.direction)
    case .doubleSphere(let lens): return lens.direction(point)
    case .extendedUnified(let lens): return lens.direction(point)
    }
  }

  /// Central models: x and y over a depth that depends on the direction.
  private func distort(_ d: Vector3, central lens: some CentralLens) -> Distorted? {
    guard d.squaredNorm > 0, d.squaredNorm.isFinite, let (depth, gradient) = lens.depth(d) else { return nil }
    let point = SIMD2(d.x, d.y) / depth
    return Distorted(
      point: point, xGradient: (Vector3(1, 0, 0) - point.x * gradient) / depth,
      yGradient: (Vector3(0, 1, 0) - point.y * gradient) / depth)
  }

  private func distort(_ d: Vector3, _ lens: some PlaneDistortion) -> Distorted? {
    guard d.z > 1e-9 * d.norm else { return nil }
    let plane = SIMD2(d.x / d.z, d.y / d.z)
    let (point, dx, dy) = lens.distorted(plane)
    guard lens.isOneToOne(plane, dx, dy) else { return nil }
    func gradient(_ g: SIMD2<Double>) -> Vector3 { Vector3(g.x, g.y, -(g.x * plane.x + g.y * plane.y)) / d.z }
    return Distorted(point: point, xGradient: gradient(dx), yGradient: gradient(dy))
  }

  /// Radially symmetric lenses: image radius r(theta), theta the angle off the optical axis.
  private func distort(_ d: Vector3, radius lens: some RadialLens) -> Distorted? {
    let across = (d.x * d.x + d.y * d.y).squareRoot(), squared = d.squaredNorm
    guard squared > 0, squared.isFinite else { return nil }
    if across < 1e-9 * d.z {
      let scale = lens.radius(0).slope / d.z
      return Distorted(
        point: SIMD2(d.x, d.y) * scale, xGradient: Vector3(scale, 0, -d.x * scale / d.z),
        yGradient: Vector3(0, scale, -d.y * scale / d.z))
    }
    let theta = atan2(across, d.z)
    let (r, slope) = lens.radius(theta)
    guard across > 0, slope > 0, r.isFinite else { return nil }
    let unit = SIMD2(d.x, d.y) / across
    let thetaGradient = Vector3(unit.x * d.z, unit.y * d.z, -across) / squared
    let ratio = r / across
    func gradient(_ along: Double, _ axis: Vector3) -> Vector3 {
      let perpendicular = axis - along * Vector3(unit.x, unit.y, 0)
      return along * slope * thetaGradient + ratio * perpendicular
    }
    return Distorted(
      point: unit * r, xGradient: gradient(unit.x, Vector3(1, 0, 0)), yGradient: gradient(unit.y, Vector3(0, 1, 0)))
  }

  private func undistort(_ point: SIMD2<Double>, radius lens: some RadialLens) -> Vector3? {
    let r = (point.x * point.x + point.y * point.y).squareRoot()
    if r < 1e-12 { return Vector3(0, 0, 1) }
    guard let theta = lens.angle(ofRadius: r) else { return nil }
    return Vector3(point.x / r * sin(theta), point.y / r * sin(theta), cos(theta))
  }

  // Calibration error of the lens: focal lengths and principal point.
  //
  // Error (a_x, a_y, b_x, b_y), all relative: `f Exp(a)`, and the principal point shifted by b focal lengths. Distortion
  // is in units of the focal length, so for any lens a pixel `u = f X + c` changes by `(u - c) a + f b`.

  /// Dimension of the error.
  package static let errorSize = 4

  /// (fx, fy, cx, cy), pixels.
  package var intrinsics: SIMD4<Double> { SIMD4(fx, fy, cx, cy) }

  /// `x [+] d`. Law: `x.plus(d).minus(x) == d`.
  package func plus(_ d: ArraySlice<Double>) -> LensModel {
    precondition(d.count == Self.errorSize, "one number for every error")
    let s = d.startIndex
    var next = self
    next.cx += fx * d[s + 2]
    next.cy += fy * d[s + 3]
    next.fx *= exp(d[s])
    next.fy *= exp(d[s + 1])
    return next
  }

  /// `x [-] y`: the error d with `y [+] d = x`, for two lenses of the same model.
  package func minus(_ y: LensModel) -> [Double] {
    [log(fx / y.fx), log(fy / y.fy), (cx - y.cx) / y.fx, (cy - y.cy) / y.fy]
  }

  /// Gradients of the column and the row of a projected pixel with respect to the error.
  package func errorGradients(at pixel: SIMD2<Double>) -> (column: SIMD4<Double>, row: SIMD4<Double>) {
    (SIMD4(pixel.x - cx, 0, fx, 0), SIMD4(0, pixel.y - cy, 0, fy))
  }

  /// True when all numbers are finite and the focal lengths are positive.
  package var isFinite: Bool { fx > 0 && fy > 0 && fx.isFinite && fy.isFinite && cx.isFinite && cy.isFinite }
}
