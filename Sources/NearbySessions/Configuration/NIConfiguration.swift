import Foundation

/// Abstract configuration of a session: finding a device (`NINearbyPeerConfiguration`) or an accessory
/// (`NINearbyAccessoryConfiguration`), or listening to anchors (`NIDLTDOAConfiguration`). Mutable properties are
/// guarded by a mutex; a session keeps a copy.
public class NIConfiguration: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  override init() {}

  /// A copy that later changes do not reach.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public class var supportsSecureCoding: Bool { true }

  /// Nil: only subclasses can be archived.
  public required init?(coder: NSCoder) { nil }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {}
}
