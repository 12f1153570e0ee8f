import Foundation
import Geometry
import SensorData

/// Components as Gaussians over the position in the world, four at a time.
extension GaussianSum {
  /// Component `i` as a Gaussian over the peer's position and the link's scale error.
  ///
  /// - Parameter seconds: since the newest range, for the prediction of a moving peer.
  package func gaussian(_ i: Int, weight: Double, after seconds: Double = 0) -> PositionGaussian {
    let steps = steps(after: seconds)
    return cells.withUnsafeBufferPointer { cells in
      let cell = cells.baseAddress! + (i / 8 * 2 + i % 2) * cellSize
      var four = PositionGaussian4()
      read(cell, into: &four, after: steps?.of(velocityModel, i / 8 * 8 + i % 2))
      return four.gaussian(i / 2 % 4, weight: weight, from: anchor)
    }
  }

  /// The components whose weights are above `least`, in the order of the cells.
  package func gaussians(weights: [Double], above least: Double, after seconds: Double) -> [PositionGaussian] {
    var gaussians: [PositionGaussian] = []
    gaussians.reserveCapacity(weights.reduce(0) { $0 + ($1 > least ? 1 : 0) })
    forEachFour(weights: weights, above: least, after: seconds) { four, _ in
      for lane in 0..<4 where four.weight[lane] > 0 {
        gaussians.append(four.gaussian(lane, weight: four.weight[lane], from: anchor))
      }
    }
    return gaussians
  }

  /// The same with the components of one lattice direction merged by their moments, in the order of the directions.
  package func gaussiansByLatticeDirection(
    weights: [Double], above least: Double, after seconds: Double
  ) -> [PositionGaussian] {
    var sums = MomentAccumulator(kinds: Int(latticeDirection.max() ?? -1) + 1)
    latticeDirection.withUnsafeBufferPointer { latticeDirection in
      forEachFour(weights: weights, above: least, after: seconds) { four, first in
        sums.add(four, kinds: latticeDirection.baseAddress! + first, stride: 2)
      }
    }
    return sums.gaussians(from: anchor)
  }

