import Foundation

#if !ONE_MODULE || canImport(Darwin)
  @_exported import simd
#endif

#if canImport(CoreVideo)
  import CoreVideo
#endif

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// A frame of an `ARSession`.
public final class ARFrame: NSObject, Sendable {
  /// Whether the map of the surroundings suffices to return to it.
  public enum WorldMappingStatus: Int, Sendable {
    /// There is no map.
    case notAvailable = 0
    /// There is not enough of it.
    case limited = 1
    /// It grows.
    case extending = 2
    /// The surroundings are mapped.
    case mapped = 3
  }

  /// Seconds on the device's clock.
  public let timestamp: TimeInterval
  /// The camera and its pose.
  public let camera: ARCamera
  /// The session's anchors.
  public let anchors: [ARAnchor]
  /// The light; nil where the recording has no brightness, or the configuration does not ask for it.
  public let lightEstimate: ARLightEstimate?
  /// Always nil: the estimator keeps no map that outlives a track.
  public var rawFeaturePoints: ARPointCloud? { nil }
  /// The image: its size only, see `CVBuffer`.
  public var capturedImage: CVPixelBuffer {
    #if canImport(CoreVideo)
      var buffer: CVPixelBuffer?
      let (width, height) = (max(Int(camera.imageResolution.width), 1), max(Int(camera.imageResolution.height), 1))
      CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange, nil, &buffer)
      return buffer!
    #else
      return CVPixelBuffer(width: Int(camera.imageResolution.width), height: Int(camera.imageResolution.height))
    #endif
  }
  /// Mapped while tracking is normal.
  public var worldMappingStatus: WorldMappingStatus {
    switch camera.trackingState {
    case .notAvailable: .notAvailable
    case .limited: .limited
    case .normal: .mapped
    }
  }

  package init(
    timestamp: TimeInterval, camera: ARCamera, anchors: [ARAnchor] = [], lightEstimate: ARLightEstimate? = nil
  ) {
    self.timestamp = timestamp
    self.camera = camera
    self.anchors = anchors
    self.lightEstimate = lightEstimate
  }
}

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

/// What gives sessions their poses: a device that plays. Sessions find it where they are made or run.
package protocol FrameSource: AnyObject, Sendable {
  /// Adds a session to those that receive this source's poses.
  func attach(_ session: ARSession)
  /// How its camera takes images; nil without a camera.
  var videoFormat: ARConfiguration.VideoFormat? { get }
}

/// The source for new sessions.
package enum CurrentFrameSource {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var find: @Sendable () -> (any FrameSource)? = { nil }

  /// Says how the source is found.
  package static func set(_ find: @escaping @Sendable () -> (any FrameSource)?) { lock.withLock { Self.find = find } }

  static var current: (any FrameSource)? { lock.withLock { find }() }
}
