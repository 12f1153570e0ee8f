import Foundation

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// The light of a frame.
public class ARLightEstimate: NSObject, @unchecked Sendable {
  /// Brightness in ARKit's unit, in which 1000 is a well lit room. Here 2000 times the mean brightness of the image: an
  /// exposure in the middle of its scale is 1000.
  public let ambientIntensity: CGFloat
  /// Colour of the light, kelvin; grey images say nothing of it: 6500, ARKit's neutral value.
  public let ambientColorTemperature: CGFloat = 6500

  package init(meanLuma: Double) { ambientIntensity = CGFloat(2000 * meanLuma) }
}

/// Points that the camera has found in the world.
public class ARPointCloud: NSObject, @unchecked Sendable {
  /// Their positions in ARKit's world, metres.
  public let points: [simd_float3]
  /// An identifier for every point.
  public let identifiers: [UInt64]
  /// How many there are.
  public var count: Int { points.count }

  package init(points: [simd_float3] = [], identifiers: [UInt64] = []) {
    (self.points, self.identifiers) = (points, identifiers)
  }
}

#if canImport(CoreVideo)
  import CoreVideo
#else
  /// An image's memory. A recording's frames hold tracked features and no pixels: a buffer here has the image's size and
  /// no memory, and its functions say so.
  public final class CVBuffer: Sendable {
    fileprivate let width, height: Int

    package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
  }
  /// An image's memory, see `CVBuffer`.
  public typealias CVPixelBuffer = CVBuffer

  /// Columns.
  public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }
  /// Rows.
  public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }
  /// Planes with memory: none.
  public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int { 0 }
  /// Bytes of a row: none.
  public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int { 0 }
  /// The memory: nil.
  public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? { nil }
  /// The memory of a plane: nil.
  public func CVPixelBufferGetBaseAddressOfPlane(
    _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
  ) -> UnsafeMutableRawPointer? { nil }
#endif