  /// Calls `body` for every cell with a weight above `least`, in order: its Gaussians with weights (zero for the
  /// others), and the index of its first component; the others follow in steps of two.
  @inline(__always)
  private func forEachFour(
    weights: [Double], above least: Double, after seconds: Double,
    _ body: (inout PositionGaussian4, Int) -> Void
  ) {
    var four = PositionGaussian4()
    let steps = steps(after: seconds)
    cells.withUnsafeBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        let first = cell / 2 * 8 + cell % 2
        var listed = Lanes.zero
        for lane in 0..<4 where first + 2 * lane < count {
          let weight = weights[first + 2 * lane]
          if weight > least { listed[lane] = weight }
        }
        guard listed != .zero else { continue }
        four.weight = listed
        read(cells.baseAddress! + cell * cellSize, into: &four, after: steps?.of(velocityModel, first))
        body(&four, first)
      }
    }
  }

  /// The steps since the newest range; nil where nothing moves.
  private func steps(after seconds: Double) -> StepLanes? {
    layout.isMoving && seconds > 0 ? StepLanes(velocityModels, seconds: seconds) : nil
  }

  /// A cell's components as Gaussians relative to the anchor, without weights: `E P E^T` with E = (J, reach) over
  /// (position, velocity).
  @inline(__always)
  private func read(
    _ cell: UnsafePointer<Lanes>, into four: inout PositionGaussian4, after step: StepLanes.Four?
  ) {
    let (p, x, frame) = (cell + covarianceOffset, cell + Self.scalarsOffset, LaneFrame(cell))
    let s = layout.scale
    four.position = frame.rho * frame.u
    // Rows of P J^T, then J (P J^T).
    let (a, b, c) = (
      frame.outward(LaneVector(p[0], p[1], p[3])), frame.outward(LaneVector(p[1], p[2], p[4])),
      frame.outward(LaneVector(p[3], p[4], p[5]))
    )
    four.rows = (
      frame.outward(LaneVector(a.x, b.x, c.x)), frame.outward(LaneVector(a.y, b.y, c.y)),
      frame.outward(LaneVector(a.z, b.z, c.z))
    )
    four.scale = x[s - 2]
    four.scaleCovariance = frame.outward(LaneVector(p + Self.triangle(s)))
    four.scaleVariance = p[Self.triangle(s) + s]
    if let step { carry(&four, by: step, cell, frame) }
  }

  /// Predicts moving peers.
  private func carry(
    _ four: inout PositionGaussian4, by step: StepLanes.Four, _ cell: UnsafePointer<Lanes>, _ frame: LaneFrame
  ) {
    let (p, s, v) = (cell + covarianceOffset, layout.scale, layout.velocity.lowerBound)
    let (reach, t0, t1, t2) = (
      step.reach, p + Self.triangle(v), p + Self.triangle(v + 1), p + Self.triangle(v + 2)
    )
    four.position = four.position + reach * LaneVector(cell + Self.scalarsOffset + v - 2)
    four.scaleCovariance = four.scaleCovariance + reach * LaneVector(t0[s], t1[s], t2[s])
    // Covariance of the position with each velocity component.
    let (d, e, f) = (frame.outward(LaneVector(t0)), frame.outward(LaneVector(t1)), frame.outward(LaneVector(t2)))
    let square = reach * reach
    func own(_ k: Int) -> LaneVector { LaneVector(repeating: Vector3(k == 0 ? 1 : 0, k == 1 ? 1 : 0, k == 2 ? 1 : 0)) }
    func add(_ row: inout LaneVector, _ k: Int, _ ahead: LaneVector, _ across: LaneVector, _ speeds: LaneVector) {
      row = row + reach * (ahead + across) + square * speeds + step.positionVariance.component(k) * own(k)
    }
    add(&four.rows.0, 0, d, LaneVector(d.x, e.x, f.x), LaneVector(t0[v], t1[v], t2[v]))
    add(&four.rows.1, 1, e, LaneVector(d.y, e.y, f.y), LaneVector(t1[v], t1[v + 1], t2[v + 1]))
    add(&four.rows.2, 2, f, LaneVector(d.z, e.z, f.z), LaneVector(t2[v], t2[v + 1], t2[v + 2]))
  }
}

extension GaussianSum {
  /// Adds a Gaussian as an LOS/NLOS pair: the inverse of `moments`.
  ///
  /// - Parameter part: its mean must not be at the anchor.
  package mutating func append(_ part: PeerFilter.Part, _ configuration: RangingConfiguration) {
    let (mean, p, losProbability) = (part.mean, part.covariance, part.losProbability)
    let n = layout.dimension
    let d = Vector3(mean[0], mean[1], mean[2]) - anchor
    let rho = max(d.norm, Self.nearest)
    let u = d.norm > 1e-9 ? d.normalized : Vector3(1, 0, 0)
    let (e1, e2) = u.tangentBasis
    let inverse = Matrix3(rows: e1 / rho, e2 / rho, u)
    let spherical = Self.carried(p, by: inverse, size: n)
    var scalars = Array(mean[2...])
    scalars[0] = rho
    let e = layout.nlosBias
    let wasNLOS = spherical[e * n + e] > 0
    for isNLOS in [false, true] {
      var (x, q) = (scalars, spherical)
      if !(isNLOS && wasNLOS) {
        // LOS has no NLOS bias; that of a future NLOS interval is independent of the other states.
        for k in 0..<n { (q[e * n + k], q[k * n + e]) = (0, 0) }
        x[e - 2] = isNLOS ? configuration.nlosMean : 0
        q[e * n + e] = isNLOS ? configuration.nlosSpread * configuration.nlosSpread : 0
      }
      append(
        MixtureComponent(
          logWeight: log(part.probability * max(isNLOS ? 1 - losProbability : losProbability, 1e-12)), direction: u,
          tangent: e1, noise: 0,
          scalars: x,
          covariance: q))
    }
  }

