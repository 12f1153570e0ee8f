/// What a device can do: independent answers. Names as Apple's.
public protocol NIDeviceCapability: Sendable {
  /// Distances.
  var supportsPreciseDistanceMeasurement: Bool { get }
  /// Directions from the radio itself, at once.
  var supportsDirectionMeasurement: Bool { get }
  /// Angles, heights and world transforms from radio, camera and motion.
  var supportsCameraAssistance: Bool { get }
  /// Distances beyond the usual, with a peer that can do the same.
  var supportsExtendedDistanceMeasurement: Bool { get }
  /// Differences of arrival times from fixed anchors.
  var supportsDLTDOAMeasurement: Bool { get }
  /// Distances by Bluetooth channel sounding.
  var supportsBluetoothChannelSounding: Bool { get }
}
