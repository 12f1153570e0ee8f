import Estimator
import Foundation
import Geometry
import LeastSquares
import Ranging

/// Excitation of the path since a posterior started: displacement off any plane, and off any vertical one, relative to
/// the path's drift. It resolves the ambiguity between the peer and its reflection image.
///
/// The hypotheses take the path's error for a random walk. In a level sweep, millimetres of tremor beside a centimetre
/// of lasting error would pass for a curved plane, and many ranges would resolve the side from it. The drift of another
/// tracker beside a straight walk would resolve left and right (`LateralAmbiguity`).
///
/// Motion and drift are compared over the lag at which most of the motion occurs, an eighth of a second to two. A
/// walking person's bob takes half a second, in which the path drifts little. A slow hand that rises in two seconds is compared
/// with the drift of two.
package struct PathExcitation {
  /// Lags of the displacements, octaves, seconds.
  private static let lags = [0.125, 0.25, 0.5, 1, 2]

  /// Smallest range that is assumed, metres.
  private static let nearest = 0.3

  /// A position of the antenna.
  private struct AntennaPosition {
    let seconds: Double
    let position: Vector3
    /// Accumulated drift covariance of the path, m^2.
    let lost: Matrix3
  }

  /// The latest positions, over the longest lag.
  private var latest: [AntennaPosition] = []
  /// For each lag, the index in `latest` of the newest position before it.
  private var starts = [Int](repeating: 0, count: lags.count)
  private var steps = [DisplacementStatistics](repeating: DisplacementStatistics(), count: lags.count)
  /// An AoA has observed left and right, or above and below, without a path.
  private var (observesSide, observesHeight) = (false, false)

  /// No path yet.
  package init() {}

  /// Adds a position of the antenna; O(1) on average.
  ///
  /// - Parameters:
  ///   - position: in the world, metres.
  ///   - seconds: since the previous position.
  ///   - drift: of the path since then.
  ///   - range: measured there, metres.
  ///   - observesSide, observesHeight: an AoA came with the range, and it observes above and below.
  package mutating func add(
    _ position: Vector3, seconds: Double, drift: AccumulatedDrift, range: Double, observesSide: Bool = false,
    observesHeight: Bool
  ) {
    self.observesSide = self.observesSide || observesSide
    self.observesHeight = self.observesHeight || observesHeight
    let before = latest.last
    let now = AntennaPosition(
      seconds: (before?.seconds ?? 0) + seconds, position: position, lost: (before?.lost ?? .zero) + drift.position)
    latest.append(now)
    for i in Self.lags.indices {
      let limit = now.seconds - Self.lags[i] + 1e-9
      guard latest[0].seconds <= limit else { continue }
      while latest[starts[i] + 1].seconds <= limit { starts[i] += 1 }
      let then = latest[starts[i]]
      // After a pause of the radio the previous position is too far back for this lag.
      guard limit - then.seconds < Self.lags[i] else { continue }
      steps[i].add(now.position - then.position, lost: now.lost - then.lost, range: max(range, Self.nearest))
    }
    forget()
  }

  /// The AoA were rejected.
  package mutating func forgetAoA() { (observesSide, observesHeight) = (false, false) }

  /// Drops positions that no lag needs any more.
  private mutating func forget() {
    let unused = starts[Self.lags.count - 1]
    guard unused > 64 else { return }
    latest.removeFirst(unused)
    starts = starts.map { max($0 - unused, 0) }
  }

  /// The statistics of the shortest lag with at least half of the greatest mean square along its `normal`; nil where
  /// there are none.
  private func excitedSteps(_ normal: (DisplacementStatistics) -> Vector3) -> DisplacementStatistics? {
    let spreads = steps.map { $0.spread(along: normal($0)) }
    guard let greatest = spreads.max(), greatest > 0 else { return nil }
    return zip(steps, spreads).first { $1 >= 0.5 * greatest }?.0
  }

  /// Probability that the path's error reverses its displacement off the plane: `Phi(-d / s)`, with the rms
  /// displacement `d` and the rms drift `s` off the plane. 0...0.5; 0 where the path is known.
  package var pathErrorProbability: Double {
    guard !observesHeight, isKnownPoorly else { return 0 }
    guard let steps = excitedSteps(\.normal) else { return 0.5 }
    return NormalDistribution.cumulative(-1 / steps.error(along: steps.normal).squareRoot())
  }

  private var isKnownPoorly: Bool { latest.last.map { $0.lost.trace > 0 } ?? false }

  /// A reliability above this changes the probability of the wrong side by a seventh of itself at most; the update of
  /// the posterior is saved.
  private static let reliable = 0.99

  /// The left/right ambiguity of the path; nil where an AoA has observed the side, where the path is known well, or
  /// there is none yet.
  package var lateralAmbiguity: LateralAmbiguity? {
    guard !observesSide, isKnownPoorly, let here = latest.last, let steps = excitedSteps(\.sideways) else { return nil }
    let normal = steps.sideways
    let reliability = max(1 - steps.error(along: normal), 0)
    guard reliability < Self.reliable else { return nil }
    return LateralAmbiguity(plane: ReflectionPlane(point: here.position, normal: normal), reliability: reliability)
  }

  /// The ambiguity about the plane of the path; nil where an AoA has observed the side, or there is no path yet.
  ///
  /// For a peer `h` metres off the plane and its image, ranges `r` measured `x` metres off it differ by `2 h x / r`.
  /// With noise variance `v` the mean log odds of the side are `I = 2 h^2 sum (x / r)^2 / v`. Displacements `s` between
  /// extremes are `2 x`, so `I = h^2 sum (s / r)^2 / 2 v`: at least half of the truth for any motion, at the lag where
  /// it is largest. Of the coloured noise, the part that has decorrelated over the lag counts.
  ///
  /// - Parameter noise: of the link.
  package func verticalAmbiguity(noise: RangeNoise) -> VerticalAmbiguity? {
    guard !observesHeight, let here = latest.last else { return nil }
    let normal = excitedSteps(\.normal)?.normal ?? Vector3(0, 0, 1)
    return VerticalAmbiguity(
      plane: ReflectionPlane(point: here.position, normal: normal), pathErrorProbability: pathErrorProbability,
      expectedInformation: information(along: normal, noise))
  }

  private func information(along normal: Vector3, _ noise: RangeNoise) -> Double {
    var most = 0.0
    for (lag, steps) in zip(Self.lags, steps) where steps.count > 0 {
      let forgotten = 1 - noise.memory(after: lag, metres: (steps.scatter.trace / steps.count).squareRoot())
      let variance = noise.white * noise.white + forgotten * noise.coloured * noise.coloured
      most = max(most, steps.angularScatter.form(normal, normal) / (2 * variance))
    }
    return most
  }
}

