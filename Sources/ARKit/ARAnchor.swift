import Foundation

#if !ONE_MODULE || canImport(Darwin)
  import simd
#endif

/// A place in the world that the app has marked; it stays where it was put.
open class ARAnchor: NSObject, NSCopying, @unchecked Sendable {
  /// Unique.
  public let identifier: UUID
  /// The app's name for it.
  public let name: String?
  /// Its pose in ARKit's world, metres.
  public let transform: simd_float4x4

  /// An anchor at a pose.
  public init(transform: simd_float4x4) {
    (identifier, name, self.transform) = (UUID(), nil, transform)
    super.init()
  }

  /// An anchor with a name.
  public init(name: String, transform: simd_float4x4) {
    (identifier, self.name, self.transform) = (UUID(), name, transform)
    super.init()
  }

  /// A copy of an anchor; the same identifier.
  public required init(anchor: ARAnchor) {
    (identifier, name, transform) = (anchor.identifier, anchor.name, anchor.transform)
    super.init()
  }

  /// A copy.
  open func copy(with zone: NSZone? = nil) -> Any { type(of: self).init(anchor: self) }

  public override func isEqual(_ object: Any?) -> Bool { (object as? ARAnchor)?.identifier == identifier }
  public override var hash: Int { identifier.hashValue }
}

/// An image to look for. It cannot be made here, where there are no pixels to find it in: a group of an app's resources
/// is nil.
public class ARReferenceImage: NSObject, @unchecked Sendable {
  /// The app's name for it.
  public var name: String?
  /// Its size, metres.
  public let physicalSize: CGSize

  package init(name: String?, physicalSize: CGSize) { (self.name, self.physicalSize) = (name, physicalSize) }

  /// The images of a group of resources; nil: there are none here.
  public class func referenceImages(inGroupNamed name: String, bundle: Bundle?) -> Set<ARReferenceImage>? { nil }
}

/// A thing to look for. Like `ARReferenceImage` it cannot be made here.
public class ARReferenceObject: NSObject, @unchecked Sendable {
  /// The app's name for it.
  public var name: String?
  /// Its middle in its own axes, metres.
  public let center: simd_float3
  /// Its size, metres.
  public let extent: simd_float3

  package init(name: String?, center: simd_float3, extent: simd_float3) {
    (self.name, self.center, self.extent) = (name, center, extent)
  }

  /// The objects of a group of resources; nil: there are none here.
  public class func referenceObjects(inGroupNamed name: String, bundle: Bundle?) -> Set<ARReferenceObject>? { nil }
}
