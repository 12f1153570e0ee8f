import Foundation
import Geometry

/// Null model of a link: the distance is a random walk, independent of any position. Its step is the displacement of
/// the device plus possible motion of the peer.
///
/// A filter with the right position predicts ranges better than this model, one with a wrong position worse. Noise,
/// biases and NLOS follow the same model as in `PeerFilter`, so that no radio favours either.
package struct RangeOnlyModel {
  /// 1-sigma of the peer's speed, m/s: a strolling person.
  private static let peerSpeed = 0.5
  /// The model is restarted after so many outliers in a row: then its first range was one.
  private static let patience = 3

  private let configuration: RangingConfiguration
  private let layout: LinkLayout
  private let statedNoise: Double?
  private var set: GaussianSum?
  private var last: PeerFilter.Range?
  private var consecutiveOutliers = 0

  /// Parameters as those of `PeerFilter`.
  package init(configuration: RangingConfiguration, antennas: [String], statedNoise: Double?) {
    self.configuration = configuration
    layout = LinkLayout(antennas: antennas)
    self.statedNoise = statedNoise
  }

  /// Updates the model by a range.
  ///
  /// - Returns: log predictive density of the range, 1/m; nil for the first.
  package mutating func update(_ range: PeerFilter.Range) -> Double? {
    guard let last, set != nil else {
      initialize(range)
      return nil
    }
    self.last = range
    let seconds = abs(range.timestamp.seconds(since: last.timestamp))
    // Displacement of the antenna, including the device's rotation.
    let (moved, peerMoved) = (range.antenna - last.antenna, Self.peerSpeed * seconds)
    let metres = (range.device - last.device).norm
    set!.predict(
      seconds: seconds, metres: metres, pose: range.pose ?? PoseVisit(path: metres),
      antennaCorrelation: configuration.antennaCorrelation)
    set!.renew(after: range.pose?.revisits ?? 0, antennaCorrelation: configuration.antennaCorrelation)
    set!.addRangeVariance(variance: moved.squaredNorm + peerMoved * peerMoved)
    if let probability = range.reportedNLOS {
      set!.update(with: ReportedNLOS(probability: probability, seconds: seconds, rate: configuration.losTransitionRate))
    }
    let result = set!.update(
      RangeObservation(
        range: range.range, antenna: set!.anchor, columns: layout.columns(of: range.antennaID), seconds: seconds,
        extraVariance: range.extraVariance, configuration: configuration))
    prune()
    consecutiveOutliers = result.regular < 0.5 ? consecutiveOutliers + 1 : 0
    if consecutiveOutliers >= Self.patience { initialize(range) }
    return result.logDensity
  }

  private mutating func initialize(_ range: PeerFilter.Range) {
    set = GaussianSum(rangeOnly: range, configuration, layout: layout, statedNoise: statedNoise)
    last = range
    consecutiveOutliers = 0
  }

  /// Normalises the weights and drops refuted noise candidates.
  private mutating func prune() {
    set?.relateWeightsToBest()
    set?.dropPairs(below: -7)
  }
}
