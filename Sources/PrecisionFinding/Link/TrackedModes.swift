import Estimator
import Foundation
import Geometry
import Ranging
import SensorData

/// A peer with few modes, each a state of the filter: used once its posterior is narrow except for an ambiguity, say
/// above and below.
///
/// Each range is used once. Each mode corrects the trajectory by its weight, so that the trajectory gains the
/// information of one range in all. Where the modes agree, the correction is right whichever is true. A mode's own
/// position and radio errors are corrected as if it were true, as its weight requires. The weights follow Bayes' rule.
/// Source of the rule: the probabilistic data association filter, Bar-Shalom, Daum, Huang, IEEE Control Systems 29(6),
/// 2009, doi:10.1109/MCS.2009.934469.
package struct TrackedModes {
  /// Modes below this weight are dropped.
  private static let negligible = 1e-5

  /// The modes and their weights, which sum to 1; never empty.
  package private(set) var modes: [(peer: TrackedPeer, weight: Double)]
  /// Log predictive density of the last range, 1/m; nil where it was not processed.
  package private(set) var logDensity: Double?

  /// Augments the filter with the modes; nil where one cannot be.
  package init?(
    _ found: [PeerFilter.Mode], of posterior: PeerFilter, filter: any NavigationFilter,
    configuration: RangingConfiguration, antennas: [String]
  ) {
    let total = found.reduce(0) { $0 + $1.probability }
    modes = []
    for mode in found {
      guard
        let peer = TrackedPeer(mode, of: posterior, filter: filter, configuration: configuration, antennas: antennas)
      else {
        remove(from: filter)
        return nil
      }
      modes.append((peer, mode.probability / total))
    }
    guard !modes.isEmpty else { return nil }
  }

  /// The likeliest mode.
  package var best: TrackedPeer { modes.max { $0.weight < $1.weight }!.peer }

  /// The same modes with an increased radio noise.
  package var withLargerNoise: TrackedModes {
    var copy = self
    for i in copy.modes.indices {
      copy.modes[i].peer.noise = copy.modes[i].peer.noise.withLargerNoise ?? copy.modes[i].peer.noise
    }
    return copy
  }

  /// LOS probability.
  package var losProbability: Double { modes.reduce(0) { $0 + $1.weight * $1.peer.chain.losProbability } }

  /// Updates with a range and the AoA that came with it. `antenna` is its position in the frame that the filter
  /// navigates.
  package mutating func update(
    _ range: RangeMeasurement, _ cosines: [DirectionCosine], pose: PoseVisit = PoseVisit(),
    antenna: Vector3, filter: any NavigationFilter
  ) -> TrackedPeer.Outcome {
    for i in modes.indices { modes[i].peer.predict(range, pose: pose, antenna: antenna, filter: filter) }
    // A mode without a prediction, because the device is too near, keeps its weight.
    logDensity = updateWeights(modes.map(\.peer.logDensity))
    var outcomes: [TrackedPeer.Outcome] = []
    for i in modes.indices {
      outcomes.append(modes[i].peer.update(range, antenna: antenna, filter: filter, weight: modes[i].weight))
    }
    let best = modes.indices.max { modes[$0].weight < modes[$1].weight }!
    let outcome = outcomes[best]
    guard retain(outcomes.map { $0 != .contradicted }, filter) else { return .contradicted }
    updateByAoA(cosines, antenna: antenna, filter: filter)
    _ = retain(modes.map { $0.weight >= Self.negligible }, filter)
    return outcome == .contradicted ? .rejected : outcome
  }

  private mutating func updateByAoA(_ cosines: [DirectionCosine], antenna: Vector3, filter: any NavigationFilter) {
    guard !cosines.isEmpty else { return }
    let aoaWeights = modes.indices.map { modes[$0].peer.aoaWeight(of: cosines, antenna: antenna, filter: filter) }
    _ = updateWeights(
      zip(modes, aoaWeights).map { $0.peer.logDensity(of: cosines, aoaWeight: $1, antenna: antenna, filter: filter) })
    for (i, aoaWeight) in aoaWeights.enumerated() {
      modes[i].peer.update(
        cosines, aoaWeight: aoaWeight, antenna: antenna, filter: filter, weight: modes[i].weight)
    }
  }

  /// Bayes' rule for the weights: the log predictive density of all modes together; nil where one has none.
  private mutating func updateWeights(_ logDensities: [Double?]) -> Double? {
    let known = logDensities.compactMap(\.self)
    guard known.count == modes.count, let most = known.max() else { return nil }
    let joint = zip(modes, known).map { $0.weight * exp($1 - most) }
    let sum = joint.reduce(0, +)
    for i in modes.indices { modes[i].weight = joint[i] / sum }
    return most + log(sum)
  }

  /// Drops the modes that are not kept; false, and no change, where none would be left.
  private mutating func retain(_ isKept: [Bool], _ filter: any NavigationFilter) -> Bool {
    guard isKept.contains(true) else { return false }
    for (mode, isKept) in zip(modes, isKept) where !isKept { mode.peer.remove(from: filter) }
    modes = zip(modes, isKept).filter(\.1).map(\.0)
    let total = modes.reduce(0) { $0 + $1.weight }
    for i in modes.indices { modes[i].weight /= total }
    return true
  }

  /// Removes the peer from the filter.
  package func remove(from filter: any NavigationFilter) {
    for mode in modes { mode.peer.remove(from: filter) }
  }
}

/// The posterior of a tracked peer.
extension TrackedModes {
  /// The peer as seen from the device at `origin` (world); weights sum to 1.
  package func gaussians(filter: any NavigationFilter, origin: Vector3) -> [PositionGaussian] {
    modes.map { mode in
      var gaussian = mode.peer.gaussian(filter: filter, origin: origin)
      gaussian.weight = mode.weight
      return gaussian
    }
  }

  /// The same posterior as a Gaussian-sum filter, `last` being the newest range.
  package func posterior(last: PeerFilter.Range, filter: any NavigationFilter) -> PeerFilter {
    let best = best
    return PeerFilter(
      modes.map { $0.peer.part(weight: $0.weight, filter: filter) }, last: last, noise: best.noise,
      nlosRate: best.nlosRate, configuration: best.configuration, layout: best.layout)
  }

  /// Covariance of the peer's position in the estimate's world, m^2.
  package func worldCovariance(filter: any NavigationFilter) -> Matrix3 {
    let parts = modes.map { mode in
      let state = filter.vector(mode.peer.block)
      return (weight: mode.weight, position: Vector3(state[0], state[1], state[2]), peer: mode.peer)
    }
    let mean = parts.reduce(Vector3.zero) { $0 + $1.weight * $1.position }
    return parts.reduce(Matrix3.zero) { sum, mode in
      let offset = mode.position - mean
      return sum + mode.weight * (mode.peer.worldCovariance(filter: filter) + Matrix3(outer: offset, offset))
    }
  }
}
