import Foundation
import Geometry

/// Finds a static peer from ranges along a known path, if there is only one place where it can be.
package struct PeerSearch {
  /// 1-sigma of a range, metres, in the search: wide, since the path is not known exactly.
  static let sigma = 0.15
  /// Ranges err alike: as if so many told what one does.
  static let companions = 10.0
  /// Most steps of a descent: along a height that hardly matters the error only halves with each.
  static let mostSteps = 200
  /// By how much another place must be worse, in units of log-likelihood.
  static let margin = 8.0

  /// Where the antennas were and what was measured.
  package let sights: [(place: Vector3, range: Double)]

  /// A search over at least thirty ranges.
  package init(_ sights: [(place: Vector3, range: Double)]) { self.sights = sights }

  /// The peer; nil where two places explain the ranges, or none does.
  package func peer() -> StaticPeer? {
    guard sights.count >= 30, let first = sights.first else { return nil }
    let refinement = PeerRefinement(sights.map { .init(place: $0.place, range: $0.range, sigma: Self.sigma) })
    var found: [(peer: StaticPeer, cost: Double)] = []
    let starts = 60
    for k in 0..<starts {
      // A spiral of directions that covers the sphere evenly.
      let z = 1 - (2 * Double(k) + 1) / Double(starts), turn = 2.399963229728653 * Double(k)
      let across = (1 - z * z).squareRoot()
      let direction = Vector3(across * cos(turn), across * sin(turn), z)
      let start = StaticPeer(position: first.place + first.range * direction)
      found.append(refinement.refined(start, steps: Self.mostSteps))
    }
    guard let best = found.min(by: { $0.cost < $1.cost }) else { return nil }
    let rivals = found.filter { ($0.peer.position - best.peer.position).norm > 0.5 }
    let gap = rivals.map { $0.cost - best.cost }.min() ?? .infinity
    let mean = best.cost / Double(sights.count)
    return gap > Self.companions * Self.margin && mean < 2 ? best.peer : nil
  }
}
