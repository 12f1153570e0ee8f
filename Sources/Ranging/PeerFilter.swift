import Foundation
import Geometry
import SensorData

/// Where one peer may be, given all its ranges: every direction the ranges allow is kept, mirror images included, until it
/// is refuted.
///
/// A Gaussian sum in anchored spherical coordinates over direction, distance, bias and noise level. Small sums (tens of
/// components) claim convergence that is false; a lattice of 150 directions that are split where the range bends follows the
/// exact Bayes posterior. The noise of
/// the link (white and coloured) is one more hidden variable: every direction is tried under every candidate.
package struct PeerFilter {
  /// Until an antenna is this far from where the first range was taken, ranges tell distance and noise but no direction, metres:
  /// a trembling hand stays within it.
  static let stillRadius = 0.03
  /// Noise candidates below this share of the posterior are dropped.
  static let refutedShare = 1e-3
  /// Pairs that together are less than this share are dropped.
  static let negligibleShare = 1e-4
  /// Hypotheses that have become the same are merged once in so many ranges.
  static let mergingPeriod = 4
  /// Never are fewer directions tried than this.
  static let fewestDirections = 100
  /// The same of a peer that isMoving, whose direction is never known as well.
  static let fewestOfWalkers = 60
  /// Those below this share are not tried in every direction.
  static let unlikelyShare = 5e-3

  /// An antenna that was not heard for so long is silent, seconds.
  private static let silence = 1.0

  let configuration: RangingConfiguration
  var layout: LinkLayout
  let statedNoise: Double?
  /// Of the radio, from before the first range; nil: nothing but what is assumed of any.
  var knowledge: LinkKnowledge?
  var hypotheses: GaussianSum?
  var waiting: [Range] = []
  var last: Range?
  package internal(set) var angles: AoAErrorCorrelation
  package internal(set) var angleOffset: AoABias
  package internal(set) var lastAngle: Timestamp?
  /// How often the sight was lost.
  package var sight: NLOSRateEstimator
  var normalized: [Double] = []
  var taken = 0
  /// No hypothesis is split beyond so many.
  var limit: Int
  /// No direction is tried yet: the device has not moved.
  var isDirectionUnobserved = true
  /// Growth of the heading's variance meanwhile, rad^2.
  var rangeOnlyYawVariance = 0.0

  /// A posterior that knows nothing yet.
  ///
  /// - Parameters:
  ///   - antennas: ids of the device's antennas; several of them get a bias each.
  ///   - statedNoise: the total 1-sigma that the recording states, metres.
  package init(configuration: RangingConfiguration, antennas: [String], statedNoise: Double?) {
    self.init(configuration: configuration, layout: LinkLayout(antennas: antennas), statedNoise: statedNoise)
  }

  init(configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?) {
    self.configuration = configuration
    limit = configuration.hypothesisLimit(for: layout)
    angles = AoAErrorCorrelation(assumed: configuration.aoaCorrelationTime)
    angleOffset = AoABias(deviation: Angle.degrees(configuration.aoaBiasDegrees))
    sight = NLOSRateEstimator(configuration)
    self.layout = layout
    self.statedNoise = statedNoise
  }

  /// True once there are hypotheses.
  package var hasBegun: Bool { hypotheses != nil }
  /// Probability that the sight is free, after the last range.
  package var free: Double {
    guard hypotheses != nil else { return 1 }
    return stride(from: 0, to: normalized.count, by: 2).reduce(0) { $0 + normalized[$1] }
  }
  /// Number of hypotheses alive.
  package var count: Int { hypotheses?.count ?? 0 }

  /// The same, with another limit to the number of hypotheses; nil: the configuration's for such a link.
  package func limited(to limit: Int?) -> PeerFilter {
    var copy = self
    copy.limit = limit ?? configuration.hypothesisLimit(for: layout)
    return copy
  }

  /// Takes a range in. The first three are held back until their median is known: one gross error there would
  /// anchor every hypothesis at a wrong distance.
  ///
  /// Cost: O(hypotheses); most right after the device has begun to move (`fuse benchmark measure` times it).
  @discardableResult
  package mutating func update(_ range: Range) -> Outcome? {
    guard isHeard(range) else { return nil }
    guard hypotheses != nil else {
      waiting.append(range)
      guard waiting.count == 3 else { return nil }
      let held = waiting
      waiting = []
      let first = held.sorted { $0.range < $1.range }[1]
      begin(at: first)
      var outcome: Outcome?
      for other in held where other.timestamp != first.timestamp { outcome = take(other) }
      return outcome
    }
    return take(range)
  }

  /// Whether a range counts. While the way is not known, where an antenna sits is not known either, seen along a direction that is open: what
  /// several antennas' ranges differ by would be learnt as their own lasting errors. So one of them is heard, until it is silent.
  private func isHeard(_ range: Range) -> Bool {
    guard isDirectionUnobserved, !range.isVelocityKnown, range.cosines.isEmpty, let last, range.antennaID != last.antennaID else {
      return true
    }
    return abs(range.timestamp.seconds(since: last.timestamp)) > Self.silence
  }

  /// Lets the peer drift relative to the device by what the trajectory lost since the last call.
  ///
  /// - Parameters: covariance of position (world axes, m^2), variance of heading (rad^2), and where the device is.
  package mutating func drift(position: Matrix3, yawVariance: Double, device: Vector3) {
    rangeOnlyYawVariance += isDirectionUnobserved ? yawVariance : 0
    // Folded, a hypothesis has a direction that means nothing: it loses the mean over all directions.
    hypotheses?.drift(
      position: isDirectionUnobserved ? (position.trace / 3) * Matrix3.identity : position,
      yawVariance: isDirectionUnobserved ? 0 : yawVariance, device: device)
  }
}
