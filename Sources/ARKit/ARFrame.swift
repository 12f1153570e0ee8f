import Foundation

#if !ONE_MODULE || canImport(Darwin)
  @_exported import simd
#endif
#if canImport(CoreVideo)
  import CoreVideo
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
