import Geometry

/// A facet seen from one camera pose: the homography from a ray r = (x, y, 1) in camera axes to (s w, t w, w).
///
/// (s, t) are texture coordinates; w = 1 / z is the inverse depth, 1/m. Let d = R r be the ray in world axes, o the
/// camera's position, n the plane's normal and c a point of the plane. Then w = n.d / D with D = n.(c - o). The ray
/// meets the plane at o + d / w, and s = u.(o - c + d / w).
/// Source: Hartley and Zisserman, "Multiple View Geometry", 2nd ed., 2004, chapter 13.
struct FacetView {
  /// The homography's columns; the fourth number is not used.
  let x: SIMD4<Float>, y: SIMD4<Float>, one: SIMD4<Float>
  /// The camera is on the outer side of the plane.
  let isFront: Bool

  /// The view of a facet from a camera.
  init(_ facet: Facet, worldFromCamera: Pose) {
    let cameraFromWorld = worldFromCamera.rotation.inverse
    let normal = facet.u.cross(facet.v)
    let offset = worldFromCamera.translation - facet.corner
    let distance = -normal.dot(offset)
    isFront = distance < 0
    // A camera in the plane sees the facet as a line; 1e-9 avoids the division by zero.
    let inverseDepth = cameraFromWorld * normal / (isFront ? min(distance, -1e-9) : max(distance, 1e-9))
    let position = facet.texturePosition(of: worldFromCamera.translation)
    let s = cameraFromWorld * facet.u / Texture.texel + position.x * inverseDepth
    let t = cameraFromWorld * facet.v / Texture.texel + position.y * inverseDepth
    func column(_ k: Int) -> SIMD4<Float> { SIMD4(Float(s[k]), Float(t[k]), Float(inverseDepth[k]), 0) }
    x = column(0)
    y = column(1)
    one = column(2)
  }

  /// (s w, t w, w) of a ray.
  @inline(__always)
  func of(_ ray: SIMD2<Float>) -> SIMD4<Float> { x * ray.x + y * ray.y + one }

  /// w of a ray alone.
  @inline(__always)
  func inverseDepth(of ray: SIMD2<Float>) -> Float { x.z * ray.x + y.z * ray.y + one.z }
}
