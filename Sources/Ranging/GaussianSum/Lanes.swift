internal import CGaussianSum
import Geometry

/// SIMD vector with one number of each of four components.
@usableFromInline
package typealias Lanes = SIMD4<Double>

extension SIMD4<Double> {
  /// `e^x`, to 1e-14; arguments are clamped to +-300.
  @inline(__always)
  package static func exp(_ x: Lanes) -> Lanes { fuse_lanes_exp(x) }

  /// The normal distribution function `Phi(a)`, at least 1e-9, to a relative error of 1e-9.
  @inline(__always)
  package static func clampedNormalCDF(below a: Lanes) -> Lanes { fuse_lanes_clamped_normal_cdf(a) }

  /// The same without the lower bound: below 1e-9 only some digits are right.
  @inline(__always)
  package static func normalCDF(below a: Lanes) -> Lanes { fuse_lanes_normal_cdf(a) }

  /// The same with the intermediate result `bell = e^(-a^2 / 2)`.
  @inline(__always)
  package static func normal(below a: Lanes) -> (cdf: Lanes, bell: Lanes) {
    let bell = exp(-0.5 * a * a)
    return (fuse_lanes_normal_cdf_of_bell(a, bell), bell)
  }

  /// The angles of the points (x, y), (-pi, pi], to 1e-14; 0 at the origin.
  @inline(__always)
  package static func angle(y: Lanes, x: Lanes) -> Lanes { fuse_lanes_angle(y, x) }

  /// The normal density.
  @inline(__always)
  static func normal(_ x: Lanes, _ variance: Lanes) -> Lanes {
    exp(-0.5 * x * x / variance) / (2 * .pi * variance).squareRoot()
  }

  /// The larger of each lane and a number.
  @inlinable @inline(__always)
  package func atLeast(_ least: Double) -> Lanes { replacing(with: least, where: self .< least) }
}

/// Four vectors side by side. Only `@usableFromInline` members are inlined into other modules.
@frozen @usableFromInline
package struct LaneVector {
  @usableFromInline package var x, y, z: Lanes

  @inlinable @inline(__always)
  package init(_ x: Lanes, _ y: Lanes, _ z: Lanes) { (self.x, self.y, self.z) = (x, y, z) }

  /// The same vector four times.
  @inlinable @inline(__always)
  package init(repeating v: Vector3) {
    self.init(Lanes(repeating: v.x), Lanes(repeating: v.y), Lanes(repeating: v.z))
  }

  /// Three numbers one after the other.
  @inline(__always)
  init(_ p: UnsafePointer<Lanes>) { self.init(p[0], p[1], p[2]) }

  @inline(__always)
  func store(_ p: UnsafeMutablePointer<Lanes>) { (p[0], p[1], p[2]) = (x, y, z) }

  @inlinable @inline(__always)
  package subscript(lane: Int) -> Vector3 {
    get { Vector3(x[lane], y[lane], z[lane]) }
    set { (x[lane], y[lane], z[lane]) = (newValue.x, newValue.y, newValue.z) }
  }

  /// x, y or z of the four vectors.
  @inline(__always)
  func component(_ axis: Int) -> Lanes { axis == 0 ? x : axis == 1 ? y : z }

  @inlinable @inline(__always)
  package static func + (a: Self, b: Self) -> Self { Self(a.x + b.x, a.y + b.y, a.z + b.z) }
  @inlinable @inline(__always)
  package static func - (a: Self, b: Self) -> Self { Self(a.x - b.x, a.y - b.y, a.z - b.z) }
  @inlinable @inline(__always)
  package static func * (s: Lanes, a: Self) -> Self { Self(s * a.x, s * a.y, s * a.z) }

  @inlinable @inline(__always)
  package func dot(_ b: Self) -> Lanes { x * b.x + y * b.y + z * b.z }
  @inlinable @inline(__always)
  package func cross(_ b: Self) -> Self { Self(y * b.z - z * b.y, z * b.x - x * b.z, x * b.y - y * b.x) }
  /// Sum of the four vectors.
  @inlinable @inline(__always)
  package var sum: Vector3 { Vector3(x.sum(), y.sum(), z.sum()) }
  @inlinable @inline(__always)
  package var norm: Lanes { dot(self).squareRoot() }
  @inlinable @inline(__always)
  package var normalized: Self { (1 / norm) * self }
  @inlinable @inline(__always)
  package func replacing(with b: Self, where mask: SIMDMask<SIMD4<Int64>>) -> Self {
    Self(x.replacing(with: b.x, where: mask), y.replacing(with: b.y, where: mask), z.replacing(with: b.z, where: mask))
  }
}

