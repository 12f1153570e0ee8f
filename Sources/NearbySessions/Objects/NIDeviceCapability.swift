/// Capabilities of a device, independent of one another. Names as Apple's.
public protocol NIDeviceCapability: Sendable {
  /// Distances.
  var supportsPreciseDistanceMeasurement: Bool { get }
  /// Directions from angles of arrival, without movement.
  var supportsDirectionMeasurement: Bool { get }
  /// Angles, heights and world transforms from radio, camera and motion.
  var supportsCameraAssistance: Bool { get }
  /// Extended distances, with a peer that supports them too.
  var supportsExtendedDistanceMeasurement: Bool { get }
  /// Differences of arrival times from fixed anchors.
  var supportsDLTDOAMeasurement: Bool { get }
  /// Distances by Bluetooth channel sounding.
  var supportsBluetoothChannelSounding: Bool { get }
}

/// Later capabilities have a default, so that a type written for an earlier system still conforms.
extension NIDeviceCapability {
  /// False.
  public var supportsExtendedDistanceMeasurement: Bool { false }
  /// False.
  public var supportsDLTDOAMeasurement: Bool { false }
  /// False.
  public var supportsBluetoothChannelSounding: Bool { false }
}
