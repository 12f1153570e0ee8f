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
