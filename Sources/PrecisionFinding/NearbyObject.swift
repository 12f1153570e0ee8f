import Geometry

/// Where one peer is, seen from the device, at one moment. Every value that is not known is nil.
public struct NearbyObject: Equatable, Sendable {
  /// An angle with the 90 % credible interval around it, radians; `low <= high`, and `high` may pass pi.
  public struct AngleEstimate: Equatable, Sendable {
    /// The estimate: 0 straight ahead, positive right, (-pi, pi].
    public var value: Double
    /// 1-sigma.
    public var standardDeviation: Double
    /// Lower end of the 90 % interval.
    public var low: Double
    /// Upper end of the 90 % interval.
    public var high: Double

    /// An angle from its parts.
    public init(value: Double, standardDeviation: Double, low: Double, high: Double) {
      self.value = value
      self.standardDeviation = standardDeviation
      self.low = low
      self.high = high
    }
  }

  /// A peer's position in the estimate's world (z up), metres, and its covariance, m^2.
  public struct WorldPosition: Equatable, Sendable {
    /// Its position.
    public var position: Vector3
    /// The covariance.
    public var covariance: Matrix3

    /// A position from its parts.
    public init(position: Vector3, covariance: Matrix3) {
      self.position = position
      self.covariance = covariance
    }
  }

  /// Which peer.
  public var peer: String
  /// Metres from the device's origin, estimated bias removed.
  public var distance: Double?
  /// 1-sigma of the distance, metres.
  public var distanceStandardDeviation: Double?
  /// Unit vector in device axes: x right, y up, -z out of the back camera.
  public var direction: Vector3?
  /// Azimuth in the horizontal plane, from straight ahead.
  public var horizontalAngle: AngleEstimate?
  /// Whether the peer is on our level.
  public var verticalDirectionEstimate: VerticalDirectionEstimate
  /// The position in the estimate's world; nil until it is known well enough.
  public var worldPosition: WorldPosition?
  /// Which data the estimate rests on.
  public var quality: TrackingQuality

  /// An object without an estimate yet.
  public init(peer: String, quality: TrackingQuality = .imprecise) {
    self.peer = peer
    self.verticalDirectionEstimate = .unknown
    self.quality = quality
  }
}
