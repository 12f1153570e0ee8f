import Geometry
import SensorData

extension PeerFilter {
  /// One range with the position of its antenna.
  package struct Range: Sendable {
    package var timestamp: Timestamp
    /// Measured distance, metres.
    package var range: Double
    /// The antenna's position in the estimate's world, metres.
    package var antenna: Vector3
    /// The device's own position there, metres.
    package var device: Vector3
    /// Id of the antenna, one of those given to `init`; nil for the only one.
    package var antennaID: String?
    /// Probability of NLOS reported by the radio, 0...1.
    package var reportedNLOS: Double?
    /// Variance of the antenna's position along the range, m^2.
    package var extraVariance: Double
    /// Its pose among the earlier ones; nil: unknown, the path is the device's displacement.
    package var pose: PoseVisit?
    /// Whether the device's velocity was known: before that, its path does not observe the direction.
    package var isVelocityKnown = true
    /// Direction cosines that arrived with the range.
    package var cosines: [DirectionCosine] = []

    package init(
      timestamp: Timestamp, range: Double, antenna: Vector3, device: Vector3, antennaID: String? = nil,
      reportedNLOS: Double? = nil,
      extraVariance: Double = 0
    ) {
      self.timestamp = timestamp
      self.extraVariance = extraVariance
      self.range = range
      self.antenna = antenna
      self.device = device
      self.antennaID = antennaID
      self.reportedNLOS = reportedNLOS
    }
  }

  /// Result of a range update.
  package struct Outcome: Sendable {
    /// Probability that the range was LOS and no outlier.
    package var losProbability: Double
    /// Mean innovation over the posterior, metres.
    package var innovation: Double
    /// 1-sigma of that, metres.
    package var sigma: Double
    /// Log predictive density of the range, 1/m.
    package var logDensity: Double
    /// False where it says nothing on another model: noise candidates that cannot be neglected learn nothing from the range, and would explain it as well.
    package var isTelling = true
  }
}
