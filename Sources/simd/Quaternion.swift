/// What `simd_quatf` and `simd_quatd` have in common. Not Apple's; its quaternions are separate structures, too.
///
/// A unit quaternion is an active rotation: Hamilton's product, `(a * b).act(v) == a.act(b.act(v))`.
public protocol Quaternion: Hashable, Sendable {
  /// The numbers' type.
  associatedtype Scalar: SIMDScalar & BinaryFloatingPoint & Sendable
  /// Imaginary parts x, y, z, then the real part.
  var vector: SIMD4<Scalar> { get set }
  /// From imaginary parts x, y, z, then the real part.
  init(vector: SIMD4<Scalar>)
}

extension Quaternion {
  /// The zero quaternion, as with Apple; the identity is `init(real: 1, imag: .zero)`.
  public init() { self.init(vector: .zero) }
  /// From its four numbers.
  public init(ix: Scalar, iy: Scalar, iz: Scalar, r: Scalar) { self.init(vector: SIMD4(ix, iy, iz, r)) }
  /// From real part and imaginary parts.
  public init(real: Scalar, imag: SIMD3<Scalar>) { self.init(vector: SIMD4(imag, real)) }

  /// The rotation by `angle`, radians, about the unit vector `axis`.
  public init(angle: Scalar, axis: SIMD3<Scalar>) {
    let half = Double(angle) / 2
    self.init(real: Scalar(cos(half)), imag: axis * Scalar(sin(half)))
  }

  /// The shortest rotation from the unit vector `from` to the unit vector `to`; half a turn for opposite ones.
  public init(from: SIMD3<Scalar>, to: SIMD3<Scalar>) {
    let sum = from + to
    guard simd_length(sum) > Scalar(1e-6) else {
      let other: SIMD3<Scalar> = from.x.magnitude < Scalar(0.9) ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
      self.init(real: 0, imag: simd_normalize(simd_cross(from, other)))
      return
    }
    let half = simd_normalize(sum)
    self.init(real: simd_dot(from, half), imag: simd_cross(from, half))
  }

  /// The rotation of a proper orthogonal matrix with these columns.
  init(columns c0: SIMD3<Scalar>, _ c1: SIMD3<Scalar>, _ c2: SIMD3<Scalar>) {
    // The largest of the four numbers is computed first: the others divide by it.
    let trace = c0.x + c1.y + c2.z
    if trace >= 0 {
      let r = (1 + trace).squareRoot() / 2
      self.init(vector: SIMD4(SIMD3(c1.z - c2.y, c2.x - c0.z, c0.y - c1.x) / (4 * r), r))
    } else if c0.x >= c1.y, c0.x >= c2.z {
      let x = (1 + c0.x - c1.y - c2.z).squareRoot() / 2
      self.init(vector: SIMD4(x, (c1.x + c0.y) / (4 * x), (c2.x + c0.z) / (4 * x), (c1.z - c2.y) / (4 * x)))
    } else if c1.y >= c2.z {
      let y = (1 - c0.x + c1.y - c2.z).squareRoot() / 2
      self.init(vector: SIMD4((c1.x + c0.y) / (4 * y), y, (c2.y + c1.z) / (4 * y), (c2.x - c0.z) / (4 * y)))
    } else {
      let z = (1 - c0.x - c1.y + c2.z).squareRoot() / 2
      self.init(vector: SIMD4((c2.x + c0.z) / (4 * z), (c2.y + c1.z) / (4 * z), z, (c0.y - c1.x) / (4 * z)))
    }
  }