/// A plane behind which a peer may have a reflection image.
package struct ReflectionPlane: Equatable, Sendable {
  /// A point of it, metres, world.
  package let point: Vector3
  /// Its unit normal, world.
  package let normal: Vector3

  package init(point: Vector3, normal: Vector3) { (self.point, self.normal) = (point, normal) }

  /// Signed distance from the plane, metres, positive on the normal's side.
  package func offset(of position: Vector3) -> Double { normal.dot(position - point) }

  /// Probability of the normal's side, 0...1.
  func upperProbability(of gaussians: [PositionGaussian]) -> Double {
    let sum = gaussians.reduce((upper: 0.0, whole: 0.0)) { sum, g in
      let sigma = max(g.covariance.form(normal, normal), 1e-12).squareRoot()
      return (
        sum.upper + g.weight * NormalDistribution.cumulative(offset(of: g.position) / sigma), sum.whole + g.weight
      )
    }
    return sum.upper / max(sum.whole, 1e-300)
  }

  /// Image probabilities below this are neglected.
  private static let negligible = 1e-5

  /// More Gaussians than this are a broad posterior: one image per side represents theirs.
  private static let few = 40

  /// The Gaussians, with reflection images of the ambiguous ones where that makes a difference; the sum of the weights
  /// stays. Many have one image a side, with the mean and covariance of all.
  ///
  /// - Parameter imageProbability: probability that a position at this offset from the plane is taken for its image,
  ///   0...1.
  func withImages(_ gaussians: [PositionGaussian], imageProbability: (Double) -> Double) -> [PositionGaussian] {
    var result: [PositionGaussian] = []
    result.reserveCapacity(gaussians.count + min(gaussians.count, Self.few))
    var images: [PositionGaussian] = []
    var sides: (upper: PositionGaussian?, lower: PositionGaussian?)
    for gaussian in gaussians {
      result.append(gaussian)
      let offset = offset(of: gaussian.position)
      let imageProbability = imageProbability(offset)
      guard imageProbability > Self.negligible, offset * offset > 0.01 * gaussian.covariance.form(normal, normal)
      else { continue }
      var part = gaussian
      part.weight *= imageProbability
      result[result.count - 1].weight -= part.weight
      if gaussians.count <= Self.few {
        images.append(part)
      } else if offset > 0 {
        if sides.upper?.merge(part) == nil { sides.upper = part }
      } else {
        if sides.lower?.merge(part) == nil { sides.lower = part }
      }
    }
    for part in images { result.append(image(of: part)) }
    for side in [sides.upper, sides.lower] { if let side { result.append(image(of: side)) } }
    return result
  }

  private func image(of gaussian: PositionGaussian) -> PositionGaussian {
    let reflection = Matrix3.identity - 2 * Matrix3(outer: normal, normal)
    var image = gaussian
    image.position -= 2 * offset(of: gaussian.position) * normal
    image.covariance = reflection * gaussian.covariance * reflection
    image.scaleCovariance = reflection * gaussian.scaleCovariance
    return image
  }
}

