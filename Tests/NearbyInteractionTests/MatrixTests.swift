import Geometry
import NearbyInteraction
import Simulation
import Testing

/// The laws of `simd_float4x4`, at random matrices.
@Suite struct MatrixTests {
  static func difference(_ a: simd_float4x4, _ b: simd_float4x4) -> Float {
    (0..<4).map { column in
      let d = a[column] - b[column]
      return simd_dot(d, d).squareRoot()
    }.max()!
  }

  @Test func laws() {
    var random = SeededRandom(seed: 9)
    func column() -> simd_float4 { simd_float4((0..<4).map { _ in Float(random.gaussian()) }) }
    func matrix() -> simd_float4x4 { simd_float4x4(column(), column(), column(), column()) }
    for _ in 0..<100 {
      let (a, b, v) = (matrix() + 4, matrix(), column())
      let d = (a * b) * v - a * (b * v)
      #expect(simd_dot(d, d).squareRoot() < 1e-4)
      #expect(Self.difference(a * a.inverse, matrix_identity_float4x4) < 1e-4)
      #expect(Self.difference((a * b).transpose, b.transpose * a.transpose) < 1e-4)
      #expect(a[1, 2] == a.columns.1.z && a.transpose[2, 1] == a[1, 2])
    }
    #expect(simd_float4x4().inverse[0, 0].isNaN)
  }

  @Test func aPoseIsAMatrix() {
    var random = SeededRandom(seed: 10)
    for _ in 0..<50 {
      let (pose, point) = (Pose(rotation: random.rotation(), translation: random.gaussian3()), random.gaussian3())
      let column = simd_float4x4(pose) * simd_float4(simd_float3(point), 1)
      #expect(simd_distance(simd_float3(column.x, column.y, column.z), simd_float3(pose * point)) < 1e-5)
      #expect(Self.difference(simd_float4x4(pose.inverse), simd_float4x4(pose).inverse) < 1e-5)
    }
  }

  @Test func vectors() {
    let (x, y) = (simd_float3(3, 0, 0), simd_float3(0, 4, 0))
    #expect(simd_cross(x, y) == simd_float3(0, 0, 12) && simd_dot(x, y) == 0)
    #expect(simd_distance(x, y) == 5 && simd_normalize(y) == simd_float3(0, 1, 0))
  }
}

/// Keeps a random matrix away from singular ones.
private func + (a: simd_float4x4, diagonal: Float) -> simd_float4x4 {
  var sum = a
  for k in 0..<4 { sum[k, k] += diagonal }
  return sum
}
