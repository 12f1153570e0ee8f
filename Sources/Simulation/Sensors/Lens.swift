import Foundation
import Geometry
import SensorData

/// Projection from a point in camera axes to a raw pixel: pinhole and lens distortion.
///
/// Independent of the estimator's camera models on purpose: one checks the other.
/// Sources: radial-tangential: Brown, Photogrammetric Engineering 37(8), 1971, in OpenCV's form; equidistant: Kannala
/// and Brandt, IEEE TPAMI 28(8), 2006, doi:10.1109/TPAMI.2006.153; fov: Devernay and Faugeras, Machine Vision and
/// Applications 13, 2001, doi:10.1007/PL00013269; rational: OpenCV's documentation of `projectPoints`; omni: Mei and Rives,
/// ICRA 2007, doi:10.1109/ROBOT.2007.364084; double sphere: Usenko et al., 3DV 2018, doi:10.1109/3DV.2018.00069;
/// extended unified: Khomutenko et al., RA-L 1(1), 2016, doi:10.1109/LRA.2015.2502921.
package struct Lens: Sendable {
  private let camera: CameraCalibration
  /// Tangent of the angle off the optical axis up to which the distortion is monotonic.
  private let largestTangent: Double

  /// The lens of a camera.
  package init(_ camera: CameraCalibration) {
    self.camera = camera
    var last = 0.0
    var tangent = 0.0
    // A polynomial distortion is not monotonic far outside the image and would project points there a second time.
    while tangent < 12 {
      let next = Lens.distort(Vector2(tangent + 0.01, 0), Lens.radialPart(camera.distortion)).x
      guard next > last else { break }
      last = next
      tangent += 0.01
    }
    largestTangent = tangent
  }

  /// The raw pixel (column, row) of a point in camera axes (z forward, metres). Nil where it is not visible: nearer
  /// than 5 cm to the image plane, behind it, or outside the image.
  package func pixel(of point: Vector3) -> (u: Double, v: Double)? {
    guard point.z > 0.05 else { return nil }
    let ray = Vector2(point.x / point.z, point.y / point.z)
    guard ray.x * ray.x + ray.y * ray.y < largestTangent * largestTangent else { return nil }
    let distorted = Lens.distort(ray, camera.distortion)
    let u = camera.fx * distorted.x + camera.cx
    let v = camera.fy * distorted.y + camera.cy
    guard u >= 0, v >= 0, u <= Double(camera.width - 1), v <= Double(camera.height - 1) else { return nil }
    return (u, v)
  }

  /// The ray (x / z, y / z) of a raw pixel, or nil where there is none. The inverse of `pixel`, also outside the image.
  ///
  /// Newton's method with a numeric Jacobian, from `near` or, where that does not converge, from the optical axis.
  package func ray(u: Double, v: Double, near: SIMD2<Double> = .zero) -> SIMD2<Double>? {
    let distorted = Vector2((u - camera.cx) / camera.fx, (v - camera.cy) / camera.fy)
    for start in near == .zero ? [.zero] : [near, .zero] {
      var ray = start
      for _ in 0..<30 {
        let missing = distorted - Lens.distort(ray, camera.distortion)
        if abs(missing.x) + abs(missing.y) < 1e-11 {
          guard ray.x * ray.x + ray.y * ray.y < largestTangent * largestTangent else { break }
          return ray
        }
        let h = 1e-6
        let dx = (Lens.distort(ray + Vector2(h, 0), camera.distortion) - distorted + missing) / h
        let dy = (Lens.distort(ray + Vector2(0, h), camera.distortion) - distorted + missing) / h
        let determinant = dx.x * dy.y - dy.x * dx.y
        let step = Vector2(missing.x * dy.y - missing.y * dy.x, missing.y * dx.x - missing.x * dx.y) / determinant
        guard step.x.isFinite, step.y.isFinite else { break }
        ray += step
      }
    }
    return nil
  }

  /// Normalised, distorted coordinates of a ray (x / z, y / z).
  package static func distort(_ ray: SIMD2<Double>, _ model: CameraCalibration.Distortion) -> SIMD2<Double> {
    let r2 = ray.x * ray.x + ray.y * ray.y
    switch model {
    case .none: return ray
    case .radialTangential(let k1, let k2, let p1, let p2):
      let radial = 1 + r2 * (k1 + r2 * k2)
      let xy = ray.x * ray.y
      return ray * radial
        + Vector2(2 * p1 * xy + p2 * (r2 + 2 * ray.x * ray.x), p1 * (r2 + 2 * ray.y * ray.y) + 2 * p2 * xy)
    case .equidistant(let k1, let k2, let k3, let k4):
      let r = r2.squareRoot()
      guard r > 1e-9 else { return ray }
      let theta = atan(r)
      let t2 = theta * theta
      let distorted = theta * (1 + t2 * (k1 + t2 * (k2 + t2 * (k3 + t2 * k4))))
      return ray * (distorted / r)
    case .fieldOfView(let w):
      let r = r2.squareRoot()
      let slope = 2 * tan(w / 2)
      guard r > 1e-9 else { return ray * (slope / w) }
      return ray * (atan(r * slope) / (w * r))
    case .rational(let k1, let k2, let p1, let p2, let k3, let k4, let k5, let k6):
      let factor = (1 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1 + r2 * (k4 + r2 * (k5 + r2 * k6)))
      return ray * (factor - 1) + distort(ray, .radialTangential(k1: 0, k2: 0, p1: p1, p2: p2))
    case .omni(let xi, let k1, let k2, let p1, let p2):
      let onPlane = ray / (1 + xi * (1 + r2).squareRoot())
      return distort(onPlane, .radialTangential(k1: k1, k2: k2, p1: p1, p2: p2))
    case .doubleSphere(let xi, let alpha):
      let depth = 1 + xi * (1 + r2).squareRoot()
      return ray / (alpha * (r2 + depth * depth).squareRoot() + (1 - alpha) * depth)
    case .extendedUnified(let alpha, let beta):
      return ray / (alpha * (beta * r2 + 1).squareRoot() + 1 - alpha)
    }
  }

  private static func radialPart(_ model: CameraCalibration.Distortion) -> CameraCalibration.Distortion {
    switch model {
    case .radialTangential(let k1, let k2, _, _): .radialTangential(k1: k1, k2: k2, p1: 0, p2: 0)
    case .rational(let k1, let k2, _, _, let k3, let k4, let k5, let k6):
      .rational(k1: k1, k2: k2, p1: 0, p2: 0, k3: k3, k4: k4, k5: k5, k6: k6)
    case .omni(let xi, let k1, let k2, _, _): .omni(xi: xi, k1: k1, k2: k2, p1: 0, p2: 0)
    default: model
    }
  }
}

private typealias Vector2 = SIMD2<Double>
