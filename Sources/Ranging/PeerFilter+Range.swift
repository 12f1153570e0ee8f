import Geometry
import SensorData

extension PeerFilter {
  /// One range with the place where it was taken.
  package struct Range: Sendable {
    /// When.
    package var timestamp: Timestamp
    /// Metres.
    package var range: Double
    /// The antenna's position in the estimate's world, metres.
    package var antenna: Vector3
    /// The device's own position there, metres.
    package var device: Vector3
    /// Which antenna, an id of those given at the start; nil for the only one.
    package var antennaID: String?
    /// The radio's own guess that the sight is blocked, 0...1.
    package var reportedNLOS: Double?
    /// What is not known of the place where it was taken, m^2 along the range.
    package var extraVariance: Double
    /// Whether the device knew how fast it moved: before that, its way tells no direction.
    package var isVelocityKnown = true
    /// Angles of arrival that came with it.
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

  /// What became of a range.
  package struct Outcome: Sendable {
    /// Probability that the sight was free when it was taken.
    package var free: Double
    /// Mean innovation over the posterior, metres.
    package var innovation: Double
    /// 1-sigma of that, metres.
    package var sigma: Double
    /// Logarithm of the density that was logPredictiveDensity for the range, 1/m.
    package var logDensity: Double
  }
}