  /// `J P J^T` of a covariance P (`size` x `size`, row-major), where J acts on the first three states only.
  private static func carried(_ covariance: [Double], by jacobian: Matrix3, size n: Int) -> [Double] {
    var p = covariance
    for c in 0..<n {
      let v = jacobian * Vector3(p[c], p[n + c], p[2 * n + c])
      for r in 0..<3 { p[r * n + c] = v[r] }
    }
    for r in 0..<n {
      let v = jacobian * Vector3(p[r * n], p[r * n + 1], p[r * n + 2])
      for c in 0..<3 { p[r * n + c] = v[c] }
    }
    return p
  }
}

extension GaussianSum {
  /// Initialisation by a first range, direction unobserved: one pair for each noise candidate.
  ///
  /// - Parameters:
  ///   - statedNoise: total 1-sigma given by the recording, metres.
  ///   - knowledge: of the radio, used instead of that.
  ///   - velocity: model of a moving peer.
  init(
    rangeOnly first: PeerFilter.Range, _ configuration: RangingConfiguration, layout: LinkLayout, statedNoise: Double?,
    knowledge: LinkKnowledge? = nil, velocity: PeerVelocityModel? = nil
  ) {
    let candidates =
      knowledge?.noises.map { ($0.noise, log($0.probability)) }
      ?? configuration.noisePriors(stated: statedNoise, antennaCount: layout.antennaCount)
    self.init(anchor: first.antenna, layout: layout, noises: candidates.map(\.0))
    if let velocity { velocityModels = [velocity] }
    let prior = LinkPrior(
      configuration: configuration, layout: layout, speed: velocity?.speed, bias: knowledge?.bias)
    for (index, (noise, logPrior)) in candidates.enumerated() {
      for isNLOS in [false, true] {
        let half = prior.half(first, noise, isNLOS: isNLOS)
        append(
          MixtureComponent(
            logWeight: logPrior + half.logPrior, direction: Vector3(1, 0, 0), tangent: Vector3(0, 1, 0), noise: index,
            scalars: half.scalars, covariance: half.covariance))
      }
    }
  }

  /// Copies every pair into each direction of the lattice, times the prior of the height; only the distance may be known of the pairs.
  ///
  /// Each copy has the width of the lattice, 0.55 of the side of a square with a direction's part of the solid angle, and upwards what the prior
  /// leaves of it (`HeightPrior.product`).
  package func withDirections(over directions: [Vector3], _ heights: HeightPrior) -> GaussianSum {
    let width = 0.55 * (4 * Double.pi / Double(directions.count)).squareRoot()
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    result.velocityModels = velocityModels
    result.reserveCapacity(count * directions.count)
    var variances: [Double] = []
    for (latticeDirection, lattice) in directions.enumerated() {
      for i in 0..<count {
        let product = heights.product(elevation: asin(lattice.z), width: width, distance: rho(i))
        var (u, tangent) = (lattice, lattice.tangentBasis.0)
        Self.move(&u, &tangent, 0, product.shift)
        result.append(i, of: self, direction: u, tangent: tangent, latticeDirection: latticeDirection)
        result.logWeight[result.count - 1] += product.logWeight
        variances.append(product.variance)
      }
    }
    result.widen(sideways: width * width, upwards: variances)
    return result
  }

  /// Adds variances of the two tangent angles, radians^2: one for all, and one for each component.
  private mutating func widen(sideways: Double, upwards: [Double]) {
    for i in 0..<count {
      var component = self[i]
      component.covariance[0] += sideways
      component.covariance[dimension + 1] += upwards[i]
      self[i] = component
    }
  }

