import Geometry

/// Which of the points seen by a camera before and after a motion stood still: the motion on which most of them agree, from
/// a known rotation and an uncertain translation.
///
/// Random sample consensus with two points (Fischler and Bolles 1981, doi:10.1145/358669.358692; two suffice once a gyroscope
/// tells the rotation: Troiani et al. 2014, doi:10.1109/ICRA.2014.6907483). Two things are different here. A sample moves
/// the translation only as far as what is known of it allows, so that a coherent moving object cannot pass for the room while
/// the device is known to stand. And a point must lie on its `SightArc`, not on the whole epipolar line.
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
    let arcs = sights.map { SightArc(before: $0.before, after: $0.after) }
    var best = offset, least = cost(offset, arcs, below: .infinity)
    for k in 0..<Self.pairs {
      let i = (k * 7) % arcs.count
      let j = (i + 1 + (k * 11 + k / arcs.count) % (arcs.count - 1)) % arcs.count
      var fit = Fit(self)
      fit.take(arcs[i])
      fit.take(arcs[j])
      let candidate = corrected(fit)
      let candidateCost = cost(candidate, arcs, below: least)
      if candidateCost < least { (best, least) = (candidate, candidateCost) }
    }
    // All that agree with the best pair may decide together.
    var fit = Fit(self)
    for arc in arcs where stands(arc, best) { fit.take(arc) }
    let joint = corrected(fit)
    if cost(joint, arcs, below: least) < least { best = joint }
    let verdict = arcs.map { stands($0, best) }
    let still = verdict.count { $0 }
    return still >= Self.fewest && Double(still) >= Self.leastShare * Double(sights.count) ? verdict : nil
  }

  private func stands(_ arc: SightArc, _ offset: Vector3) -> Bool {
    arc.squaredDistance(end: offset / Self.nearest) <= Self.gate * Self.gate * (deviation * deviation)
  }

  /// Squared sigmas off the prior and off the arcs, the latter cut at the gate; stops counting beyond `limit`.
  private func cost(_ candidate: Vector3, _ arcs: [SightArc], below limit: Double) -> Double {
    let shift = candidate - offset, end = candidate / Self.nearest
    let weight = 1 / (deviation * deviation)
    var sum = information.form(shift, shift)
    for arc in arcs where sum < limit { sum += min(weight * arc.squaredDistance(end: end), Self.gate * Self.gate) }
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

    mutating func take(_ arc: SightArc) {
      let h = arc.cross
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
