import Foundation
import Geometry
import SensorData

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

  /// A range as this device's radio measures it: always the distance, the angles of arrival only within Apple's
  /// guidance.
  ///
  /// Angles are removed on a device that has none, outside its cone, beyond `directionReach`, at a reported NLOS
  /// probability above 0.5, and while either phone is held in landscape. The finder, too, processes the result.
  ///
  /// - Parameters:
  ///   - own: how this device is held; nil for not known, which removes nothing.
  ///   - other: how the peer is held.
  package func measured(_ range: RangeMeasurement, own: Holding?, other: Holding?) -> RangeMeasurement {
    guard !measuresDirection(of: range, own: own, other: other) else { return range }
    var range = range
    (range.azimuth, range.elevation, range.angleStandardDeviation) = (nil, nil, nil)
    return range
  }

  private func measuresDirection(of range: RangeMeasurement, own: Holding?, other: Holding?) -> Bool {
    guard capabilities.contains(.direction), range.range <= directionReach, range.nonLineOfSight ?? 0 <= 0.5,
      own != .landscape, other != .landscape, let azimuth = range.azimuth
    else { return false }
    return cos(azimuth) * cos(range.elevation ?? 0) >= cos(directionConeHalfAngle)
  }
}

/// Refused `run`s in a row. An app that runs a session whenever one is invalidated would otherwise do so for ever.
struct Refusals {
  /// Refusals farther apart than this are not in a row, seconds.
  private static let gap = 10.0
  /// How many there were.
  private(set) var count = 0
  private var last: Timestamp?
  /// The code of the first.
  private(set) var first: NIError.Code?
  /// Whether there were too many; until the world has thrown it.
  private(set) var isEndless = false

  /// Counts a refusal.
  mutating func add(_ code: NIError.Code, at time: Timestamp?, limit: Int) -> Int {
    if let last, let time, time.seconds(since: last) > Self.gap { count = 0 }
    if count == 0 { first = code }
    last = time
    count += 1
    if count >= limit { isEndless = true }
    return count
  }

  /// A session started.
  mutating func clear() { count = 0 }
}

/// Limits and time-outs of sessions. Apple publishes none of these figures; the defaults are this project's.
public struct SessionPolicy: Equatable, Sendable {
  /// Largest number of active sessions (running or suspended) on one device.
  public var activeSessions = 2
  /// Largest number of them with extended distance.
  public var extendedDistanceSessions = 1
  /// A peer without ranges for longer than this is removed, seconds.
  public var peerTimeout = 10.0
  /// An accessory that is not started this long after its configuration was generated is removed, seconds.
  public var accessoryTimeout = 5.0
  /// Delay until a peer is notified that the session ended, seconds.
  public var peerEndedDelay = 0.5
  /// Longest time of running, seconds; nil for no limit.
  public var activeTime: Double?
  /// Longest time of suspension, seconds; then the session fails.
  public var suspendedTime = 300.0
  /// Whether the user allows access to nearby devices.
  public var isAllowedByUser = true

  /// The defaults.
  public init() {}
}
