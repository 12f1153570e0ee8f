import Foundation
import Geometry

/// Finds a static peer from ranges along a known path, if there is only one place where it can be.
package struct PeerSearch {
  /// 1-sigma of a range, metres, in the search: wide, since the path is not known exactly.
  static let sigma = 0.15
  /// Ranges err alike: as if so many told what one does.
  static let companions = 10.0
  /// What is known of a coordinate by this share of all that is known of the place, or less, is damped as if it were by that much.
  static let leastDamped = 1e-2
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
    var found: [(peer: StaticPeer, cost: Double)] = []
    let starts = 60
    for k in 0..<starts {
      // A spiral of directions that covers the sphere evenly.
      let z = 1 - (2 * Double(k) + 1) / Double(starts), turn = 2.399963229728653 * Double(k)
      let across = (1 - z * z).squareRoot()
      let direction = Vector3(across * cos(turn), across * sin(turn), z)
      if let end = descended(StaticPeer(position: first.place + first.range * direction)) { found.append(end) }
    }
    guard let best = found.min(by: { $0.cost < $1.cost }) else { return nil }
    let rivals = found.filter { ($0.peer.position - best.peer.position).norm > 0.5 }
    let gap = rivals.map { $0.cost - best.cost }.min() ?? .infinity
    let mean = best.cost / Double(sights.count)
    return gap > Self.companions * Self.margin && mean < 2 ? best.peer : nil
  }

  private func cost(_ peer: StaticPeer) -> Double {
    let bias = peer.bias / StaticPeer.biasSigma
    return sights.reduce(0.5 * bias * bias) { sum, sight in
      let error = ((sight.place - peer.position).norm + peer.bias - sight.range) / Self.sigma
      return sum + RangeLink.loss.cost(error * error)
    }
  }

  /// Levenberg-Marquardt over place and bias.
  private func descended(_ start: StaticPeer) -> (peer: StaticPeer, cost: Double)? {
    var peer = start, best = cost(peer), damping = 1e-3
    for _ in 0..<Self.mostSteps {
      var matrix = [Double](repeating: 0, count: 16), gradient = [Double](repeating: 0, count: 4)
      func add(_ row: [Double], _ error: Double, _ weight: Double) {
        for i in 0..<4 {
          gradient[i] += weight * row[i] * error
          for j in 0..<4 { matrix[4 * i + j] += weight * row[i] * row[j] }
        }
      }
      for sight in sights {
        let offset = sight.place - peer.position
        let u = offset.normalized
        let error = (offset.norm + peer.bias - sight.range) / Self.sigma
        add(
          [-u.x, -u.y, -u.z, 1].map { $0 / Self.sigma }, error, RangeLink.loss.weight(error * error))
      }
      add([0, 0, 0, 1 / StaticPeer.biasSigma], peer.bias / StaticPeer.biasSigma, 1)
      // Of a peer as high as a level path the ranges have no slope with the height: damping that vanished with it would not bound its
      // steps, and the descent stuck halfway, which passed for a second place.
      let floor = Self.leastDamped * (matrix[0] + matrix[5] + matrix[10])
      for i in 0..<4 { matrix[5 * i] += damping * max(matrix[5 * i], floor) }
      guard let inverse = SquareMatrix(matrix, size: 4).positiveInverse else { return nil }
      let step = (inverse * gradient).map { -$0 }
      let candidate = peer.plus((step + [0])[...])
      let next = cost(candidate)
      if next.isFinite, next <= best {
        let gain = best - next
        (peer, best) = (candidate, next)
        damping = max(damping / 10, 1e-9)
        if gain < 1e-6 * (1 + best) { break }
      } else {
        damping *= 10
        if damping > 1e8 { break }
      }
    }
    return (peer, best)
  }
}
