import Foundation
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

/// Four correspondences between two camera poses, and the angle of each from the directions that a static point can
/// have.
/// These form an arc: `b - rho o` for a point seen in direction b before the camera moved by o. `rho` runs from 0 (far
/// away) to the inverse of the least distance.
///
/// This is the epipolar constraint with its end points. A point on the great circle but beyond an end would be behind
/// the camera or nearer than the least distance.
/// Hartley and Zisserman, "Multiple view geometry in computer vision", 2nd edition, 2004, 9.1.
///
/// Many motions are tried on the same correspondences, so terms independent of o are precomputed. With
/// `q = o / nearest`, the end `b - q` and the normal `n = q x b`, every term is a product of q with b, d, `b x d` or
/// `b x (b x d)`.
/// Evaluation is four lanes wide and branch-free, because the noise makes branches unpredictable.
package struct EpipolarArcs: Sendable {
  /// Number of correspondences.
  package static let count = 4
  /// Four numbers, one per correspondence.
  package typealias Four = SIMD4<Double>

  /// Four vectors.
  private struct Vectors: Sendable {
    var x = Four.zero, y = Four.zero, z = Four.zero

    subscript(i: Int) -> Vector3 {
      get { Vector3(x[i], y[i], z[i]) }
      set { (x[i], y[i], z[i]) = (newValue.x, newValue.y, newValue.z) }
    }
    func dot(_ q: Vector3) -> Four { x * q.x + y * q.y + z * q.z }
  }

  private var before = Vectors(), after = Vectors(), cross = Vectors(), inward = Vectors()
  private var cosine = Four.zero
  /// Squared angle to the far end.
  private var toFar = Four.zero

  /// - Parameter correspondence: unit directions before and after of each of the four, in the axes of the camera now.
  package init(_ correspondence: (Int) -> (before: Vector3, after: Vector3)) {
    for i in 0..<Self.count {
      let (b, d) = correspondence(i)
      (before[i], after[i], cross[i]) = (b, d, b.cross(d))
      cosine[i] = b.dot(d)
      inward[i] = cosine[i] * b - d
      let angle = atan2(cross[i].norm, cosine[i])
      toFar[i] = angle * angle
    }
  }

  /// Squared angles, radians^2, between the directions after and the nearest ones on their arcs, saturated at `most`.
  ///
  /// - Parameter end: q, the offset of the camera now from the one before, over the least distance of a point from the
  ///   latter.
  package func squaredDistances(end q: Vector3, atMost most: Double) -> Four {
    let length = q.squaredNorm
    let b = before.dot(q), d = after.dot(q)
    let normal = length - b * b
    // Between the ends: on the inner side of the planes through the normal and each end.
    let first = inward.dot(q)
    let within = (normal .> 1e-12) .& (first .>= 0) .& (length * cosine - b * d .>= first)
    let height = cross.dot(q)
    // If the camera moved through the near end, the point appears in the direction the camera came from.
    let near = 1 - 2 * b + length
    let meets = near .<= 1e-12
    let along = (cosine - d).replacing(with: -d, where: meets)
    let squared = near.replacing(with: Four(repeating: max(length, 1e-12)), where: meets)

    let numerator = (squared - along * along).replacing(with: height * height, where: within)
    let denominator = squared.replacing(with: normal, where: within)
    let sine = numerator / denominator
    let sharp = within .| (along .> 0)
    var angle = Self.squaredAngle(
      squaredSine: sine.replacing(with: Four.zero, where: sine .< Four.zero), isSharp: sharp, atMost: most)
    angle.replace(with: toFar, where: .!within .& (toFar .< angle))
    return angle.replacing(with: Four(repeating: most), where: angle .> most)
  }

  /// Squared sine up to which the series below is exact to the last digit.
  private static let smallSine = 4e-3

  /// Squared angles; the obtuse one for lanes that are not `isSharp`.
  @inline(__always)
  private static func squaredAngle(squaredSine x: Four, isSharp: SIMDMask<SIMD4<Int64>>, atMost most: Double) -> Four {
    let third = 1.0 / 3, fourth = 8.0 / 45, fifth = 4.0 / 35, sixth = 128.0 / 1575, seventh = 128.0 / 2079
    var square = x * sixth + x * x * seventh + fifth
    square = x * square + fourth
    square = x * square + third
    square = x * (x * square + 1)
    let beyond = (x .> smallSine) .| .!isSharp
    guard any(beyond) else { return square }
    guard most > smallSine else { return square.replacing(with: Four(repeating: most), where: beyond) }
    for i in 0..<count where beyond[i] {
      let angle = asin(min(x[i], 1).squareRoot())
      square[i] = isSharp[i] ? angle * angle : (.pi - angle) * (.pi - angle)
    }
    return square
  }
}
