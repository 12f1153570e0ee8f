import Geometry

/// What kind of device sessions run on: what it can do decides what is measured, and what is told.
public struct DeviceProfile: Equatable, Sendable {
  /// What it can do.
  public var capabilities: DeviceCapabilities
  /// Half the opening of the cone behind the phone in which its radio tells directions, radians.
  public var directionConeHalfAngle: Double
  /// Distances beyond this are not measured, metres; with extended distance three times that.
  public var reach: Double
  /// The radio tells directions up to here, metres: Apple's guidance for how near the peer should be.
  public var directionReach = 9.0

  /// A profile from its parts. Apple publishes neither cone nor reach: 60 degrees is what comparable antennas have, and 50 m
  /// what developers observe in the open.
  public init(
    capabilities: DeviceCapabilities, directionConeHalfAngle: Double = Angle.degrees(60), reach: Double = 50
  ) {
    self.capabilities = capabilities
    self.directionConeHalfAngle = directionConeHalfAngle
    self.reach = reach
  }

  /// A phone whose radio tells directions.
  public static let phone = Self(capabilities: [.preciseDistance, .direction, .cameraAssistance])
  /// A phone whose radio tells distances only: angles come with camera assistance, `direction` never.
  public static let phoneWithoutDirection = Self(capabilities: [.preciseDistance, .cameraAssistance])
  /// A phone with the second radio: extended distances, no directions from the radio.
  public static let phoneWithExtendedDistance = Self(
    capabilities: [.preciseDistance, .cameraAssistance, .extendedDistance])
  /// A watch: distances only.
  public static let watch = Self(capabilities: [.preciseDistance])
  /// A watch with the second radio.
  public static let watchWithExtendedDistance = Self(capabilities: [.preciseDistance, .extendedDistance])
  /// An Android phone whose radio tells angles of arrival in 90 degrees to either side.
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
