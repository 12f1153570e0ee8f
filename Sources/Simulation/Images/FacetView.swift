import Geometry

/// A facet as one camera pose sees it: the homography from a ray (x, y, 1) in camera axes to (s w, t w, w).
///
/// (s, t) is the place on the texture, w = 1 / z the inverse depth, 1/m. With the ray's world direction d = R r, the camera's
/// place o, the normal n and a point c of the plane: w = n.d / D, D = n.(c - o), and the plane's point is o + d / w; it lies
/// at s = u.(o - c + d / w) along u. Source: Hartley and Zisserman, "Multiple View Geometry", 2nd ed., 2004, chapter 13.
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
    // In the very plane the facet is a line; the tiny number keeps it one.
    let inverseDepth = cameraFromWorld * normal / (isFront ? min(distance, -1e-9) : max(distance, 1e-9))
    let place = facet.texturePosition(of: worldFromCamera.translation)
    let s = cameraFromWorld * facet.u / Texture.texel + place.x * inverseDepth
    let t = cameraFromWorld * facet.v / Texture.texel + place.y * inverseDepth
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