/// Spherical axes of four components in the world.
struct LaneFrame {
  /// The directions and their tangents.
  let u, e1, e2: LaneVector
  /// Metres from the anchor.
  let rho: Lanes

  /// Of a cell of a `GaussianSum`.
  @inline(__always)
  init(_ cell: UnsafePointer<Lanes>) {
    (u, e1) = (LaneVector(cell), LaneVector(cell + GaussianSum.tangentOffset))
    e2 = u.cross(e1)
    rho = cell[GaussianSum.scalarsOffset]
  }

  /// From (two tangent angles, distance) into the world, metres; `inward` is the inverse.
  @inline(__always)
  func outward(_ v: LaneVector) -> LaneVector { (rho * v.x) * e1 + (rho * v.y) * e2 + v.z * u }
  @inline(__always)
  func inward(_ v: LaneVector) -> LaneVector { LaneVector(v.dot(e1) / rho, v.dot(e2) / rho, v.dot(u)) }
}

/// Four Gaussians of a posterior side by side, relative to an origin, for SIMD evaluation.
@frozen @usableFromInline
package struct PositionGaussian4 {
  /// Weights; zero in unused lanes.
  @usableFromInline package var weight = Lanes.zero
  /// Position relative to the origin, metres, world axes.
  @usableFromInline package var position = LaneVector(repeating: Vector3(1, 0, 0))
  /// Rows of the covariance of that, m^2.
  @usableFromInline package var rows = (
    LaneVector(repeating: Vector3(1, 0, 0)), LaneVector(repeating: Vector3(0, 1, 0)),
    LaneVector(repeating: Vector3(0, 0, 1))
  )
  /// As in `PositionGaussian`.
  @usableFromInline package var scale = Lanes.zero, scaleVariance = Lanes.zero
  @usableFromInline package var scaleCovariance = LaneVector(repeating: .zero)

  /// Packs Gaussians by fours, relative to `origin`.
  package static func packed(_ gaussians: [PositionGaussian], from origin: Vector3) -> [PositionGaussian4] {
    var fours = [PositionGaussian4](repeating: PositionGaussian4(), count: (gaussians.count + 3) / 4)
    fours.withUnsafeMutableBufferPointer { fours in
      for (i, gaussian) in gaussians.enumerated() {
        let lane = i % 4
        fours[i / 4].weight[lane] = gaussian.weight
        fours[i / 4].position[lane] = gaussian.position - origin
        fours[i / 4].rows.0[lane] = gaussian.covariance.c0
        fours[i / 4].rows.1[lane] = gaussian.covariance.c1
        fours[i / 4].rows.2[lane] = gaussian.covariance.c2
        fours[i / 4].scale[lane] = gaussian.scale
        fours[i / 4].scaleVariance[lane] = gaussian.scaleVariance
        fours[i / 4].scaleCovariance[lane] = gaussian.scaleCovariance
      }
    }
    return fours
  }

  /// One of them relative to the world's origin.
  func gaussian(_ lane: Int, weight: Double, from origin: Vector3) -> PositionGaussian {
    var one = PositionGaussian(
      weight: weight, position: origin + position[lane],
      covariance: Matrix3(columns: rows.0[lane], rows.1[lane], rows.2[lane]))
    one.scale = scale[lane]
    one.scaleCovariance = scaleCovariance[lane]
    one.scaleVariance = scaleVariance[lane]
    return one
  }

  /// Product of the covariance with a vector.
  @inlinable @inline(__always)
  package func spread(_ v: LaneVector) -> LaneVector {
    LaneVector(rows.0.dot(v), rows.1.dot(v), rows.2.dot(v))
  }

  /// Variance along a vector, never negative.
  @inlinable @inline(__always)
  package func variance(_ v: LaneVector) -> Lanes { v.dot(spread(v)).atLeast(0) }
}
