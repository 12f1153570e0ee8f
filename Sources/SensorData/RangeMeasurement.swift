/// One range to one peer as reported by the radio, with its optional attributes.
public struct RangeMeasurement: Equatable, Sendable {
  /// When it was measured.
  public var timestamp: Timestamp
  /// Id of the peer.
  public var peer: String
  /// Metres from our antenna to the peer's, with the bias that the calibration does not state.
  public var range: Double
  /// Total 1-sigma stated by the radio, metres.
  public var standardDeviation: Double?
  /// Angle of arrival in device axes, `atan2(u.x, -u.z)`, radians, positive right.
  public var azimuth: Double?
  /// Angle of arrival in device axes, `asin(u.y)`, radians, positive up.
  public var elevation: Double?
  /// 1-sigma of the angles, radians.
  public var angleStandardDeviation: Double?
  /// Antenna that measured it; nil means the only one.
  public var antenna: String?
  /// Received power, dBm.
  public var rssi: Double?
  /// Power of the first path, dBm.
  public var firstPathPower: Double?
  /// Probability of NLOS reported by the radio, 0...1.
  public var nonLineOfSight: Double?
  /// Radio technology, as spelled in the recording.
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
