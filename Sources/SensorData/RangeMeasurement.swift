/// One distance to one peer, as the radio reported it, with whatever else came with it.
public struct RangeMeasurement: Equatable, Sendable {
  /// When it was measured.
  public var timestamp: Timestamp
  /// Whose distance it is.
  public var peer: String
  /// Metres from our antenna to the peer's, bias included.
  public var range: Double
  /// The total 1-sigma that the radio claims, metres.
  public var standardDeviation: Double?
  /// Angle of arrival in device axes, `atan2(u.x, -u.z)`, radians, positive right.
  public var azimuth: Double?
  /// Angle of arrival in device axes, `asin(u.y)`, radians, positive up.
  public var elevation: Double?
  /// 1-sigma of the angles, radians.
  public var angleStandardDeviation: Double?
  /// Which of our antennas measured it; nil means the only one.
  public var antenna: String?
  /// Received power, dBm.
  public var rssi: Double?
  /// Power of the first path, dBm.
  public var firstPathPower: Double?
  /// The radio's own guess that there is no line of sight, 0...1.
  public var nonLineOfSight: Double?
  /// Which radio technology, as the recording spells it.
  public var technology: String?

  /// A measurement from its parts.
  public init(
    timestamp: Timestamp, peer: String, range: Double, standardDeviation: Double? = nil, azimuth: Double? = nil,
    elevation: Double? = nil, angleStandardDeviation: Double? = nil, antenna: String? = nil, rssi: Double? = nil,
    firstPathPower: Double? = nil, nonLineOfSight: Double? = nil, technology: String? = nil
  ) {
    self.timestamp = timestamp
    self.peer = peer
    self.range = range
    self.standardDeviation = standardDeviation
    self.azimuth = azimuth
    self.elevation = elevation
    self.angleStandardDeviation = angleStandardDeviation
    self.antenna = antenna
    self.rssi = rssi
    self.firstPathPower = firstPathPower
    self.nonLineOfSight = nonLineOfSight
    self.technology = technology
  }
}
