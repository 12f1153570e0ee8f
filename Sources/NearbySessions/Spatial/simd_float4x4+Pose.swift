import Geometry

extension simd_float4x4 {
  /// A pose as a matrix: rotation in the first three columns, translation in the fourth.
  package init(_ pose: Pose) {
    let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].map { pose.rotation * $0 }
    self.init(
      simd_float4(simd_float3(axes[0]), 0), simd_float4(simd_float3(axes[1]), 0), simd_float4(simd_float3(axes[2]), 0),
      simd_float4(simd_float3(pose.translation), 1))
  }
}
