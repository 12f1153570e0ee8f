import Datasets
import SensorData

/// The moments of a run at which the page shows the camera.
package enum CameraMoments {
  /// Most moments of a page with one run; several runs share them, with at least two each.
  static let most = 8
  /// Most bytes of all pictures of a page, as text: base64 takes four bytes for three.
  package static let pictureBudget = 400_000
  /// A picture below this size shows nothing: with so many runs there are tracks only.
  static let leastPicture = 6_000

  /// How many moments a run has on a page of `runs` runs.
  package static func count(runs: Int) -> Int { max(2, most / max(1, runs)) }

  /// Most bytes of one picture's file on such a page; nil: none has a picture.
  package static func pictureLimit(runs: Int) -> Int? {
    let share = 3 * pictureBudget / (4 * max(1, runs) * count(runs: runs))
    return share < leastPicture ? nil : share
  }

  /// At most `count` times, ascending: the first angle and the first convergence of every peer, the end and the beginning,
  /// then the middle of the longest gap, again and again.
  package static func chosen(_ run: RunFolder, count: Int) -> [Timestamp] {
    let updates = run.updates.filter { $0.peer != nil }
    let stamps = updates.map(\.timestamp) + [run.poses.first?.timestamp, run.poses.last?.timestamp].compactMap { $0 }
    guard let first = stamps.min(), let last = stamps.max() else { return [] }
    let peers = Set(updates.compactMap(\.peer)).sorted()
    func starts(_ isSo: (UpdateRecord) -> Bool) -> [Timestamp] {
      peers.compactMap { peer in updates.first { $0.peer == peer && isSo($0) }?.timestamp }
    }
    var chosen: [Timestamp] = []
    for time in starts({ $0.horizontalAngle != nil }) + starts({ $0.status == "converged" }) + [last, first]
    where chosen.count < count && !chosen.contains(time) { chosen.append(time) }
    while chosen.count < count {
      let sorted = chosen.sorted()
      let gaps = zip(sorted, sorted.dropFirst()).map { ($0, $1.seconds(since: $0)) }
      // Half a second apart they look the same.
      guard let widest = gaps.max(by: { $0.1 < $1.1 }), widest.1 >= 1 else { break }
      chosen.append(widest.0.advanced(bySeconds: widest.1 / 2))
    }
    return chosen.sorted()
  }
}
