import Foundation
import Geometry

/// Finds a static peer from ranges along a known path, if its position is unique.
package struct PeerSearch {
  /// 1-sigma of a range in the search, metres: large, since the path has errors.
  static let sigma = 0.15
  /// Number of correlated ranges with the information of one.
  static let correlatedRanges = 10.0
  /// Most steps of a descent: along a weakly observable vertical each step only halves the error.
  static let mostSteps = 200
  /// Log likelihood ratio to any other mode that uniqueness requires.
  static let margin = 8.0

  /// Antenna positions, world, and measured ranges, metres.
  package let ranges: [(antenna: Vector3, range: Double)]

  /// A search over at least thirty ranges.
  package init(_ ranges: [(antenna: Vector3, range: Double)]) { self.ranges = ranges }

  /// The peer; nil where two positions explain the ranges, or none does.
  package func peer() -> StaticPeer? {
    guard ranges.count >= 30, let first = ranges.first else { return nil }
    let refinement = PeerRefinement(ranges.map { .init(antenna: $0.antenna, range: $0.range, sigma: Self.sigma) })
    var found: [(peer: StaticPeer, cost: Double)] = []
    for start in Self.starts(60, around: first.antenna, radius: first.range) {
      found.append(refinement.refined(start, steps: Self.mostSteps))
    }
    guard let best = found.min(by: { $0.cost < $1.cost }) else { return nil }
    let alternatives = found.filter { ($0.peer.position - best.peer.position).norm > 0.5 }
    let gap = alternatives.map { $0.cost - best.cost }.min() ?? .infinity
    let mean = best.cost / Double(ranges.count)
    return gap > Self.correlatedRanges * Self.margin && mean < 2 ? best.peer : nil
  }

  /// Peers in `count` directions from a place: a Fibonacci spiral, uniform on the sphere.
  static func starts(_ count: Int, around place: Vector3, radius: Double) -> [StaticPeer] {
    (0..<count).map { k in
      let z = 1 - (2 * Double(k) + 1) / Double(count), azimuth = 2.399963229728653 * Double(k)
      let across = (1 - z * z).squareRoot()
      return StaticPeer(position: place + radius * Vector3(across * cos(azimuth), across * sin(azimuth), z))
    }
  }
}
