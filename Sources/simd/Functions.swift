// Names of Apple's `simd` that code around Nearby Interaction uses; other systems lack this module. Vectors are the
// standard library's.

/// Three single-precision numbers.
public typealias simd_float3 = SIMD3<Float>
/// Four single-precision numbers.
public typealias simd_float4 = SIMD4<Float>
/// Three double-precision numbers.
public typealias simd_double3 = SIMD3<Double>
/// The name without prefix, as Swift code has it.
public typealias float4x4 = simd_float4x4

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
/// The identity matrix.
public let matrix_identity_float4x4 = simd_float4x4(1)

// The names without a prefix, as Swift code has them.

/// The scalar product of two vectors.
public func dot(_ a: simd_float3, _ b: simd_float3) -> Float { simd_dot(a, b) }
/// The Euclidean length of a vector.
public func length(_ a: simd_float3) -> Float { simd_length(a) }
/// The Euclidean distance of two points.
public func distance(_ a: simd_float3, _ b: simd_float3) -> Float { simd_distance(a, b) }
/// The unit vector of the same direction; NaN for the zero vector.
public func normalize(_ a: simd_float3) -> simd_float3 { simd_normalize(a) }
/// The vector product.
public func cross(_ a: simd_float3, _ b: simd_float3) -> simd_float3 { simd_cross(a, b) }

/// The first three numbers of four.
public func simd_make_float3(_ a: simd_float4) -> simd_float3 { simd_float3(a.x, a.y, a.z) }
/// Three numbers as a vector.
public func simd_make_float3(_ x: Float, _ y: Float, _ z: Float) -> simd_float3 { simd_float3(x, y, z) }
