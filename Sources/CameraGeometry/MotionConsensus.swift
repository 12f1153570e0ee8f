import Geometry

/// Static points among correspondences between two poses: the inliers of the motion on which most agree, given the
/// rotation and an uncertain translation.
///
/// Random sample consensus with two points (Fischler and Bolles 1981, doi:10.1145/358669.358692; two suffice with a
/// gyroscope's rotation: Troiani et al. 2014, doi:10.1109/ICRA.2014.6907483). Two differences:
/// A sample moves the translation only as far as its prior allows, so a coherent moving object is not taken for the
/// scene while the device is known to be stationary.
/// A point must lie on its arc (`EpipolarArcs`), not on the whole epipolar line.
package struct MotionConsensus: Sendable {
  /// One point, in the axes of the camera now: unit directions.
  package struct Correspondence: Sendable {
    /// Direction before, rotated by the known rotation.
    package var before: Vector3
    /// Direction now.
    package var after: Vector3

    /// A correspondence from its parts.
    package init(before: Vector3, after: Vector3) {
      self.before = before
      self.after = after
    }
  }

  /// Distance from the arc, in sigmas, beyond which a point is an outlier; an inlier exceeds it once in a million.
  static let gate = 5.0
  /// Pairs that are tried. With half of the points wrong, no pair is good once in 10^5 times.
  static let pairs = 40
  /// Least distance of a point from the camera, metres. A smaller value lets more moving points pass for near static
  /// ones.
  static let nearest = 0.5
  /// Fewest inliers, and least fraction of all points, that make a majority.
  static let fewest = 8, leastFraction = 1.0 / 3

  private let offset: Vector3
  private let covariance, information: Matrix3
  private let deviation: Double

  /// - Parameters:
  ///   - offset: of the camera now from the one before, in the axes of the camera now, metres.
  ///   - covariance: of that, m^2; positive definite, else nil.
  ///   - deviation: 1-sigma of the angle between a static point and its arc, radians.
  package init?(offset: Vector3, covariance: Matrix3, deviation: Double) {
    guard offset.isFinite, deviation > 0, let information = covariance.inverse, information[0, 0].isFinite else {
      return nil
    }
    self.offset = offset
    self.covariance = covariance
    self.information = information
    self.deviation = deviation
  }

  /// For each correspondence whether it is an inlier (static); nil without a majority. O(pairs n), deterministic.
  package func inliers(_ correspondences: [Correspondence]) -> [Bool]? {
    guard correspondences.count >= Self.fewest else { return nil }
    // The last group is padded with the last correspondence; the padding has no weight.
    let arcs = stride(from: 0, to: correspondences.count, by: EpipolarArcs.count).map { first in
      EpipolarArcs { i in
        let correspondence = correspondences[min(first + i, correspondences.count - 1)]
        return (correspondence.before, correspondence.after)
      }
    }
    let surplus = arcs.count * EpipolarArcs.count - correspondences.count
    var best = offset, least = cost(offset, arcs, surplus, below: .infinity)
    for k in 0..<Self.pairs {
      let i = (k * 7) % correspondences.count
      let j = (i + 1 + (k * 11 + k / correspondences.count) % (correspondences.count - 1)) % correspondences.count
      var fit = Fit(self)
      fit.update(correspondences[i])
      fit.update(correspondences[j])
      let candidate = corrected(fit)
      let candidateCost = cost(candidate, arcs, surplus, below: least)
      if candidateCost < least { (best, least) = (candidate, candidateCost) }
    }
    // Refinement from all inliers of the best pair.
    var fit = Fit(self)
    for (correspondence, isInlier) in zip(correspondences, insideGate(arcs, best)) where isInlier {
      fit.update(correspondence)
    }
    let joint = corrected(fit)
    if cost(joint, arcs, surplus, below: least) < least { best = joint }
    let inliers = Array(insideGate(arcs, best).prefix(correspondences.count))
    let inlierCount = inliers.count { $0 }
    return inlierCount >= Self.fewest && Double(inlierCount) >= Self.leastFraction * Double(correspondences.count)
      ? inliers : nil
  }

  /// Squared angle at the gate, radians^2.
  private var squaredGate: Double { Self.gate * Self.gate * (deviation * deviation) }

  private func insideGate(_ arcs: [EpipolarArcs], _ offset: Vector3) -> [Bool] {
    let end = offset / Self.nearest
    return arcs.flatMap { arcs -> [Bool] in
      let squares = arcs.squaredDistances(end: end, atMost: 2 * squaredGate)
      return squares.indices.map { squares[$0] <= squaredGate }
    }
  }

  /// Squared normalised distance from the prior plus those from the arcs, the latter saturated at the gate; stops
  /// beyond `limit`. Of the last arcs `surplus` do not count.
  private func cost(_ candidate: Vector3, _ arcs: [EpipolarArcs], _ surplus: Int, below limit: Double) -> Double {
    let shift = candidate - offset, end = candidate / Self.nearest
    let weight = 1 / (deviation * deviation), squaredGate = squaredGate
    var sum = information.form(shift, shift)
    for k in arcs.indices where sum < limit {
      let squares = arcs[k].squaredDistances(end: end, atMost: squaredGate)
      if k + 1 < arcs.count {
        sum += weight * squares.sum()
      } else {
        for i in 0..<EpipolarArcs.count - surplus { sum += weight * squares[i] }
      }
    }
    return sum
  }

  /// The offset after epipolar constraints `o . (before x after) = 0` with noise `deviation |o|`: sequential Kalman
  /// updates.
  private struct Fit {
    var offset: Vector3
    var covariance: Matrix3
    var noise: Double

    init(_ prior: MotionConsensus) {
      (offset, covariance) = (prior.offset, prior.covariance)
      noise = prior.deviation * prior.deviation * (offset.squaredNorm + covariance.trace)
    }

    mutating func update(_ correspondence: Correspondence) {
      let h = correspondence.before.cross(correspondence.after)
      let ph = covariance * h
      let gain = ph / (h.dot(ph) + noise)
      offset -= gain * h.dot(offset)
      covariance = covariance - Matrix3(outer: gain, ph)
    }
  }

  /// An offset of zero satisfies every constraint, so noise shrinks the fit. Only its direction is used; the length is
  /// the most likely one along it.
  private func corrected(_ fit: Fit) -> Vector3 {
    let direction = fit.offset.normalized
    let weight = information.form(direction, direction)
    return weight > 0 ? information.form(direction, offset) / weight * direction : fit.offset
  }
}