  /// All components as one pair with their moments; its NLOS component has zero weight.
  func merged(weights: [Double]) -> GaussianSum {
    var result = GaussianSum(anchor: anchor, layout: layout, noises: noises)
    result.velocityModels = velocityModels
    guard count > 0 else { return result }
    func weighted(_ i: Int) -> MixtureComponent {
      var hypothesis = self[i]
      hypothesis.logWeight = log(max(weights[i], 1e-300))
      return hypothesis
    }
    var one = (1..<count).reduce(weighted(0)) { $0.merged(with: weighted($1)) }
    one.logWeight = 0
    result.append(one)
    one.logWeight = -.infinity
    result.append(one)
    return result
  }
}

/// Accumulates the moments of Gaussians by kind, for one Gaussian per kind.
struct MomentAccumulator {
  /// Weighted sums of a kind: weight, position (3), lower triangle of covariance plus position squared (6), scale, its
  /// variance plus square, its covariance plus product with the position (3).
  private static let numbers = 15
  private var sums: [Double]

  init(kinds: Int) { sums = [Double](repeating: 0, count: Self.numbers * kinds) }

  /// Adds the Gaussians with a weight above 0, each to its kind.
  ///
  /// - Parameter kinds: of the first Gaussian; those of the others follow in steps of `stride`.
  @inline(__always)
  mutating func add(_ four: PositionGaussian4, kinds: UnsafePointer<Int32>, stride: Int) {
    let (w, x, s) = (four.weight, four.position, four.scale)
    let weighted = w * x
    withUnsafeTemporaryAllocation(of: Lanes.self, capacity: Self.numbers) { new in
      (new[0], new[1], new[2], new[3]) = (w, weighted.x, weighted.y, weighted.z)
      new[4] = w * four.rows.0.x + weighted.x * x.x
      new[5] = w * four.rows.1.x + weighted.y * x.x
      new[6] = w * four.rows.1.y + weighted.y * x.y
      new[7] = w * four.rows.2.x + weighted.z * x.x
      new[8] = w * four.rows.2.y + weighted.z * x.y
      new[9] = w * four.rows.2.z + weighted.z * x.z
      new[10] = w * s
      new[11] = w * (four.scaleVariance + s * s)
      new[12] = w * four.scaleCovariance.x + s * weighted.x
      new[13] = w * four.scaleCovariance.y + s * weighted.y
      new[14] = w * four.scaleCovariance.z + s * weighted.z
      let numbers = UnsafeRawPointer(new.baseAddress!).assumingMemoryBound(to: Double.self)
      sums.withUnsafeMutableBufferPointer { sums in
        for lane in 0..<4 where w[lane] > 0 {
          let own = sums.baseAddress! + Self.numbers * Int(kinds[stride * lane])
          for k in 0..<Self.numbers { own[k] += numbers[4 * k + lane] }
        }
      }
    }
  }

  /// One Gaussian per kind, relative to the world's origin, in order; kinds without weight are left out.
  ///
  /// - Parameter origin: origin of the accumulated positions, world, metres.
  func gaussians(from origin: Vector3) -> [PositionGaussian] {
    var gaussians: [PositionGaussian] = []
    gaussians.reserveCapacity(sums.count / Self.numbers)
    sums.withUnsafeBufferPointer { sums in
      for start in stride(from: 0, to: sums.count, by: Self.numbers) where sums[start] > 0 {
        let (s, k) = (sums.baseAddress! + start, 1 / sums[start])
        let (mean, scale) = (k * Vector3(s[1], s[2], s[3]), k * s[10])
        let squares = Matrix3(columns: Vector3(s[4], s[5], s[7]), Vector3(s[5], s[6], s[8]), Vector3(s[7], s[8], s[9]))
        var all = PositionGaussian(
          weight: s[0], position: origin + mean, covariance: squares * k - Matrix3(outer: mean, mean))
        all.scale = scale
        all.scaleVariance = k * s[11] - scale * scale
        all.scaleCovariance = k * Vector3(s[12], s[13], s[14]) - scale * mean
        gaussians.append(all)
      }
    }
    return gaussians
  }
}

