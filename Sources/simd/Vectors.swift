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
