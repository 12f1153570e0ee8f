import Foundation

extension NIDLTDOAMeasurement {
  /// Floor of an anchor. The class has its Objective-C name, because Foundation on Linux archives no nested classes.
  public typealias FloorElevation = NIDLTDOAMeasurementFloorElevation
}

/// Floor of a building on which an anchor is, and its height above that floor.
public final class NIDLTDOAMeasurementFloorElevation: NSObject, NSCopying, NSSecureCoding, Sendable {
  /// Floor number, negative below the ground.
  public let floorNumber: Int
  /// Metres above the floor.
  public let height: Double

  /// Not Apple's: an elevation from its parts.
  public init(floorNumber: Int, height: Double) {
    self.floorNumber = floorNumber
    self.height = height
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NIDLTDOAMeasurementFloorElevation else { return false }
    return floorNumber == other.floorNumber && height == other.height
  }
  public override var hash: Int { floorNumber.hashValue }
  /// Itself: it never changes.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: - Archives

  /// True: archives hold plain values only.
  public static var supportsSecureCoding: Bool { true }

  /// Writes an archive that `init(coder:)` reads.
  public func encode(with coder: NSCoder) {
    coder.encode(floorNumber, forKey: "floorNumber")
    coder.encode(height, forKey: "height")
  }

  /// Nil for an archive that holds no elevation.
  public required convenience init?(coder: NSCoder) {
    guard coder.containsValue(forKey: "floorNumber"), coder.containsValue(forKey: "height") else { return nil }
    self.init(floorNumber: coder.decodeInteger(forKey: "floorNumber"), height: coder.decodeDouble(forKey: "height"))
  }
}
