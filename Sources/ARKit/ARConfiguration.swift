import Foundation

/// Configuration of an `ARSession`. A session keeps a copy: later changes take effect at its next `run`.
open class ARConfiguration: NSObject, NSCopying {
  /// Alignment of the world's axes.
  public enum WorldAlignment: Int, Sendable {
    /// y up; origin and yaw from the first pose.
    case gravity = 0
    /// y up, -z north.
    case gravityAndHeading = 1
    /// The camera's axes at the start.
    case camera = 2
  }

  /// What frames may hold beside the image. Accepted without effect: frames here hold poses.
  public struct FrameSemantics: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// From a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Which pixels show people.
    public static let personSegmentation = FrameSemantics(rawValue: 1 << 0)
    /// The same, with depth.
    public static let personSegmentationWithDepth = FrameSemantics(rawValue: (1 << 1) | (1 << 0))
    /// Bodies in the image.
    public static let bodyDetection = FrameSemantics(rawValue: 1 << 2)
    /// Depth of the scene.
    public static let sceneDepth = FrameSemantics(rawValue: 1 << 3)
    /// The same, averaged over frames.
    public static let smoothedSceneDepth = FrameSemantics(rawValue: 1 << 4)
  }

  /// Alignment of the world's axes.
  public var worldAlignment = WorldAlignment.gravity
  /// How the camera takes its images. Chosen without effect: a recording's camera is what it is.
  public var videoFormat: VideoFormat
  /// What frames may hold beside the image; without effect.
  public var frameSemantics: FrameSemantics = []
  /// Whether frames have a `lightEstimate`.
  public var isLightEstimationEnabled = true
  /// Whether sound is recorded; without effect.
  public var providesAudioData = false

  override init() { videoFormat = Self.supportedVideoFormats.first ?? VideoFormat() }

  /// How a camera takes its images.
  public class VideoFormat: NSObject, NSCopying, @unchecked Sendable {
    /// Size of an image, pixels, landscape; zero where no device with a camera is installed.
    public let imageResolution: CGSize
    /// Images a second; 0 where the recording does not state it.
    public let framesPerSecond: Int
    /// Whether it suits images of high resolution; never here.
    public var isRecommendedForHighResolutionFrameCapturing: Bool { false }
    /// Whether it is of high dynamic range; never here.
    public var isVideoHDRSupported: Bool { false }

    package init(imageResolution: CGSize = .zero, framesPerSecond: Int = 0) {
      (self.imageResolution, self.framesPerSecond) = (imageResolution, framesPerSecond)
    }

    /// Itself: a format never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    public override func isEqual(_ object: Any?) -> Bool {
      (object as? VideoFormat).map { ($0.imageResolution, $0.framesPerSecond) == (imageResolution, framesPerSecond) }
        ?? false
    }
    public override var hash: Int { framesPerSecond.hashValue }
  }

  /// The formats of the current device: the one of its recording's camera; empty without a camera.
  public class var supportedVideoFormats: [VideoFormat] { CurrentFrameSource.current?.videoFormat.map { [$0] } ?? [] }
  /// A format of 4K; never here.
  public class var recommendedVideoFormatFor4KResolution: VideoFormat? { nil }
  /// A format for images of high resolution; never here.
  public class var recommendedVideoFormatForHighResolutionFrameCapturing: VideoFormat? { nil }

  /// Whether the device supports this configuration; always true here.
  open class var isSupported: Bool { true }

  /// Whether frames can hold this; never here.
  open class func supportsFrameSemantics(_ frameSemantics: FrameSemantics) -> Bool { frameSemantics.isEmpty }

  /// A copy that later changes do not reach.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Copies the properties that all configurations have.
  func copyCommon(to copy: ARConfiguration) {
    copy.worldAlignment = worldAlignment
    copy.videoFormat = videoFormat
    copy.frameSemantics = frameSemantics
    copy.isLightEstimationEnabled = isLightEstimationEnabled
    copy.providesAudioData = providesAudioData
  }
}

/// Tracking of the orientation alone: no configuration for camera assistance.
public final class AROrientationTrackingConfiguration: ARConfiguration {
  /// Whether the camera focuses by itself; without effect.
  public var isAutoFocusEnabled = true

