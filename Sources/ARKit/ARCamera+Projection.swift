import Foundation

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif
#if canImport(UIKit)
  import UIKit
#else
  /// How the app's interface is turned; UIKit's, with its raw values.
  public enum UIInterfaceOrientation: Int, Sendable {
    /// Not known; taken as portrait.
    case unknown = 0
    /// The home button, or the lower edge, is down.
    case portrait = 1
    /// It is up.
    case portraitUpsideDown = 2
    /// It is to the right.
    case landscapeRight = 3
    /// It is to the left.
    case landscapeLeft = 4
  }
#endif

/// From points of ARKit's world to a view that shows the camera's image, filled and cut at two of its edges as views of
/// ARKit do it.
extension ARCamera {
  /// ARKit's world to the camera's axes as the interface shows them: x right, y up, z towards the user.
  public func viewMatrix(for orientation: UIInterfaceOrientation) -> simd_float4x4 {
    let (right, up) = Self.axes(orientation)
    let viewFromCamera = simd_float4x4(
      simd_float4(right.x, up.x, 0, 0), simd_float4(right.y, up.y, 0, 0), simd_float4(0, 0, 1, 0),
      simd_float4(0, 0, 0, 1))
    return viewFromCamera * transform.inverse
  }

  /// The point of a view, its points from the upper left corner, at which a point of ARKit's world appears. For a point
  /// behind the camera it is the mirrored one, as with ARKit; (0, 0) where the device has no camera or the view no size.
  public func projectPoint(
    _ point: simd_float3, orientation: UIInterfaceOrientation, viewportSize: CGSize
  ) -> CGPoint {
    let (image, focal) = shown(orientation)
    guard image.width > 0, image.height > 0, viewportSize.width > 0, viewportSize.height > 0 else { return .zero }
    let seen = viewMatrix(for: orientation) * simd_float4(point.x, point.y, point.z, 1)
    // On the plane of the camera itself there is no image: far away, and finite.
    let depth = Swift.abs(seen.z) < 1e-6 ? 1e-6 : -Double(seen.z)
    let scale = Swift.max(viewportSize.width / image.width, viewportSize.height / image.height)
    let x = focal.principal.x + focal.length.x * Double(seen.x) / depth
    let y = focal.principal.y - focal.length.y * Double(seen.y) / depth
    return CGPoint(
      x: (x - image.width / 2) * scale + viewportSize.width / 2,
      y: (y - image.height / 2) * scale + viewportSize.height / 2)
  }

  /// The view's right and up, in the camera's axes of landscape.
  private static func axes(_ orientation: UIInterfaceOrientation) -> (right: SIMD2<Float>, up: SIMD2<Float>) {
    switch orientation {
    // The camera's x runs towards the lower edge, its y towards the right one.
    case .portraitUpsideDown: (SIMD2(0, -1), SIMD2(1, 0))
    case .landscapeRight: (SIMD2(1, 0), SIMD2(0, 1))
    case .landscapeLeft: (SIMD2(-1, 0), SIMD2(0, -1))
    default: (SIMD2(0, 1), SIMD2(-1, 0))
    }
  }

  /// Size, focal lengths and principal point of the image as the interface shows it, pixels.
  private func shown(
    _ orientation: UIInterfaceOrientation
  ) -> (size: CGSize, focal: (length: SIMD2<Double>, principal: SIMD2<Double>)) {
    let (w, h) = (Double(imageResolution.width), Double(imageResolution.height))
    let (fx, fy) = (Double(intrinsics.columns.0.x), Double(intrinsics.columns.1.y))
    let (cx, cy) = (Double(intrinsics.columns.2.x), Double(intrinsics.columns.2.y))
    switch orientation {
    case .portraitUpsideDown: return (CGSize(width: h, height: w), (SIMD2(fy, fx), SIMD2(cy, w - cx)))
    case .landscapeRight: return (imageResolution, (SIMD2(fx, fy), SIMD2(cx, cy)))
    case .landscapeLeft: return (imageResolution, (SIMD2(fx, fy), SIMD2(w - cx, h - cy)))
    default: return (CGSize(width: h, height: w), (SIMD2(fy, fx), SIMD2(h - cy, cx)))
    }
  }
}