  /// The real part.
  public var real: Scalar {
    get { vector.w }
    set { vector.w = newValue }
  }
  /// The imaginary parts.
  public var imag: SIMD3<Scalar> {
    get { SIMD3(vector.x, vector.y, vector.z) }
    set { vector = SIMD4(newValue, real) }
  }
  /// Angle of the rotation, radians, 0...2 pi.
  public var angle: Scalar { Scalar(2 * atan2(Double(simd_length(imag)), Double(real))) }
  /// Axis of the rotation; NaN for the identity.
  public var axis: SIMD3<Scalar> { simd_normalize(imag) }
  /// The norm; 1 for a rotation.
  public var length: Scalar { simd_length(vector) }
  /// The quaternion of norm 1.
  public var normalized: Self { Self(vector: simd_normalize(vector)) }
  /// The quaternion with opposite imaginary parts: of a rotation, the inverse.
  public var conjugate: Self { Self(vector: vector * SIMD4(-1, -1, -1, 1)) }
  /// The inverse.
  public var inverse: Self { Self(vector: conjugate.vector / simd_length_squared(vector)) }

  /// The vector, rotated.
  public func act(_ v: SIMD3<Scalar>) -> SIMD3<Scalar> {
    let t = simd_cross(imag, v) * 2
    return v + t * real + simd_cross(imag, t)
  }

  /// The product: the rotation `b`, then `a`.
  public static func * (a: Self, b: Self) -> Self {
    let imag = b.imag * a.real + a.imag * b.real + simd_cross(a.imag, b.imag)
    return Self(real: a.real * b.real - simd_dot(a.imag, b.imag), imag: imag)
  }
  /// The product with a number.
  public static func * (a: Self, s: Scalar) -> Self { Self(vector: a.vector * s) }
  /// The product with a number.
  public static func * (s: Scalar, a: Self) -> Self { a * s }
  /// The quotient by a number.
  public static func / (a: Self, s: Scalar) -> Self { Self(vector: a.vector / s) }
  /// The sum.
  public static func + (a: Self, b: Self) -> Self { Self(vector: a.vector + b.vector) }
  /// The difference.
  public static func - (a: Self, b: Self) -> Self { Self(vector: a.vector - b.vector) }
  /// The negative quaternion: the same rotation.
  public static prefix func - (a: Self) -> Self { Self(vector: -a.vector) }
  /// Multiplies from the right.
  public static func *= (a: inout Self, b: Self) { a = a * b }

  /// The columns of the rotation's matrix.
  var matrixColumns: [SIMD3<Scalar>] { [act(SIMD3(1, 0, 0)), act(SIMD3(0, 1, 0)), act(SIMD3(0, 0, 1))] }

  /// The rotation between two, on the shorter way: `a` at 0, `b` at 1.
  static func between(_ a: Self, _ b: Self, at share: Scalar) -> Self {
    let cosine = simd_dot(a.vector, b.vector)
    let end = cosine < 0 ? -b.vector : b.vector
    let angle = acos(Swift.min(1, Double(cosine.magnitude)))
    // Nearly equal: the arc is a line.
    guard angle > 1e-4 else { return Self(vector: a.vector + (end - a.vector) * share).normalized }
    let (first, second) = (sin((1 - Double(share)) * angle) / sin(angle), sin(Double(share) * angle) / sin(angle))
    return Self(vector: a.vector * Scalar(first) + end * Scalar(second))
  }
}

/// The product: the rotation `b`, then `a`.
public func simd_mul<Q: Quaternion>(_ a: Q, _ b: Q) -> Q { a * b }
/// The vector, rotated.
public func simd_act<Q: Quaternion>(_ q: Q, _ v: SIMD3<Q.Scalar>) -> SIMD3<Q.Scalar> { q.act(v) }
/// The inverse.
public func simd_inverse<Q: Quaternion>(_ q: Q) -> Q { q.inverse }
/// The quaternion with opposite imaginary parts.
public func simd_conjugate<Q: Quaternion>(_ q: Q) -> Q { q.conjugate }
/// The quaternion of norm 1.
public func simd_normalize<Q: Quaternion>(_ q: Q) -> Q { q.normalized }
/// The norm.
public func simd_length<Q: Quaternion>(_ q: Q) -> Q.Scalar { q.length }
/// The scalar product of two quaternions' numbers.
public func simd_dot<Q: Quaternion>(_ a: Q, _ b: Q) -> Q.Scalar { simd_dot(a.vector, b.vector) }
/// Angle of the rotation, radians.
public func simd_angle<Q: Quaternion>(_ q: Q) -> Q.Scalar { q.angle }
/// Axis of the rotation.
public func simd_axis<Q: Quaternion>(_ q: Q) -> SIMD3<Q.Scalar> { q.axis }
/// The real part.
public func simd_real<Q: Quaternion>(_ q: Q) -> Q.Scalar { q.real }
/// The imaginary parts.
public func simd_imag<Q: Quaternion>(_ q: Q) -> SIMD3<Q.Scalar> { q.imag }
/// The rotation between two, on the shorter way: `a` at 0, `b` at 1.
public func simd_slerp<Q: Quaternion>(_ a: Q, _ b: Q, _ share: Q.Scalar) -> Q { Q.between(a, b, at: share) }

