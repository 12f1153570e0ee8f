import Foundation

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// The camera at the time of a frame.
public final class ARCamera: NSObject, Sendable {
  /// How well the device's pose is tracked.
  public enum TrackingState: Hashable, Sendable {
    /// There is no pose.
    case notAvailable
    /// There is one, but not a good one.
    case limited(Reason)
    /// It is tracked.
    case normal

    /// Why tracking is limited.
    public enum Reason: Int, Hashable, Sendable {
      /// It has begun only now.
      case initializing = 0
      /// It tries to return to an old map.
      case relocalizing = 1
      /// The device moves too fast.
      case excessiveMotion = 2
      /// The image shows too little: too dark, for instance.
      case insufficientFeatures = 3
    }
  }

  /// Why tracking is limited, in the form of Objective-C.
  public enum TrackingStateReason: Int, Hashable, Sendable {
    /// It is not limited.
    case none = 0
    /// It has begun only now.
    case initializing = 1
    /// The device moves too fast.
    case excessiveMotion = 2
    /// The image shows too little.
    case insufficientFeatures = 3
    /// It tries to return to an old map.
    case relocalizing = 4
  }

  /// Camera to ARKit's world (y up), metres. The camera's axes are those of the phone in landscape: x towards the lower
  /// edge, y towards the right edge, z towards the user.
  public let transform: simd_float4x4
  /// How well the pose is tracked.
  public let trackingState: TrackingState

  /// The pinhole of the image, pixels: focal lengths and principal point of the recording's camera, without its
  /// distortion; all zero where the device has no camera. The image is that of the sensor, upright in landscape.
  public let intrinsics: simd_float3x3
  /// Size of the image, pixels, landscape; zero where the device has no camera.
  public let imageResolution: CGSize
  /// Exposure time of the frame, seconds; 0 where it was not recorded.
  public let exposureDuration: TimeInterval
  /// Deviation of the exposure from what the light asks for, EV; not recorded: 0.
  public var exposureOffset: Float { 0 }

  /// Why tracking is limited; `none` where it is not.
  public var trackingStateReason: TrackingStateReason {
    guard case .limited(let reason) = trackingState else { return .none }
    switch reason {
    case .initializing: return .initializing
    case .relocalizing: return .relocalizing
    case .excessiveMotion: return .excessiveMotion
    case .insufficientFeatures: return .insufficientFeatures
    }
  }

  /// Pitch, yaw and roll of the camera in ARKit's world, radians: the rotations about x, y and z, of which roll is
  /// applied first and yaw last.
  public var eulerAngles: simd_float3 {
    let m = transform
    let pitch = asin(Swift.max(-1, Swift.min(1, -m.columns.2.y)))
    // Looking straight up or down, yaw and roll turn about the same axis: all of it is yaw.
    guard Swift.abs(m.columns.2.y) < 0.999_999 else {
      return simd_float3(pitch, atan2(-m.columns.0.z, m.columns.0.x), 0)
    }
    return simd_float3(pitch, atan2(m.columns.2.x, m.columns.2.z), atan2(m.columns.0.y, m.columns.1.y))
  }

  package init(
    transform: simd_float4x4, trackingState: TrackingState = .normal, image: ImageGeometry = ImageGeometry(),
    exposure: Double? = nil
  ) {
    self.transform = transform
    self.trackingState = trackingState
    intrinsics = image.intrinsics
    imageResolution = image.size
    exposureDuration = exposure ?? 0
  }

  /// The same camera, seen from another world.
  package func moved(to transform: simd_float4x4, _ state: TrackingState) -> ARCamera {
    ARCamera(
      transform: transform, trackingState: state,
      image: ImageGeometry(intrinsics: intrinsics, size: imageResolution), exposure: exposureDuration)
  }

  /// What a device's camera says of its images.
  package struct ImageGeometry: Sendable {
    /// Focal lengths on the diagonal, principal point in the third column, pixels.
    package var intrinsics: simd_float3x3
    /// Pixels, landscape.
    package var size: CGSize

    /// No camera: all zero.
    package init(intrinsics: simd_float3x3 = simd_float3x3(), size: CGSize = .zero) {
      (self.intrinsics, self.size) = (intrinsics, size)
    }
  }
}

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
