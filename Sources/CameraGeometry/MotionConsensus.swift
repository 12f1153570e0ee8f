import Geometry

/// Which of the points seen by a camera before and after a motion stood still: the motion on which most of them agree, from
/// a known rotation and an uncertain translation.
///
/// Random sample consensus with two points (Fischler and Bolles 1981, doi:10.1145/358669.358692; two suffice once a gyroscope
/// tells the rotation: Troiani et al. 2014, doi:10.1109/ICRA.2014.6907483). Two things are different here. A sample moves
/// the translation only as far as what is known of it allows, so that a coherent moving object cannot pass for the room while
/// the device is known to stand. And a point must lie on its arc (`EpipolarArcs`), not on the whole epipolar line.
package struct MotionConsensus: Sendable {
  /// One point, in the axes of the camera now: unit directions.
  package struct Sight: Sendable {
    /// Where it was seen before, turned by the known rotation.
    package var before: Vector3
    /// Where it is seen now.
    package var after: Vector3

    /// A sight from its parts.
    package init(before: Vector3, after: Vector3) {
      self.before = before
      self.after = after
    }
  }

  /// Distance from the arc, in sigmas, beyond which a point did not stand still; an honest one gets there once in a
  /// million.
  static let gate = 5.0
  /// Pairs that are tried: with half of the points wrong, one in 10^5 times none of them is good.
  static let pairs = 40
  /// Hardly anything nearer to a camera is worth tracking, metres; the less this is, the more sliding passes for nearness.
  static let nearest = 0.5
  /// Fewest points, and least share of all, that make a majority worth following.
  static let fewest = 8, leastShare = 1.0 / 3

  private let offset: Vector3
  private let covariance, information: Matrix3
  private let deviation: Double

  /// - Parameters:
  ///   - offset: of the camera now from the one before, in the axes of the camera now, metres.
  ///   - covariance: of that, m^2; positive definite, else nil.
  ///   - deviation: 1-sigma of the angle between a still point and its arc, radians.
  package init?(offset: Vector3, covariance: Matrix3, deviation: Double) {
    guard offset.isFinite, deviation > 0, let information = covariance.inverse, information[0, 0].isFinite else {
      return nil
    }
    self.offset = offset
    self.covariance = covariance
    self.information = information
    self.deviation = deviation
  }

  /// For each sight whether its point stood still; nil without a majority. O(pairs n), the same for the same sights.
  package func stoodStill(_ sights: [Sight]) -> [Bool]? {
    guard sights.count >= Self.fewest else { return nil }
    // Of the last group, what is too much repeats the last sight and counts nothing.
    let arcs = stride(from: 0, to: sights.count, by: EpipolarArcs.count).map { first in
      EpipolarArcs { i in
        let sight = sights[min(first + i, sights.count - 1)]
        return (sight.before, sight.after)
      }
    }
    let surplus = arcs.count * EpipolarArcs.count - sights.count
    var best = offset, least = cost(offset, arcs, surplus, below: .infinity)
    for k in 0..<Self.pairs {
      let i = (k * 7) % sights.count
      let j = (i + 1 + (k * 11 + k / sights.count) % (sights.count - 1)) % sights.count
      var fit = Fit(self)
      fit.take(sights[i])
      fit.take(sights[j])
      let candidate = corrected(fit)
      let candidateCost = cost(candidate, arcs, surplus, below: least)
      if candidateCost < least { (best, least) = (candidate, candidateCost) }
    }
    // All that agree with the best pair may decide together.
    var fit = Fit(self)
    for (sight, stands) in zip(sights, stands(arcs, best)) where stands { fit.take(sight) }
    let joint = corrected(fit)
    if cost(joint, arcs, surplus, below: least) < least { best = joint }
    let verdict = Array(stands(arcs, best).prefix(sights.count))
    let still = verdict.count { $0 }
    return still >= Self.fewest && Double(still) >= Self.leastShare * Double(sights.count) ? verdict : nil
  }

  /// Squared angle at the gate, radians^2.
  private var farthest: Double { Self.gate * Self.gate * (deviation * deviation) }

  private func stands(_ arcs: [EpipolarArcs], _ offset: Vector3) -> [Bool] {
    let end = offset / Self.nearest
    return arcs.flatMap { arcs -> [Bool] in
      let squares = arcs.squaredDistances(end: end, atMost: 2 * farthest)
      return squares.indices.map { squares[$0] <= farthest }
    }
  }

  /// Squared sigmas off the prior and off the arcs, the latter cut at the gate; stops counting beyond `limit`. Of the last arcs
  /// `surplus` do not count.
  private func cost(_ candidate: Vector3, _ arcs: [EpipolarArcs], _ surplus: Int, below limit: Double) -> Double {
    let shift = candidate - offset, end = candidate / Self.nearest
    let weight = 1 / (deviation * deviation), farthest = farthest
    var sum = information.form(shift, shift)
    for k in arcs.indices where sum < limit {
      let squares = arcs[k].squaredDistances(end: end, atMost: farthest)
      if k + 1 < arcs.count {
        sum += weight * squares.sum()
      } else {
        for i in 0..<EpipolarArcs.count - surplus { sum += weight * squares[i] }
      }
    }
    return sum
  }

  /// The offset after some epipolar constraints `o . (before x after) = 0`, whose noise is `deviation |o|`: Kalman's update, one
  /// constraint after the other.
  private struct Fit {
    var offset: Vector3
    var covariance: Matrix3
    var noise: Double

    init(_ prior: MotionConsensus) {
      (offset, covariance) = (prior.offset, prior.covariance)
      noise = prior.deviation * prior.deviation * (offset.squaredNorm + covariance.trace)
    }

    mutating func take(_ sight: Sight) {
      let h = sight.before.cross(sight.after)
      let ph = covariance * h
      let gain = ph / (h.dot(ph) + noise)
      offset -= gain * h.dot(offset)
      covariance = covariance - Matrix3(outer: gain, ph)
    }
  }

  /// An offset of zero fulfils all constraints, and noise pulls that way, so only the direction of the fit is taken; the length
  /// is the likeliest on it.
  private func corrected(_ fit: Fit) -> Vector3 {
    let direction = fit.offset.normalized
    let weight = information.form(direction, direction)
    return weight > 0 ? information.form(direction, offset) / weight * direction : fit.offset
  }
}
