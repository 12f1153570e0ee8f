import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// A peer that is at one of few places, each a state of the filter: all that is known of it, once its posterior is narrow but
/// for, say, a mirror image above and below.
///
/// A range is used once: the trajectory is corrected at each place by as much as that place is probable, so that it gets the
/// information of one range in all, and what it gets where the places agree is right whichever of them is. The place itself and
/// its radio's errors are corrected as if it were right, because that is what its probability asks. The shares follow Bayes' rule.
/// Source of the rule: the probabilistic data association filter, Bar-Shalom, Daum, Huang, IEEE Control Systems 29(6), 2009,
/// doi:10.1109/MCS.2009.934469.
package struct TrackedModes {
  /// Places below this share are given up.
  private static let negligible = 1e-5

  /// The places and their shares, which sum to 1; never empty.
  package private(set) var modes: [(peer: TrackedPeer, share: Double)]
  /// Logarithm of the density that was logPredictiveDensity for the last range, 1/m; nil where it was not weighed.
  package private(set) var logDensity: Double?

  /// Hands places over to a filter; nil where one cannot be.
  package init?(
    _ places: [PeerFilter.Mode], of posterior: PeerFilter, filter: any NavigationFilter,
    configuration: RangingConfiguration, antennas: [String]
  ) {
    let total = places.reduce(0) { $0 + $1.share }
    modes = []
    for place in places {
      guard
        let peer = TrackedPeer(place, of: posterior, filter: filter, configuration: configuration, antennas: antennas)
      else {
        remove(from: filter)
        return nil
      }
      modes.append((peer, place.share / total))
    }
    guard !modes.isEmpty else { return nil }
  }

  /// The likeliest place.
  package var best: TrackedPeer { modes.max { $0.share < $1.share }!.peer }

  /// The same places of a radio that errs more from now on.
  package var withLargerNoise: TrackedModes {
    var copy = self
    for i in copy.modes.indices {
      copy.modes[i].peer.noise = copy.modes[i].peer.noise.withLargerNoise ?? copy.modes[i].peer.noise
    }
    return copy
  }

  /// Probability of a free sight.
  package var free: Double { modes.reduce(0) { $0 + $1.share * $1.peer.chain.free } }

  /// Takes a range in, and the angle of arrival that came with it. `antenna` is its place in the frame that the filter navigates.
  package mutating func update(
    _ range: RangeMeasurement, _ cosines: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter
  ) -> TrackedPeer.Outcome {
    for i in modes.indices { modes[i].peer.foresee(range, antenna: antenna, filter: filter) }
    // A place that logPredictiveDensity nothing, because the device stands there, is as likely as before.
    logDensity = reweigh(modes.map(\.peer.logDensity))
    var outcomes: [TrackedPeer.Outcome] = []
    for i in modes.indices {
      outcomes.append(modes[i].peer.update(range, antenna: antenna, filter: filter, share: modes[i].share))
    }
    let best = modes.indices.max { modes[$0].share < modes[$1].share }!
    let outcome = outcomes[best]
    guard keep(outcomes.map { $0 != .contradicted }, filter) else { return .contradicted }
    take(cosines, antenna: antenna, filter: filter)
    _ = keep(modes.map { $0.share >= Self.negligible }, filter)
    return outcome == .contradicted ? .rejected : outcome
  }

  private mutating func take(_ cosines: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter) {
    guard !cosines.isEmpty else { return }
    let worths = modes.indices.map { modes[$0].peer.worth(of: cosines, antenna: antenna, filter: filter) }
    _ = reweigh(
      zip(modes, worths).map { $0.peer.logDensity(of: cosines, worth: $1, antenna: antenna, filter: filter) })
    for (i, worth) in worths.enumerated() {
      modes[i].peer.update(cosines, worth: worth, antenna: antenna, filter: filter, share: modes[i].share)
    }
  }

  /// Bayes' rule for the shares: the logarithm of what all places logPredictiveDensity together; nil where one logPredictiveDensity nothing.
  private mutating func reweigh(_ logDensities: [Double?]) -> Double? {
    let told = logDensities.compactMap(\.self)
    guard told.count == modes.count, let most = told.max() else { return nil }
    let joint = zip(modes, told).map { $0.share * exp($1 - most) }
    let sum = joint.reduce(0, +)
    for i in modes.indices { modes[i].share = joint[i] / sum }
    return most + log(sum)
  }

  /// Gives up the places that are not to be kept; false, and nothing happens, where none would be left.
  private mutating func keep(_ isKept: [Bool], _ filter: any NavigationFilter) -> Bool {
    guard isKept.contains(true) else { return false }
    for (mode, isKept) in zip(modes, isKept) where !isKept { mode.peer.remove(from: filter) }
    modes = zip(modes, isKept).filter(\.1).map(\.0)
    let total = modes.reduce(0) { $0 + $1.share }
    for i in modes.indices { modes[i].share /= total }
    return true
  }

  /// Takes the peer out of the filter.
  package func remove(from filter: any NavigationFilter) {
    for mode in modes { mode.peer.remove(from: filter) }
  }
}
