import Geometry
import NearbyInteraction
import Simulation
import Testing

/// The names of `simd`: vectors, the smaller matrices, quaternions; `MatrixTests` has the 4x4 ones.
@Suite struct SimdTests {
  /// A quaternion rotates as the geometry of this project does, and as its matrices do.
  @Test func quaternionsAreRotations() {
    var random = SeededRandom(seed: 11)
    for _ in 0..<50 {
      let (rotation, other, v) = (random.rotation(), random.rotation(), random.gaussian3())
      func quaternion(_ r: Rotation) -> simd_quatd {
        simd_quatd(ix: r.v.x, iy: r.v.y, iz: r.v.z, r: r.w)
      }
      let (q, p) = (quaternion(rotation), quaternion(other))
      #expect(simd_distance(q.act(v), rotation * v) < 1e-12)
      #expect(simd_distance((q * p).act(v), (rotation * other) * v) < 1e-12)
      #expect(simd_distance(simd_double3x3(q) * v, rotation * v) < 1e-12)
      #expect(simd_distance(q.inverse.act(q.act(v)), v) < 1e-12)
      // From the matrix and back, up to the sign.
      let again = simd_quatd(simd_double3x3(q))
      #expect(abs(abs(simd_dot(again, q)) - 1) < 1e-9)
      #expect(abs(simd_double3x3(q).determinant - 1) < 1e-12)
    }
  }

  /// All four branches of the conversion from a matrix.
  @Test(arguments: [simd_float3(1, 0, 0), simd_float3(0, 1, 0), simd_float3(0, 0, 1), simd_float3(0.6, 0, 0.8)])
  func quaternionsFromMatrices(axis: simd_float3) {
    for angle in [Float(0.1), 1, 2, 3, 3.1] {
      let q = simd_quatf(angle: angle, axis: axis)
      let again = simd_quatf(simd_float4x4(q))
      #expect(abs(again.angle - angle) < 1e-3 && simd_distance(again.axis, axis) < 1e-3)
    }
  }

  @Test func quaternionsBetweenTwo() {
    let (ahead, right) = (simd_float3(0, 0, -1), simd_float3(1, 0, 0))
    let turn = simd_quatf(from: ahead, to: right)
    #expect(simd_distance(turn.act(ahead), right) < 1e-6 && abs(turn.angle - .pi / 2) < 1e-6)
    #expect(simd_distance(simd_quatf(from: ahead, to: -ahead).act(ahead), -ahead) < 1e-6)
    let none = simd_quatf(real: 1, imag: .zero)
    for share in [Float(0), 0.25, 0.5, 1] {
      #expect(abs(simd_slerp(none, turn, share).angle - share * .pi / 2) < 1e-5)
      // The same rotation with the other sign: still the shorter way.
      #expect(abs(simd_slerp(none, -turn, share).act(right).z - sin(share * .pi / 2)) < 1e-5)
    }
    #expect(simd_length(simd_slerp(turn, turn, 0.3) - turn.normalized) < 1e-6)
  }

  @Test func smallMatrices() {
    let a = simd_float3x3(rows: [simd_float3(1, 2, 3), simd_float3(0, 1, 4), simd_float3(5, 6, 0)])
    #expect(a.determinant.rounded() == 1 && a[2, 0] == 3 && a.columns.2 == simd_float3(3, 4, 0))
    #expect(simd_almost_equal_elements(a * a.inverse, matrix_identity_float3x3, 1e-4))
    #expect(simd_float2x2(simd_float2(1, 3), simd_float2(2, 4)).determinant == -2)
    #expect(simd_float3x3(diagonal: simd_float3(1, 0, 2)).determinant == 0)
    #expect((2 * a - a - a) == simd_float3x3() && simd_mul(a, simd_float3(1, 0, 0)) == simd_float3(1, 0, 5))
  }

  @Test func vectors() {
    let (v, w) = (simd_float3(3, 0, -4), simd_float3(1, 2, 2))
    #expect(simd_length_squared(v) == 25 && simd_length(v) == 5 && simd_distance_squared(v, w) == 44)
    #expect(length(simd_float2(3, 4)) == 5 && dot(simd_double3(1, 2, 3), [1, 1, 1]) == 6)
    #expect(simd_clamp(v, simd_float3(repeating: -1), simd_float3(repeating: 1)) == simd_float3(1, 0, -1))
    #expect(clamp(v, min: -2, max: 2) == simd_float3(2, 0, -2) && simd_clamp(Float(7), 0, 5) == 5)
    #expect(simd_min(v, w) == simd_float3(1, 0, -4) && max(v, w) == simd_float3(3, 2, 2))
    #expect(abs(v) == simd_float3(3, 0, 4) && sign(v) == simd_float3(1, 0, -1) && simd_reduce_add(v) == -1)
    #expect(mix(v, w, t: 0.5) == simd_float3(2, 1, -1) && simd_norm_one(v) == 7 && simd_norm_inf(v) == 4)
    #expect(reflect(simd_float3(1, -1, 0), n: simd_float3(0, 1, 0)) == simd_float3(1, 1, 0))
    #expect(project(simd_float3(1, 1, 0), simd_float3(2, 0, 0)) == simd_float3(1, 0, 0))
    #expect(simd_make_float4(v, 1) == simd_float4(3, 0, -4, 1))
    #expect(simd_cross(simd_double3(1, 0, 0), simd_double3(0, 1, 0)) == simd_double3(0, 0, 1))
    // The standard library's functions of numbers are still there.
    #expect(min(2, 1) == 1 && max(1.5, 2) == 2 && abs(-3) == 3)
  }
}
