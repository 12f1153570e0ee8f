// Names of Apple's `simd` that code around Nearby Interaction uses; other systems lack this module. Vectors are the
// standard library's. As with Apple, who imports it has Foundation's names, too.
@_exported import Foundation

/// Two single-precision numbers.
public typealias simd_float2 = SIMD2<Float>
/// Three single-precision numbers.
public typealias simd_float3 = SIMD3<Float>
/// Four single-precision numbers.
public typealias simd_float4 = SIMD4<Float>
/// Two double-precision numbers.
public typealias simd_double2 = SIMD2<Double>
/// Three double-precision numbers.
public typealias simd_double3 = SIMD3<Double>
/// Four double-precision numbers.
public typealias simd_double4 = SIMD4<Double>
/// Two integers.
public typealias simd_int2 = SIMD2<Int32>
/// Three integers.
public typealias simd_int3 = SIMD3<Int32>
/// Four integers.
public typealias simd_int4 = SIMD4<Int32>
/// Two integers without sign.
public typealias simd_uint2 = SIMD2<UInt32>
/// Three integers without sign.
public typealias simd_uint3 = SIMD3<UInt32>
/// Four integers without sign.
public typealias simd_uint4 = SIMD4<UInt32>

// The names of older code.

/// Two single-precision numbers.
public typealias vector_float2 = SIMD2<Float>
/// Three single-precision numbers.
public typealias vector_float3 = SIMD3<Float>
/// Four single-precision numbers.
public typealias vector_float4 = SIMD4<Float>
/// Three double-precision numbers.
public typealias vector_double3 = SIMD3<Double>
/// Two single-precision numbers.
public typealias float2 = SIMD2<Float>
/// Three single-precision numbers.
public typealias float3 = SIMD3<Float>
/// Four single-precision numbers.
public typealias float4 = SIMD4<Float>
/// Three double-precision numbers.
public typealias double3 = SIMD3<Double>

// MARK: - Vectors from numbers

/// Two numbers as a vector.
public func simd_make_float2(_ x: Float, _ y: Float) -> simd_float2 { simd_float2(x, y) }
/// The first two numbers of three.
public func simd_make_float2(_ a: simd_float3) -> simd_float2 { simd_float2(a.x, a.y) }
/// The first two numbers of four.
public func simd_make_float2(_ a: simd_float4) -> simd_float2 { simd_float2(a.x, a.y) }
/// Three numbers as a vector.
public func simd_make_float3(_ x: Float, _ y: Float, _ z: Float) -> simd_float3 { simd_float3(x, y, z) }
/// Two numbers and a third.
public func simd_make_float3(_ a: simd_float2, _ z: Float) -> simd_float3 { simd_float3(a, z) }
/// The first three numbers of four.
public func simd_make_float3(_ a: simd_float4) -> simd_float3 { simd_float3(a.x, a.y, a.z) }
/// Four numbers as a vector.
public func simd_make_float4(_ x: Float, _ y: Float, _ z: Float, _ w: Float) -> simd_float4 { simd_float4(x, y, z, w) }
/// Three numbers and a fourth.
public func simd_make_float4(_ a: simd_float3, _ w: Float) -> simd_float4 { simd_float4(a, w) }
/// Three numbers and zero.
public func simd_make_float4(_ a: simd_float3) -> simd_float4 { simd_float4(a, 0) }
/// Three numbers as a vector.
public func simd_make_double3(_ x: Double, _ y: Double, _ z: Double) -> simd_double3 { simd_double3(x, y, z) }
/// The first three numbers of four.
public func simd_make_double3(_ a: simd_double4) -> simd_double3 { simd_double3(a.x, a.y, a.z) }

// Functions of vectors, with Apple's prefix and, as Swift code has them, without.

/// The scalar product of two vectors.
public func simd_dot<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { (a * b).sum() }
/// The square of a vector's Euclidean length.
public func simd_length_squared<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(a, a) }
/// The Euclidean length of a vector.
public func simd_length<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(a, a).squareRoot() }
/// The sum of the magnitudes of a vector's numbers.
public func simd_norm_one<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_abs(a).sum() }
/// The largest magnitude of a vector's numbers.
public func simd_norm_inf<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_abs(a).max() }
/// The square of the Euclidean distance of two points.
public func simd_distance_squared<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint {
  simd_length_squared(a - b)
}
/// The Euclidean distance of two points.
public func simd_distance<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length(a - b) }
/// The unit vector of the same direction; NaN for the zero vector, as with Apple.
public func simd_normalize<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint { a / simd_length(a) }
/// The vector product.
public func simd_cross<T: SIMDScalar & FloatingPoint>(_ a: SIMD3<T>, _ b: SIMD3<T>) -> SIMD3<T> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}
/// The projection of `a` onto the line of `b`.
public func simd_project<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint {
  b * (simd_dot(a, b) / simd_dot(b, b))
}
/// The mirror image of `a` at the plane whose unit normal is `n`.
public func simd_reflect<V: SIMD>(_ a: V, _ n: V) -> V where V.Scalar: FloatingPoint {
  let along = simd_dot(n, a)
  return a - n * (along + along)
}

