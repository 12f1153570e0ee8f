import Foundation
import Geometry
import SensorData

/// Gaussian-sum filter of one peer: posterior of its position given all ranges. Every direction consistent with the
/// ranges is kept, reflection images included.
///
/// The state is in anchored spherical coordinates: direction, distance, bias and noise class. Small sums (tens of
/// components) claim false convergence; a lattice of 150 directions, split where the range is curved, follows the exact
/// Bayes posterior. The noise class of the link (white and coloured) is a hidden variable: every direction is kept
/// under every candidate.
package struct PeerFilter {
  /// Until an antenna has moved this far from the first range, the direction is unobserved, metres: a hand's tremor
  /// stays within.
  static let stillRadius = 0.03
  /// Noise candidates below this posterior probability are dropped.
  static let refutedProbability = 1e-3
  /// Pairs that together have less probability than this are dropped.
  static let negligibleProbability = 1e-4
  /// Duplicate components are merged once in so many ranges.
  static let mergingPeriod = 4
  /// Least number of directions.
  static let fewestDirections = 100
  /// The same for a moving peer, whose direction is known less well.
  static let fewestDirectionsIfMoving = 60
  /// Noise candidates that learn nothing from a range bound its likelihood ratio against another model by one over their probability: 20, far below what promotes a
  /// model. Below this probability they are neglected.
  static let unlikelyUntold = 0.05
  /// Noise candidates below this probability are dropped before directions are spawned.
  static let unlikelyProbability = 5e-3

  /// Seconds without ranges after which another antenna is used.
  private static let silence = 1.0

  let configuration: RangingConfiguration
  var layout: LinkLayout
  /// Velocity models of a moving peer: one that began to move, or one under way since the first range.
  var velocities: [PeerVelocityModel.Candidate]
  let statedNoise: Double?
  /// Radio parameters from before the first range; nil for the prior.
  var knowledge: LinkKnowledge?
  var hypotheses: GaussianSum?
  var heldBack: [Range] = []
  var last: Range?
  package internal(set) var aoaErrors: AoAErrorCorrelation
  package internal(set) var aoaBias: AoABias
  package internal(set) var lastAoA: Timestamp?
  /// NLOS rate of the link.
  package var nlosRate: NLOSRateEstimator
  /// Where the device has been, by the correlation length of a noise candidate.
  var places: [Double: VisitedPlaces] = [:]
  var normalized: [Double] = []
  var rangeCount = 0
  /// Limit to the number of components, beyond which none is split.
  var limit: Int
  /// The device has not moved: no directions have been spawned.
  var isDirectionUnobserved = true
  /// Growth of the heading variance meanwhile, rad^2.
  var rangeOnlyYawVariance = 0.0

  /// A filter without data.
  ///
  /// - Parameters:
  ///   - antennas: ids of the device's antennas; several of them get a bias each.
  ///   - statedNoise: total 1-sigma given by the recording, metres.
  package init(configuration: RangingConfiguration, antennas: [String], statedNoise: Double?) {
    self.init(configuration: configuration, layout: LinkLayout(antennas: antennas), statedNoise: statedNoise)
  }

  init(configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?) {
    self.configuration = configuration
    velocities = configuration.beginningVelocities
    limit = configuration.hypothesisLimit(for: layout)
    aoaErrors = AoAErrorCorrelation(assumed: configuration.aoaCorrelationTime)
    aoaBias = AoABias(deviation: Angle.degrees(configuration.aoaBiasDegrees))
    nlosRate = NLOSRateEstimator(configuration)
    self.layout = layout
    self.statedNoise = statedNoise
  }

  /// True after initialisation.
  package var hasBegun: Bool { hypotheses != nil }
  /// Probability of LOS at the last range.
  package var losProbability: Double {
    guard hypotheses != nil else { return 1 }
    return stride(from: 0, to: normalized.count, by: 2).reduce(0) { $0 + normalized[$1] }
  }
  /// Number of components.
  package var count: Int { hypotheses?.count ?? 0 }

  /// The same filter with another limit to the number of components; nil: the configuration's for such a link.
  package func limited(to limit: Int?) -> PeerFilter {
    var copy = self
    copy.limit = limit ?? configuration.hypothesisLimit(for: layout)
    return copy
  }

  /// Updates the filter by a range. The first three are held back until their median is known: one outlier there would
  /// anchor every component at a wrong distance.
  ///
  /// Cost: O(components); most just after directions are spawned (`fuse benchmark measure` times it).
  @discardableResult
  package mutating func update(_ range: Range) -> Outcome? {
    guard isUsed(range) else { return nil }
    guard hypotheses != nil else {
      heldBack.append(range)
      guard heldBack.count == 3 else { return nil }
      let initial = heldBack
      heldBack = []
      let first = initial.sorted { $0.range < $1.range }[1]
      initialize(at: first)
      var outcome: Outcome?
      for other in initial where other.timestamp != first.timestamp { outcome = process(other) }
      return outcome
    }
    return process(range)
  }

  /// Whether a range is used.
  ///
  /// Until the velocity is known the direction is unobservable, and inter-antenna range differences cannot be separated
  /// from the antennas' biases. One antenna is used until then; another replaces it after `silence` without ranges from
  /// it.
  private func isUsed(_ range: Range) -> Bool {
    guard isDirectionUnobserved, !range.isVelocityKnown, range.cosines.isEmpty, let last,
      range.antennaID != last.antennaID
    else {
      return true
    }
    return abs(range.timestamp.seconds(since: last.timestamp)) > Self.silence
  }

  /// Adds the drift of the trajectory since the last call to the peer's relative position.
  ///
  /// - Parameters: covariance of position (world axes, m^2), variance of heading (rad^2), and the device's position.
  package mutating func drift(position: Matrix3, yawVariance: Double, device: Vector3) {
    rangeOnlyYawVariance += isDirectionUnobserved ? yawVariance : 0
    // While the direction is unobserved, the distance loses the mean over all directions.
    hypotheses?.drift(
      position: isDirectionUnobserved ? (position.trace / 3) * Matrix3.identity : position,
      yawVariance: isDirectionUnobserved ? 0 : yawVariance, device: device)
  }
}

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