/// The ambiguity about the plane in which the antenna has moved: its reflection image of the peer, and the probability
/// of each side.
///
/// Two effects limit the resolution. The path may have a displacement on the wrong side of its plane
/// (`pathErrorProbability`). And the ranges may hold too little information for the odds of the hypotheses. For a peer
/// `h` metres off the plane, correct log odds are normal with mean `I = expectedInformation h^2` and variance `2 I`.
/// Nearly all of them lie below `I + 2 sqrt(2 I)`. Larger odds come from something else, such as radio errors that
/// recur at a position.
///
/// Source of the law: log-likelihood ratio of two known signals in white Gaussian noise, Kay, "Fundamentals of
/// Statistical Signal Processing", vol. II, section 4.3.
package struct VerticalAmbiguity: Equatable, Sendable {
  /// The plane in which the antenna has moved.
  package let plane: ReflectionPlane
  /// Probability that the path's error passes for its displacement off the plane, 0...0.5.
  package let pathErrorProbability: Double
  /// Mean log odds of the side for a peer one metre off the plane, 1/m^2.
  package let expectedInformation: Double

  package init(plane: ReflectionPlane, pathErrorProbability: Double, expectedInformation: Double) {
    (self.plane, self.pathErrorProbability) = (plane, pathErrorProbability)
    self.expectedInformation = expectedInformation
  }

  /// Probability that a peer `offset` metres off the plane is taken for its image, 0...0.5.
  package func imageProbability(atOffset offset: Double) -> Double {
    let mean = expectedInformation * offset * offset
    let unproven = 1 / (1 + exp(mean + 2 * (2 * mean).squareRoot()))
    return pathErrorProbability + (1 - 2 * pathErrorProbability) * unproven
  }

  /// The Gaussians, with reflection images of the ambiguous ones where that makes a difference; the sum of the weights
  /// stays.
  func withImages(_ gaussians: [PositionGaussian]) -> [PositionGaussian] {
    plane.withImages(gaussians, imageProbability: imageProbability(atOffset:))
  }
}

