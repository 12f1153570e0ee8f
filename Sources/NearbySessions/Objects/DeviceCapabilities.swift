/// A set of capabilities; discovery tokens carry it as one byte.
public struct DeviceCapabilities: OptionSet, Hashable, Sendable, NIDeviceCapability {
  /// The raw value.
  public let rawValue: UInt8
  /// From a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Distances.
  public static let preciseDistance = Self(rawValue: 1 << 0)
  /// Directions from angles of arrival.
  public static let direction = Self(rawValue: 1 << 1)
  /// Angles, heights and world transforms from radio, camera and motion.
  public static let cameraAssistance = Self(rawValue: 1 << 2)
  /// Extended distances.
  public static let extendedDistance = Self(rawValue: 1 << 3)
  /// Differences of arrival times from fixed anchors.
  public static let dlTDOA = Self(rawValue: 1 << 4)
  /// Bluetooth channel sounding.
  public static let channelSounding = Self(rawValue: 1 << 5)

  /// Distances.
  public var supportsPreciseDistanceMeasurement: Bool { contains(.preciseDistance) }
  /// Directions from angles of arrival, without movement.
  public var supportsDirectionMeasurement: Bool { contains(.direction) }
  /// Angles, heights and world transforms.
  public var supportsCameraAssistance: Bool { contains(.cameraAssistance) }
  /// Extended distances.
  public var supportsExtendedDistanceMeasurement: Bool { contains(.extendedDistance) }
  /// Differences of arrival times from fixed anchors.
  public var supportsDLTDOAMeasurement: Bool { contains(.dlTDOA) }
  /// Bluetooth channel sounding.
  public var supportsBluetoothChannelSounding: Bool { contains(.channelSounding) }
}