/// One Gaussian of the posterior of a peer's position.
package struct PositionGaussian: Equatable, Sendable {
  /// Weight in the posterior, 0...1.
  package var weight: Double
  /// Position of the peer in the estimate's world, metres.
  package var position: Vector3
  /// Covariance of the position, m^2, relative to the device's current pose.
  package var covariance: Matrix3

  /// Scale error s of the link relative to the trajectory: a range is `(1 + s)` times the distance in the trajectory's
  /// world.
  package var scale = 0.0
  /// Covariance of the position with s, metres.
  package var scaleCovariance = Vector3.zero
  /// Variance of s.
  package var scaleVariance = 0.0

  package init(weight: Double, position: Vector3, covariance: Matrix3) {
    self.weight = weight
    self.position = position
    self.covariance = covariance
  }

  /// Merges another Gaussian by moments; nothing is changed if both weights are zero.
  package mutating func merge(_ other: PositionGaussian) {
    let sum = weight + other.weight
    guard sum > 0 else { return }
    let w = other.weight / sum
    let (offset, stretch) = (other.position - position, other.scale - scale)
    let mixed = w * (1 - w)
    covariance = (1 - w) * covariance + w * other.covariance + Matrix3(outer: mixed * offset, offset)
    scaleCovariance = (1 - w) * scaleCovariance + w * other.scaleCovariance + mixed * stretch * offset
    scaleVariance = (1 - w) * scaleVariance + w * other.scaleVariance + mixed * stretch * stretch
    position += w * offset
    scale += w * stretch
    weight = sum
  }
}

/// Nearly uniform directions on the sphere.
///
/// Source: Gonzalez, "Measurement of areas on a sphere using Fibonacci and latitude-longitude lattices",
/// Mathematical Geosciences 42, 2010, doi:10.1007/s11004-009-9257-x.
package enum FibonacciLattice {
  /// `count` unit vectors; each stands for a solid angle of `4 pi / count`.
  package static func directions(_ count: Int) -> [Vector3] {
    let golden = Double.pi * (3 - 5.0.squareRoot())
    return (0..<count).map { i in
      let z = 1 - (2 * Double(i) + 1) / Double(count)
      let r = (1 - z * z).squareRoot()
      let angle = golden * Double(i)
      return Vector3(r * cos(angle), r * sin(angle), z)
    }
  }
}

extension HeightPrior {
  /// The prior times a component of the lattice, moment-matched.
  ///
  /// Linear about the component's elevation e at the distance d: `h = d sin e + g v`, `g = d cos e`, with the angle upwards `v ~ N(0, w^2)`. With a
  /// storey N(m, sigma^2) the product has the weight `N(m; d sin e, S)`, `S = g^2 w^2 + sigma^2`, the mean `K (m - d sin e)`, `K = g w^2 / S`, and the
  /// variance `w^2 (1 - K g)`; any height leaves it alone. One Gaussian has the moments of these.
  ///
  /// - Parameters: `elevation` and `width` w in radians, `distance` in metres.
  /// - Returns: the logarithm of the weight, relative to a direction that may have any height; the shift upwards, radians; the variance, radians^2.
  fileprivate func product(elevation: Double, width: Double, distance: Double)
    -> (logWeight: Double, shift: Double, variance: Double)
  {
    let (height, slope, wide) = (distance * sin(elevation), distance * cos(elevation), width * width)
    var (sum, mean, square) = (anywhere, 0.0, anywhere * wide)
    for (storey, probability) in storeys where probability > 0 {
      let variance = slope * slope * wide + sigma * sigma
      let (gain, off) = (slope * wide / variance, storey - height)
      let weight = 2 * distance * probability * exp(-0.5 * off * off / variance) / (2 * .pi * variance).squareRoot()
      let shift = gain * off
      sum += weight
      mean += weight * shift
      square += weight * (shift * shift + wide * (1 - gain * slope))
    }
    guard sum > 0 else { return (-1e3, 0, wide) }
    mean /= sum
    return (log(sum / mass(distance: distance)), mean, square / sum - mean * mean)
  }
}
