import Foundation
import Geometry

/// What the ranges of a link foretell by themselves, with nothing believed of where the peer is: a distance that wanders as far
/// as the device moves, and a little more, for the peer may move too.
///
/// It is the rival of every belief about the place: who knows the place foretells ranges better than this, who is wrong foretells
/// them worse. Noise, biases and blocked sights follow the same law as in `PeerFilter`, so that no radio favours
/// either.
package struct RangeOnlyModel {
  /// How fast a peer may move, 1-sigma, m/s: a person who strolls.
  private static let peerSpeed = 0.5
  /// After so many ranges in a row that are wrong altogether, the first of all was: begin anew.
  private static let patience = 3

  private let configuration: RangingConfiguration
  private let layout: LinkLayout
  private let statedNoise: Double?
  private var set: GaussianSum?
  private var last: PeerFilter.Range?
  private var strangers = 0

  /// Parameters as those of `PeerFilter`.
  package init(configuration: RangingConfiguration, antennas: [String], statedNoise: Double?) {
    self.configuration = configuration
    layout = LinkLayout(antennas: antennas)
    self.statedNoise = statedNoise
  }

  /// Takes a range in and returns the logarithm of the density, 1/m, that was logPredictiveDensity for it; nil for the first.
  package mutating func update(_ range: PeerFilter.Range) -> Double? {
    guard let last, set != nil else {
      begin(range)
      return nil
    }
    self.last = range
    let seconds = abs(range.timestamp.seconds(since: last.timestamp))
    // The antenna's way, turning of the device included.
    let (moved, walked) = (range.antenna - last.antenna, Self.peerSpeed * seconds)
    set!.predict(
      seconds: seconds, metres: (range.device - last.device).norm, antennaCorrelation: configuration.antennaCorrelation)
    set!.wander(variance: moved.squaredNorm + walked * walked)
    if let blocked = range.reportedNLOS {
      set!.weigh(ReportedNLOS(blocked: blocked, seconds: seconds, rate: configuration.losTransitionRate))
    }
    let verdict = set!.update(
      RangeEvidence(
        range: range.range, antenna: set!.anchor, columns: layout.columns(of: range.antennaID), seconds: seconds,
        extraVariance: range.extraVariance, configuration: configuration))
    prune()
    strangers = verdict.regular < 0.5 ? strangers + 1 : 0
    if strangers >= Self.patience { begin(range) }
    return verdict.logDensity
  }

  private mutating func begin(_ range: PeerFilter.Range) {
    set = GaussianSum(folded: range, configuration, layout: layout, statedNoise: statedNoise)
    last = range
    strangers = 0
  }

  /// Weights relative to the best; noises that the ranges refute are given up.
  private mutating func prune() {
    set?.relateWeightsToBest()
    set?.dropPairs(below: -7)
  }
}
