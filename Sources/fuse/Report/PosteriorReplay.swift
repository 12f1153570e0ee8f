import Datasets
import PrecisionFinding
import Report
import SensorData

/// Observes the posterior of every peer while a recording is replayed: what a report draws from the first range on.
final class PosteriorReplay: ExplanationObserver {
  /// Shortest time between two moments of a peer, seconds.
  static let spacing = 0.5

  /// Most moments of a peer: seven times what a page draws.
  private static let most = 2000

  /// Moments by peer, in time order.
  var moments: [String: [PosteriorMoment]] { kept.mapValues(\.elements) }
  private var kept: [String: Thinning<Bool, PosteriorMoment>] = [:]
  private var next: [String: Timestamp] = [:]

  func wants(_ peer: String, at time: Timestamp) -> Bool { next[peer].map { time >= $0 } ?? true }

  func observe(_ explanation: Explanation) {
    let (peer, time) = (explanation.update.object.peer, explanation.update.timestamp)
    next[peer] = time.advanced(bySeconds: Self.spacing)
    let places = explanation.modes.map {
      PosteriorMoment.Place(
        share: $0.probability, direction: $0.direction, distance: $0.distance, sideways: $0.sideways,
        upwards: $0.upwards)
    }
    kept[peer, default: Thinning(most: Self.most)].append(PosteriorMoment(timestamp: time, places: places), of: true)
  }
}
