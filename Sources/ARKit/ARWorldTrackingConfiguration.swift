import Foundation

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
