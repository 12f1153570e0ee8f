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