/// The left/right ambiguity of a nearly straight path: the vertical plane along the path, and the reliability of the
/// log odds of a side.
///
/// The hypotheses take the tracker's displacement as true up to its stated error. That holds where all motions are
/// equally likely a priori, or the tracker's estimate is better (`NavigationFilter.isExternalOdometry`). A straight
/// walk has hardly any lateral motion, and the tracker's lateral drift passes for it. With true lateral variance `S`
/// and drift variance `N`, the observed variance is `S + N` and the reliability ratio `S / (S + N)`. The log odds of a
/// side are multiplied by this ratio. That is right where the radio's noise is larger than the path's; where it is
/// smaller they deserve more.
/// Source: errors in variables, Fuller, "Measurement Error Models", 1987, section 1.1 (the reliability ratio).
package struct LateralAmbiguity: Equatable, Sendable {
  /// Vertical, along the path.
  package let plane: ReflectionPlane
  /// Reliability ratio of the lateral motion, 0...1.
  package let reliability: Double

  package init(plane: ReflectionPlane, reliability: Double) { (self.plane, self.reliability) = (plane, reliability) }

  /// The hypotheses have dropped components below this probability, and their true odds are not known.
  private static let forgotten = 1e-6

  /// The Gaussians in world coordinates, with reflection images of those on the side whose probability is reduced; the
  /// sum of the weights stays.
  func withImages(_ gaussians: [PositionGaussian]) -> [PositionGaussian] {
    let upperProbability = plane.upperProbability(of: gaussians)
    let likelier = min(max(upperProbability, 1 - upperProbability), 1 - Self.forgotten)
    let tempered = 1 / (1 + pow(1 / likelier - 1, reliability))
    let imageProbability = 1 - tempered / likelier
    return plane.withImages(gaussians) { ($0 > 0) == (upperProbability > 0.5) ? imageProbability : 0 }
  }
}

/// Sums over a path's displacements at one lag: their scatter, and the drift of the path meanwhile.
private struct DisplacementStatistics {
  private(set) var count = 0.0
  /// Sum of their outer products, m^2.
  private(set) var scatter = Matrix3.zero
  /// Sum of the drift covariances, m^2.
  private(set) var lost = Matrix3.zero
  /// Sum of their outer products over the squared range, 1: the scatter of the line of sight.
  private(set) var angularScatter = Matrix3.zero

  /// Adds one displacement, metres; `lost` is the drift covariance over it, m^2, `range` the range measured after it,
  /// metres.
  mutating func add(_ step: Vector3, lost: Matrix3, range: Double) {
    count += 1
    let outer = Matrix3(outer: step, step)
    scatter += outer
    angularScatter += 1 / (range * range) * outer
    self.lost += lost
  }

  /// Unit normal of the plane that best explains the vertical part of the displacements by their horizontal part; the
  /// vertical where there are too few.
  var normal: Vector3 {
    let up = Vector3(0, 0, 1)
    guard let inverse = (scatter + 1e-9 * max(scatter.trace, 1e-9) * Matrix3.identity).inverse else { return up }
    return (inverse * up).normalized
  }

  /// Horizontal unit vector of least scatter: the normal of the best-fitting vertical plane.
  var sideways: Vector3 {
    let along = 0.5 * atan2(2 * scatter[0, 1], scatter[0, 0] - scatter[1, 1])
    return Vector3(-sin(along), cos(along), 0)
  }

  /// Mean square displacement along a unit vector, m^2.
  func spread(along normal: Vector3) -> Double { count > 0 ? max(scatter.form(normal, normal), 0) / count : 0 }

  /// Drift variance over mean square displacement, along a unit vector.
  func error(along normal: Vector3) -> Double {
    max(lost.form(normal, normal), 0) / max(scatter.form(normal, normal), 1e-300)
  }
}