/// The smaller of each pair of numbers.
public func simd_min<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint { pointwiseMin(a, b) }
/// The larger of each pair of numbers.
public func simd_max<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint { pointwiseMax(a, b) }
/// Each number, at least that of `low` and at most that of `high`.
public func simd_clamp<V: SIMD>(_ a: V, _ low: V, _ high: V) -> V where V.Scalar: FloatingPoint {
  simd_min(simd_max(a, low), high)
}
/// A number, at least `low` and at most `high`.
public func simd_clamp<T: FloatingPoint>(_ a: T, _ low: T, _ high: T) -> T { T.minimum(T.maximum(a, low), high) }
/// The magnitude of each number.
public func simd_abs<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint { a.replacing(with: -a, where: a .< 0) }
/// -1, 0 or 1 for each number.
public func simd_sign<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint {
  V.zero.replacing(with: 1, where: a .> 0).replacing(with: -1, where: a .< 0)
}
/// The point between two: `a` at 0, `b` at 1, number by number.
public func simd_mix<V: SIMD>(_ a: V, _ b: V, _ share: V) -> V where V.Scalar: FloatingPoint { a + share * (b - a) }
/// The number between two: `a` at 0, `b` at 1.
public func simd_mix<T: FloatingPoint>(_ a: T, _ b: T, _ share: T) -> T { a + share * (b - a) }
/// The sum of a vector's numbers.
public func simd_reduce_add<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { a.sum() }
/// The smallest of a vector's numbers.
public func simd_reduce_min<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: Comparable { a.min() }
/// The largest of a vector's numbers.
public func simd_reduce_max<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: Comparable { a.max() }
/// Whether all numbers are equal.
public func simd_equal<V: SIMD>(_ a: V, _ b: V) -> Bool { a == b }

// MARK: - The names without a prefix

/// The scalar product of two vectors.
public func dot<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_dot(a, b) }
/// The Euclidean length of a vector.
public func length<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length(a) }
/// The square of a vector's Euclidean length.
public func length_squared<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_length_squared(a) }
/// The Euclidean distance of two points.
public func distance<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint { simd_distance(a, b) }
/// The square of the Euclidean distance of two points.
public func distance_squared<V: SIMD>(_ a: V, _ b: V) -> V.Scalar where V.Scalar: FloatingPoint {
  simd_distance_squared(a, b)
}
/// The unit vector of the same direction; NaN for the zero vector.
public func normalize<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint { simd_normalize(a) }
/// The vector product.
public func cross<T: SIMDScalar & FloatingPoint>(_ a: SIMD3<T>, _ b: SIMD3<T>) -> SIMD3<T> { simd_cross(a, b) }
/// The projection of `a` onto the line of `b`.
public func project<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint { simd_project(a, b) }
/// The mirror image of `a` at the plane whose unit normal is `n`.
public func reflect<V: SIMD>(_ a: V, n: V) -> V where V.Scalar: FloatingPoint { simd_reflect(a, n) }
/// The smaller of each pair of numbers.
public func min<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint { simd_min(a, b) }
/// The larger of each pair of numbers.
public func max<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar: FloatingPoint { simd_max(a, b) }
/// The magnitude of each number.
public func abs<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint { simd_abs(a) }
/// -1, 0 or 1 for each number.
public func sign<V: SIMD>(_ a: V) -> V where V.Scalar: FloatingPoint { simd_sign(a) }
/// Each number, at least that of `min` and at most that of `max`.
public func clamp<V: SIMD>(_ a: V, min: V, max: V) -> V where V.Scalar: FloatingPoint { simd_clamp(a, min, max) }
/// Each number, at least `min` and at most `max`.
public func clamp<V: SIMD>(_ a: V, min: V.Scalar, max: V.Scalar) -> V where V.Scalar: FloatingPoint {
  simd_clamp(a, V(repeating: min), V(repeating: max))
}
/// The point between two: `a` at 0, `b` at 1, number by number.
public func mix<V: SIMD>(_ a: V, _ b: V, t: V) -> V where V.Scalar: FloatingPoint { simd_mix(a, b, t) }
/// The point between two: `a` at 0, `b` at 1.
public func mix<V: SIMD>(_ a: V, _ b: V, t: V.Scalar) -> V where V.Scalar: FloatingPoint {
  simd_mix(a, b, V(repeating: t))
}
/// The sum of a vector's numbers.
public func reduce_add<V: SIMD>(_ a: V) -> V.Scalar where V.Scalar: FloatingPoint { a.sum() }
