import Foundation

/// A rotation of R^3, stored as a unit Hamilton quaternion, acting actively: `v_W = worldFromIMU * v_I`.
///
/// Names compose by their inner frames: `worldFromCamera = worldFromIMU * imuFromCamera`.
/// Laws, tested at random elements: `(a * b) * v == a * (b * v)`, `r * r.inverse == .identity`,
/// `Rotation.exp(r.log) == r`, `|r * v| == |v|`.
/// Source: Sola, Deray, Atchuthan, "A micro Lie theory for state estimation in robotics", arXiv:1812.01537.
@frozen
public struct Rotation: Equatable, Sendable {
  /// Scalar part of the unit quaternion.
  public let w: Double
  /// Vector part of the unit quaternion.
  public let v: Vector3

  @inlinable init(unchecked w: Double, _ v: Vector3) {
    self.w = w
    self.v = v
  }

  /// A rotation from a Hamilton quaternion, normalised here.
  ///
  /// - Precondition: the quaternion is finite and not zero; file readers check that first.
  @inlinable public init(w: Double, x: Double, y: Double, z: Double) {
    let length = (w * w + x * x + y * y + z * z).squareRoot()
    precondition(length > 0 && length.isFinite, "a quaternion must be finite and not zero")
    self.init(unchecked: w / length, Vector3(x, y, z) / length)
  }

  /// The identity rotation.
  @inlinable public static var identity: Rotation { Rotation(unchecked: 1, .zero) }

  /// The rotation nearest to a matrix that is orthonormal up to rounding (Shepperd's method).
  public init(matrix m: Matrix3) {
    let trace = m.trace
    if trace > 0 {
      let s = 2 * (trace + 1).squareRoot()
      self.init(w: s / 4, x: (m[2, 1] - m[1, 2]) / s, y: (m[0, 2] - m[2, 0]) / s, z: (m[1, 0] - m[0, 1]) / s)
    } else if m[0, 0] >= m[1, 1], m[0, 0] >= m[2, 2] {
      let s = 2 * (1 + m[0, 0] - m[1, 1] - m[2, 2]).squareRoot()
      self.init(w: (m[2, 1] - m[1, 2]) / s, x: s / 4, y: (m[0, 1] + m[1, 0]) / s, z: (m[0, 2] + m[2, 0]) / s)
    } else if m[1, 1] >= m[2, 2] {
      let s = 2 * (1 + m[1, 1] - m[0, 0] - m[2, 2]).squareRoot()
      self.init(w: (m[0, 2] - m[2, 0]) / s, x: (m[0, 1] + m[1, 0]) / s, y: s / 4, z: (m[1, 2] + m[2, 1]) / s)
    } else {
      let s = 2 * (1 + m[2, 2] - m[0, 0] - m[1, 1]).squareRoot()
      self.init(w: (m[1, 0] - m[0, 1]) / s, x: (m[0, 2] + m[2, 0]) / s, y: (m[1, 2] + m[2, 1]) / s, z: s / 4)
    }
  }

  /// `Exp(theta)`: the rotation about `theta` by `|theta|` radians.
  @inlinable public static func exp(_ theta: Vector3) -> Rotation {
    let squared = theta.squaredNorm
    if squared < 1e-12 {
      // Second-order series: the next term is below 1e-25.
      return Rotation(w: 1 - squared / 8, x: theta.x / 2, y: theta.y / 2, z: theta.z / 2)
    }
    let angle = squared.squareRoot()
    let s = Foundation.sin(angle / 2) / angle
    return Rotation(unchecked: Foundation.cos(angle / 2), theta * s)
  }

  /// A rotation about the world's z axis, counter-clockwise seen from above, in radians.
  @inlinable public static func yaw(_ angle: Double) -> Rotation { exp(Vector3(0, 0, angle)) }

  /// The twist about z, radians, of a swing-twist decomposition: the rotation about z that leaves the smallest
  /// remainder.
  public var twistAboutZ: Double { 2 * atan2(w < 0 ? -v.z : v.z, abs(w)) }

  /// The shortest rotation that carries the direction of `a` into the direction of `b`.
  public static func carrying(_ a: Vector3, into b: Vector3) -> Rotation {
    let u = a.normalized
    let t = b.normalized
    let cosine = u.dot(t)
    if cosine < -1 + 1e-12 { return exp(u.tangentBasis.0 * .pi) }
    let axis = u.cross(t)
    return Rotation(w: 1 + cosine, x: axis.x, y: axis.y, z: axis.z)
  }

  /// `Log`: the rotation vector of length at most pi, in radians.
  @inlinable public var log: Vector3 {
    // The sign selects the shorter rotation.
    let sign: Double = w < 0 ? -1 : 1
    let sine = v.norm
    if sine < 1e-9 { return v * (2 * sign) }
    return v * (2 * sign * atan2(sine, abs(w)) / sine)
  }

  /// The inverse rotation.
  @inlinable public var inverse: Rotation { Rotation(unchecked: w, -v) }

  /// The rotation matrix, orthonormal with determinant 1.
  @inlinable public var matrix: Matrix3 {
    Matrix3(columns: self * Vector3(1, 0, 0), self * Vector3(0, 1, 0), self * Vector3(0, 0, 1))
  }

  /// Composition; renormalised, so that products of any length stay unit.
  @inlinable public static func * (a: Rotation, b: Rotation) -> Rotation {
    let v = a.w * b.v + b.w * a.v + a.v.cross(b.v)
    return Rotation(w: a.w * b.w - a.v.dot(b.v), x: v.x, y: v.y, z: v.z)
  }

  /// The rotated vector.
  @inlinable public static func * (r: Rotation, vector: Vector3) -> Vector3 {
    let t = 2 * r.v.cross(vector)
    return vector + r.w * t + r.v.cross(t)
  }

  /// Left Jacobian of SO(3): `Exp(theta + d) = Exp(J_l(theta) d) Exp(theta)` to first order in `d`.
  public static func leftJacobian(_ theta: Vector3) -> Matrix3 {
    let squared = theta.squaredNorm
    let k = theta.skew
    if squared < 1e-8 { return Matrix3.identity + 0.5 * k + (1.0 / 6) * (k * k) }
    let angle = squared.squareRoot()
    let a = (1 - Foundation.cos(angle)) / squared
    let b = (angle - Foundation.sin(angle)) / (squared * angle)
    return Matrix3.identity + a * k + b * (k * k)
  }

  /// The rotation at `fraction` (0...1) between this one and `other`, at constant angular rate.
  public func interpolated(to other: Rotation, fraction: Double) -> Rotation {
    self * Rotation.exp((inverse * other).log * fraction)
  }
}
