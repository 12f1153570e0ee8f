// The types of an app's own module, under names that this package has, too: none of them is Apple's, so an app may have
// them. Each is what an app would mean by it.

public struct World: Equatable {
  public var rooms: [String]
  public init(rooms: [String]) { self.rooms = rooms }
}
public enum SessionState: String { case searching, near, lost }
public struct NearbyDevice: Equatable {
  public var name: String
  public var metres: Float?
  public init(name: String) { self.name = name }
}
public struct DeviceCapabilities: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let vibrates = DeviceCapabilities(rawValue: 1)
}
public struct DeviceProfile { public var owner = "me", hasCamera = true; public init() {} }
public struct SessionPolicy { public var restarts = 3; public init() {} }
public protocol SensorEventSource { mutating func next() -> String? }
public struct EventList: SensorEventSource {
  public private(set) var events: [String] = []
  public init() {}
  public mutating func add(_ event: String) { events.append(event) }
  public mutating func next() -> String? { events.isEmpty ? nil : events.removeFirst() }
}
public enum Holding { case inHand, inPocket }
public enum PlayingError: Error { case noSound }
public struct CoachingLadder { public var steps = ["look", "walk"]; public init() {} }
public struct MarkerRule { public var radius: Float = 2; public init() {} }
public struct MeasurementQualityEstimator {
  public private(set) var count = 0
  public init() {}
  public mutating func add(_ metres: Float) { count += 1 }
}
public struct PointingQuery { public var halfWidth: Float = 0.35; public init() {} }
public struct ZoneEngine {
  public let edge: Float
  public init(edge: Float) { self.edge = edge }
  public func zone(_ metres: Float) -> String { metres < edge ? "inside" : "outside" }
}
public struct DistanceSmoother {
  public private(set) var value: Float?
  public init() {}
  public mutating func add(_ metres: Float) { value = value.map { $0 + (metres - $0) / 4 } ?? metres }
}
public struct AccessoryMessage { public var text: String; public init(text: String) { self.text = text } }
public struct AccessoryConfigurationData { public var bytes = [UInt8](); public init() {} }
public struct ShareableConfigurationData { public var bytes = [UInt8](); public init() {} }
public struct UWBConfiguration { public var channel = 9; public init() {} }
public struct ProtocolVersion: Equatable { public var major = 2; public init() {} }
public enum AccessoryCodecError: Error { case short }
public protocol SubclassedSessionDelegate: AnyObject {}
public struct RecordedDevice { public var model = "phone"; public init() {} }
public struct RecordingError: Error { public init() {} }
public struct RealTimePace { public var seconds = 1.0; public init() {} }