/// A quaternion of single-precision numbers.
public struct simd_quatf: Quaternion {
  /// Imaginary parts x, y, z, then the real part.
  public var vector: simd_float4

  /// From imaginary parts x, y, z, then the real part.
  public init(vector: simd_float4) { self.vector = vector }

  /// The rotation of a proper orthogonal matrix.
  public init(_ m: simd_float3x3) { self.init(columns: m.columns.0, m.columns.1, m.columns.2) }

  /// The rotation of a pose.
  public init(_ m: simd_float4x4) { self.init(simd_float3x3(rotationOf: m)) }
}

/// A quaternion of double-precision numbers.
public struct simd_quatd: Quaternion {
  /// Imaginary parts x, y, z, then the real part.
  public var vector: simd_double4

  /// From imaginary parts x, y, z, then the real part.
  public init(vector: simd_double4) { self.vector = vector }

  /// The rotation of a proper orthogonal matrix.
  public init(_ m: simd_double3x3) { self.init(columns: m.columns.0, m.columns.1, m.columns.2) }
}

extension simd_float3x3 {
  /// The matrix of a rotation.
  public init(_ q: simd_quatf) { self.init(q.matrixColumns) }

  /// The upper left part of a pose's matrix.
  init(rotationOf m: simd_float4x4) {
    self.init(simd_make_float3(m.columns.0), simd_make_float3(m.columns.1), simd_make_float3(m.columns.2))
  }
}

extension simd_float4x4 {
  /// The pose of a rotation.
  public init(_ q: simd_quatf) {
    self.init(q.matrixColumns.map { simd_float4($0, 0) } + [simd_float4(0, 0, 0, 1)])
  }
}

extension simd_double3x3 {
  /// The matrix of a rotation.
  public init(_ q: simd_quatd) { self.init(q.matrixColumns) }
}

/// The rotation by `angle`, radians, about the unit vector `axis`.
public func simd_quaternion(_ angle: Float, _ axis: simd_float3) -> simd_quatf { simd_quatf(angle: angle, axis: axis) }
/// The shortest rotation from a unit vector to another.
public func simd_quaternion(_ from: simd_float3, _ to: simd_float3) -> simd_quatf { simd_quatf(from: from, to: to) }
/// From imaginary parts x, y, z, and the real part.
public func simd_quaternion(_ ix: Float, _ iy: Float, _ iz: Float, _ r: Float) -> simd_quatf {
  simd_quatf(ix: ix, iy: iy, iz: iz, r: r)
}
/// From imaginary parts x, y, z, then the real part.
public func simd_quaternion(_ vector: simd_float4) -> simd_quatf { simd_quatf(vector: vector) }
/// The rotation of a pose.
public func simd_quaternion(_ m: simd_float4x4) -> simd_quatf { simd_quatf(m) }
/// The rotation of a proper orthogonal matrix.
public func simd_quaternion(_ m: simd_float3x3) -> simd_quatf { simd_quatf(m) }
/// The pose of a rotation.
public func simd_matrix4x4(_ q: simd_quatf) -> simd_float4x4 { simd_float4x4(q) }
/// The matrix of a rotation.
public func simd_matrix3x3(_ q: simd_quatf) -> simd_float3x3 { simd_float3x3(q) }
