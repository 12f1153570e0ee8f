// The names of Apple's `simd` that Nearby Interaction's signatures use. Vectors are the standard library's; there is no
// `simd` module outside Apple's systems.

/// Three single-precision numbers.
public typealias simd_float3 = SIMD3<Float>
/// Four single-precision numbers.
public typealias simd_float4 = SIMD4<Float>

/// The scalar product of two vectors.
public func simd_dot(_ a: simd_float3, _ b: simd_float3) -> Float { (a * b).sum() }
/// The scalar product of two vectors.
public func simd_dot(_ a: simd_float4, _ b: simd_float4) -> Float { (a * b).sum() }
/// The Euclidean length of a vector.
public func simd_length(_ a: simd_float3) -> Float { simd_dot(a, a).squareRoot() }
/// The Euclidean distance of two points.
public func simd_distance(_ a: simd_float3, _ b: simd_float3) -> Float { simd_length(a - b) }
/// The unit vector of the same direction; NaN for the zero vector, as with Apple.
public func simd_normalize(_ a: simd_float3) -> simd_float3 { a / simd_length(a) }
/// The vector product.
public func simd_cross(_ a: simd_float3, _ b: simd_float3) -> simd_float3 {
  simd_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
/// The product of two matrices.
public func simd_mul(_ a: simd_float4x4, _ b: simd_float4x4) -> simd_float4x4 { a * b }
/// The product of a matrix and a column.
public func simd_mul(_ a: simd_float4x4, _ b: simd_float4) -> simd_float4 { a * b }
/// The transposed matrix.
public func simd_transpose(_ a: simd_float4x4) -> simd_float4x4 { a.transpose }
/// The inverse matrix.
public func simd_inverse(_ a: simd_float4x4) -> simd_float4x4 { a.inverse }
/// The matrix that does nothing.
public let matrix_identity_float4x4 = simd_float4x4(1)
