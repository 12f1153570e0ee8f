import Geometry

/// Which places moved as still points do between two frames whose turn is known.
///
/// With the turn R taken out, a still point moves along the great circle through its old direction b and the direction o in
/// which the camera went: `o . (b x a) = 0` for its new direction a. Two points give o; of the pairs tried, the one with which
/// most agree wins. Source: Troiani et al., "2-point-based outlier rejection for camera-IMU systems", ICRA 2014,
/// doi:10.1109/ICRA.2014.6907483. The sign of o is not asked: a frame's parallax is too small to tell noise from it.
package struct RotationConsensus {
  /// Largest distance of a still point from its great circle, radians.
  let tolerance: Double

  /// - Parameter tolerance: radians.
  package init(tolerance: Double) { self.tolerance = tolerance }

  private static let pairs = 60
  /// Fewer points than this outvote nobody, and neither does a smaller share.
  private static let fewest = 12, leastShare = 0.5

  /// Mean squared sine of the directions' distances from their middle, about, below which they tell no turn about it.
  private static let leastSpread = 1e-4

  /// For each point whether it may stand still; all where no majority is found.
  ///
  /// - Parameters:
  ///   - before: unit directions then, turned into the camera's axes now.
  ///   - after: unit directions now.
  package func stoodStill(_ before: [Vector3], _ after: [Vector3]) -> [Bool] {
    let count = before.count
    let all = [Bool](repeating: true, count: count)
    guard count >= Self.fewest else { return all }
    let normals = zip(before, after).map { $0.cross($1) }
    var best: Vector3?, most = 0
    for k in 0..<Self.pairs {
      let i = (k * 7) % count
      let j = (i + 1 + (k * 11 + k / count) % (count - 1)) % count
      let way = normals[i].cross(normals[j])
      guard way.norm > 0 else { continue }
      let direction = way.normalized
      let agreeing = before.indices.count { stands(normals[$0], before[$0], direction) }
      if agreeing > most { (best, most) = (direction, agreeing) }
    }
    guard let best, Double(most) >= max(Double(Self.fewest), Self.leastShare * Double(count)) else { return all }
    return before.indices.map { stands(normals[$0], before[$0], best) }
  }

  /// The small turn r that carries directions best to others; none where there are too few of them, or in one line.
  ///
  /// The least squares of `r x before = after - before`: `sum (1 - b b^T) r = sum b x a`, true to first order in r.
  ///
  /// - Parameters:
  ///   - before: unit directions.
  ///   - after: unit directions.
  package static func turn(from before: [Vector3], to after: [Vector3]) -> Rotation {
    guard before.count >= fewest else { return .identity }
    var information = Matrix3(diagonal: .zero), sum = Vector3.zero
    for (b, a) in zip(before, after) {
      information += Matrix3(diagonal: Vector3(1, 1, 1)) + -1 * Matrix3(outer: b, b)
      sum += b.cross(a)
    }
    let count = Double(before.count)
    guard information.determinant > leastSpread * count * count * count, let inverse = information.inverse else {
      return .identity
    }
    let turn = inverse * sum
    return turn.isFinite ? .exp(turn) : .identity
  }

  /// Near the way itself the circle is short and anything lies on it: there the tolerance is not widened beyond tenfold.
  private func stands(_ normal: Vector3, _ before: Vector3, _ way: Vector3) -> Bool {
    abs(way.dot(normal)) <= tolerance * max(way.cross(before).norm, 0.1)
  }
}
