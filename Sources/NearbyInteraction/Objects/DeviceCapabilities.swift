/// A set of capabilities; its byte travels in discovery tokens.
public struct DeviceCapabilities: OptionSet, Hashable, Sendable, NIDeviceCapability {
  /// The raw value.
  public let rawValue: UInt8
  /// From a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Distances.
  public static let preciseDistance = Self(rawValue: 1 << 0)
  /// Directions from the radio itself.
  public static let direction = Self(rawValue: 1 << 1)
  /// A camera that helps.
  public static let cameraAssistance = Self(rawValue: 1 << 2)
  /// Long distances.
  public static let extendedDistance = Self(rawValue: 1 << 3)
  /// Anchors' time differences.
  public static let dlTDOA = Self(rawValue: 1 << 4)
  /// Bluetooth channel sounding.
  public static let channelSounding = Self(rawValue: 1 << 5)

  /// Distances.
  public var supportsPreciseDistanceMeasurement: Bool { contains(.preciseDistance) }
  /// Directions from the radio itself, at once.
  public var supportsDirectionMeasurement: Bool { contains(.direction) }
  /// Angles, heights and world transforms.
  public var supportsCameraAssistance: Bool { contains(.cameraAssistance) }
  /// Long distances.
  public var supportsExtendedDistanceMeasurement: Bool { contains(.extendedDistance) }
  /// Anchors' time differences.
  public var supportsDLTDOAMeasurement: Bool { contains(.dlTDOA) }
  /// Bluetooth channel sounding.
  public var supportsBluetoothChannelSounding: Bool { contains(.channelSounding) }
}
