import Geometry

/// Profile of a device that sessions run on: it determines what is measured, and what is reported.
public struct DeviceProfile: Equatable, Sendable {
  /// Capabilities of the device.
  public var capabilities: DeviceCapabilities
  /// Half the opening of the cone behind the phone in which its radio measures directions, radians.
  public var directionConeHalfAngle: Double
  /// Distances beyond this are not measured, metres; with extended distance three times that.
  public var reach: Double
  /// The radio measures directions up to this distance, metres: Apple's guidance for how near the peer should be.
  public var directionReach = 9.0

  /// A profile from its parts. Apple publishes neither cone nor reach: 60 degrees are typical of comparable antennas,
  /// and developers observe 50 m in the open.
  public init(
    capabilities: DeviceCapabilities, directionConeHalfAngle: Double = Angle.degrees(60), reach: Double = 50
  ) {
    self.capabilities = capabilities
    self.directionConeHalfAngle = directionConeHalfAngle
    self.reach = reach
  }

  /// A phone whose radio measures directions.
  public static let phone = Self(capabilities: [.preciseDistance, .direction, .cameraAssistance])
  /// A phone whose radio measures distances only: angles come with camera assistance, `direction` never.
  public static let phoneWithoutDirection = Self(capabilities: [.preciseDistance, .cameraAssistance])
  /// A phone with the second radio: extended distances, no directions from the radio.
  public static let phoneWithExtendedDistance = Self(
    capabilities: [.preciseDistance, .cameraAssistance, .extendedDistance])
  /// A watch: distances only.
  public static let watch = Self(capabilities: [.preciseDistance])
  /// A watch with the second radio.
  public static let watchWithExtendedDistance = Self(capabilities: [.preciseDistance, .extendedDistance])
  /// An Android phone whose radio measures angles of arrival up to 90 degrees to either side.
  public static let androidWithAngleOfArrival = Self(
    capabilities: [.preciseDistance, .direction, .cameraAssistance], directionConeHalfAngle: Angle.degrees(90))
  /// A phone with the second radio that also listens to fixed anchors.
  public static let phoneWithAnchors = Self(
    capabilities: [.preciseDistance, .cameraAssistance, .extendedDistance, .dlTDOA])
  /// A phone that ranges by Bluetooth channel sounding.
  public static let channelSounding = Self(capabilities: [.preciseDistance, .cameraAssistance, .channelSounding])
  /// A device without a radio: every `run` ends with `unsupportedPlatform`.
  public static let unsupported = Self(capabilities: [])
}
