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