  /// The defaults.
  public override init() { super.init() }

  public override func copy(with zone: NSZone? = nil) -> Any {
    let copy = AROrientationTrackingConfiguration()
    copyCommon(to: copy)
    copy.isAutoFocusEnabled = isAutoFocusEnabled
    return copy
  }
}

/// Tracking in six degrees of freedom. What concerns the scene (planes, textures, meshes) is accepted without effect:
/// sessions here have poses only.
public final class ARWorldTrackingConfiguration: ARConfiguration {
  /// Planes to look for.
  public struct PlaneDetection: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// From a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Floors and tables.
    public static let horizontal = PlaneDetection(rawValue: 1 << 0)
    /// Walls.
    public static let vertical = PlaneDetection(rawValue: 1 << 1)
  }

  /// How the surroundings are made into textures.
  public enum EnvironmentTexturing: Int, Sendable {
    /// Not at all.
    case none = 0
    /// Where the app asks for it.
    case manual = 1
    /// Everywhere.
    case automatic = 2
  }

  /// Whether maps are shared with other devices; camera assistance needs false.
  public var isCollaborationEnabled = false
  /// Whether the front camera tracks the user's face; camera assistance needs false.
  public var userFaceTrackingEnabled = false
  /// Initial map; camera assistance needs nil.
  public var initialWorldMap: ARWorldMap?
  /// Planes to look for; without effect.
  public var planeDetection: PlaneDetection = []
  /// Images to look for; without effect. Nil is taken as none.
  public var detectionImages: Set<ARReferenceImage>! = [] {
    didSet { if detectionImages == nil { detectionImages = [] } }
  }
  /// Images to follow at once at most; without effect.
  public var maximumNumberOfTrackedImages = 0
  /// Objects to look for; without effect.
  public var detectionObjects: Set<ARReferenceObject> = []
  /// How the surroundings are made into textures; without effect.
  public var environmentTexturing = EnvironmentTexturing.none
  /// Whether the camera focuses by itself; without effect.
  public var isAutoFocusEnabled = true
  /// Meshes of the scene; without effect.
  public var sceneReconstruction: ARConfiguration.SceneReconstruction = []

  /// The defaults: what camera assistance needs.
  public override init() { super.init() }

  /// Whether the front camera can track the user's face; never here.
  public class var supportsUserFaceTracking: Bool { false }

  /// Whether the scene can be made into a mesh; never here.
  public class func supportsSceneReconstruction(_ sceneReconstruction: ARConfiguration.SceneReconstruction) -> Bool {
    sceneReconstruction.isEmpty
  }

  public override func copy(with zone: NSZone? = nil) -> Any {
    let copy = ARWorldTrackingConfiguration()
    copyCommon(to: copy)
    copy.isCollaborationEnabled = isCollaborationEnabled
    copy.userFaceTrackingEnabled = userFaceTrackingEnabled
    copy.initialWorldMap = initialWorldMap
    copy.planeDetection = planeDetection
    copy.detectionImages = detectionImages
    copy.maximumNumberOfTrackedImages = maximumNumberOfTrackedImages
    copy.detectionObjects = detectionObjects
    copy.environmentTexturing = environmentTexturing
    copy.isAutoFocusEnabled = isAutoFocusEnabled
    copy.sceneReconstruction = sceneReconstruction
    return copy
  }
}

extension ARConfiguration {
  /// Meshes of the scene.
  public struct SceneReconstruction: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: UInt
    /// From a raw value.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A mesh.
    public static let mesh = SceneReconstruction(rawValue: 1 << 0)
    /// A mesh whose faces are classified.
    public static let meshWithClassification = SceneReconstruction(rawValue: (1 << 1) | (1 << 0))
  }
}

/// A map from an earlier session: the app's anchors.
public final class ARWorldMap: NSObject, @unchecked Sendable {
  private let lock = NSLock()
  private var list: [ARAnchor]

  /// The anchors.
  public var anchors: [ARAnchor] {
    get { lock.withLock { list } }
    set { lock.withLock { list = newValue } }
  }

  /// An empty map.
  public override init() { list = [] }
}
