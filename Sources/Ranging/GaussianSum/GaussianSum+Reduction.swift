internal import CGaussianSum
import Foundation
import Geometry

extension GaussianSum {
  /// Splits pairs in which the range's curvature is too large for one Gaussian into three narrower ones each.
  ///
  /// A third of the width has a ninth of the curvature. The weights and the width of the parts (0.2252, 0.5495, 0.2252;
  /// 0.6716 sigma) are from DeMars, Bishop and Jah, JGCD 36(4), 2013, doi:10.2514/1.58987. Their offsets (1.0575 sigma)
  /// fit the density best but lose 4.5 % of the variance at each split. The offsets used here keep the mean and the
  /// covariance. The split is along the tangent with the larger curvature.
  ///
  /// - Parameter limit: of the number of components. If not all have room, those with the largest squared curvature
  ///   times weight are split first.
  package mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    var tooCurved = self.tooCurved(antenna: antenna)
    let room = max(limit - count, 0) / 4
    if tooCurved.count > room {
      tooCurved.sort { ($1.logPriority, $0.pair) < ($0.logPriority, $1.pair) }
      tooCurved.removeLast(tooCurved.count - room)
    }
    for (pair, axis, _) in tooCurved {
      // A part is a pair again: each component is split along its own regression on the axis.
      let parts = [self[pair], self[pair + 1]].map { split($0, axis: axis) }
      for side in 1...2 { for half in parts { append(half[side]) } }
      for half in 0..<2 { self[pair + half] = parts[half][0] }
    }
  }

  /// The pairs that are too wide, in order: the axis of the larger curvature, and the priority (a logarithm).
  private func tooCurved(antenna: Vector3) -> [(pair: Int, axis: Int, logPriority: Double)] {
    let best = logWeight.max() ?? 0
    let curvatures = curvatures(antenna: antenna)
    return stride(from: 0, to: count, by: 2).compactMap { pair in
      let heavier = logWeight[pair] >= logWeight[pair + 1] ? pair : pair + 1
      let curvature = curvatures[heavier]
      let sigmas = curvature.max() / noises[Int(noise[heavier])].white
      let tolerated = logWeight[heavier] > best - Self.likelyLogOdds ? Self.curvatureLimit : Self.coarseCurvatureLimit
      guard sigmas > tolerated else { return nil }
      return (pair, curvature.x >= curvature.y ? 0 : 1, logWeight[heavier] + 2 * log(sigmas))
    }
  }

  /// A component is split where the curvature over its width is more than this many 1-sigmas of its white noise. The
  /// errors of single ranges accumulate: with 0.3, intervals on a straight walk were a quarter wider than need be.
  private static let curvatureLimit = 0.1
  /// The same for components less likely than the best by `likelyLogOdds`: most of them will be pruned, and this saves
  /// a third of the work.
  private static let coarseCurvatureLimit = 0.3
  /// Log odds against the best component.
  private static let likelyLogOdds = 4.0

  /// Width of the parts and weight of the outer two, and the offset that keeps the variance: `2 w offset^2 + width^2 =
  /// 1`.
  private static let width = 0.6716
  private static let outerWeight = 0.22525
  private static let offset = ((1 - width * width) / (2 * outerWeight)).squareRoot()

  /// The middle part of a component, and the two beside it.
  private func split(_ whole: MixtureComponent, axis: Int) -> [MixtureComponent] {
    let n = dimension
    // Regression of the state on the axis, per sigma of it.
    let sigma = max(whole.covariance[axis * (n + 1)], 1e-12).squareRoot()
    let column = (0..<n).map { whole.covariance[$0 * n + axis] / sigma }
    var part = whole
    let shrink = 1 - Self.width * Self.width
    for r in 0..<n { for c in 0..<n { part.covariance[r * n + c] -= shrink * column[r] * column[c] } }
    var (middle, sides) = (part, [part, part])
    middle.logWeight += log(1 - 2 * Self.outerWeight)
    for (k, offset) in [-Self.offset, Self.offset].enumerated() {
      sides[k].logWeight += log(Self.outerWeight)
      sides[k].move(by: column.map { offset * $0 })
    }
    return [middle] + sides
  }

  /// Curvature of the range over each component's width along its two tangents, seen from `antenna`, metres.
  package func curvatures(antenna: Vector3) -> [SIMD2<Double>] {
    let from = anchor - antenna
    var curvatures = [SIMD2<Double>](repeating: .zero, count: count)
    curvatures.withUnsafeMutableBytes { curvatures in
      let numbers = curvatures.baseAddress?.assumingMemoryBound(to: Double.self)
      reading { set, _ in fuse_gaussian_sum_curvatures(set, [from.x, from.y, from.z], numbers) }
    }
    return curvatures
  }
}

extension GaussianSum {
  /// Normalises the log weights to a maximum of 0.
  mutating func relateWeightsToBest() {
    logWeight.withUnsafeMutableBufferPointer { weights in
      guard let best = weights.max() else { return }
      for i in weights.indices { weights[i] -= best }
    }
  }

  /// Drops the pairs of which neither component has a log weight of at least `floor`.
  mutating func dropPairs(below floor: Double) {
    let kept = logWeight.withUnsafeBufferPointer { weights in
      (0..<(weights.count / 2)).map { max(weights[2 * $0], weights[2 * $0 + 1]) >= floor }
    }
    if kept.contains(false) { filter { kept[$0 / 2] } }
  }

  /// Position of a pair's heavier component, for comparisons.
  private struct PairMean {
    let pair: Int
    let logWeight: Double
    let velocityModel: Int32
    let direction, tangent: Vector3
    let rho: Double
    /// Variances along the two tangents, rad^2, and the distance, m^2.
    let spread: Vector3
  }

  /// Merges pairs under one noise candidate and one velocity model whose means differ by less than a fraction of both standard deviations.
  ///
  /// Neighbours of the lattice converge where the posterior is narrower than the lattice. A merged pair keeps the
  /// moments of both. Separate modes, such as a reflection image, are never merged. Only pairs that are close along one
  /// axis are compared: O(pairs log(pairs)) for narrow components, O(pairs^2) otherwise.
  mutating func mergeDuplicates(noise candidate: Int) {
    let group = (0..<(count / 2)).filter { noise[2 * $0] == candidate }.map(mean)
    // Indices are sorted, because a `PairMean` is large.
    let ranks = group.indices.sorted { (group[$1].logWeight, $0) < (group[$0].logWeight, $1) }
    let order = ranks.map { group[$0] }
    let index = DirectionIndex(order.map(\.direction))
    var isRemoved = [Bool](repeating: false, count: count / 2)
    var isUnchanged = true
    var same: [Int] = []
    for (rank, a) in order.enumerated() where !isRemoved[a.pair] {
      let sine = (Self.near * (a.spread.x + a.spread.y)).squareRoot()
      same.removeAll(keepingCapacity: true)
      for later in index.candidates(near: rank, sine: sine)
      where later > rank && !isRemoved[order[later].pair] && Self.coincide(a, order[later]) { same.append(later) }
      same.sort()
      for b in same.map({ order[$0] }) {
        for half in 0..<2 { self[2 * a.pair + half] = self[2 * a.pair + half].merged(with: self[2 * b.pair + half]) }
        isRemoved[b.pair] = true
        isUnchanged = false
      }
    }
    if !isUnchanged { filter { !isRemoved[$0 / 2] } }
  }

  private func mean(ofPair pair: Int) -> PairMean {
    let i = logWeight[2 * pair] >= logWeight[2 * pair + 1] ? 2 * pair : 2 * pair + 1
    let start = 4 * covarianceOffset
    return PairMean(
      pair: pair, logWeight: logWeight[i], velocityModel: velocityModel[i], direction: direction(i),
      tangent: tangent(i), rho: rho(i),
      spread: withNumbers(of: i) { Vector3($0[start], $0[start + 8], $0[start + 20]) })
  }

  /// True when two means differ by less than 0.3 sigma of either along every axis.
  @inline(__always)
  private static func coincide(_ a: PairMean, _ b: PairMean) -> Bool {
    let x = b.direction.dot(a.tangent)
    guard a.velocityModel == b.velocityModel, x * x < near * min(a.spread.x, b.spread.x) else { return false }
    let y = b.direction.dot(a.direction.cross(a.tangent))
    guard y * y < near * min(a.spread.y, b.spread.y), b.direction.dot(a.direction) > 0 else { return false }
    let z = b.rho - a.rho
    return z * z < near * min(a.spread.z, b.spread.z)
  }
  private static let near = 0.3 * 0.3
}

/// Moment matching of the mixture.
extension GaussianSum {
  /// Mean and covariance of the mixture over (t, biases as in `layout`), t in the estimate's world, metres: `dimension`
  /// numbers, and that squared, row-major.
  ///
  /// - Parameter weights: one per component, summing to 1. O(components x dimension^2), four at a time.
  package func moments(weights: [Double]) -> (mean: [Double], covariance: [Double]) {
    let n = dimension
    var state = [Lanes](repeating: .zero, count: n)
    var sums = state
    forEachWeighted(weights) { cell, weight in
      readState(cell, into: &state)
      for k in 0..<n { sums[k] += state[k].weighted(weight) }
    }
    let mean = sums.map { $0.sum() }
    var squares = [Lanes](repeating: .zero, count: Self.triangle(n))
    forEachWeighted(weights) { cell, weight in
      readState(cell, into: &state)
      for k in 0..<n { state[k] -= mean[k] }
      addSquares(cell, weight, state, to: &squares)
    }
    var covariance = [Double](repeating: 0, count: n * n)
    for r in 0..<n {
      for c in 0...r {
        let value = squares[Self.triangle(r) + c].sum()
        (covariance[r * n + c], covariance[c * n + r]) = (value, value)
      }
    }
    return (mean, covariance)
  }

  /// Adds `w (J P J^T + x x^T)` of a cell, lower triangle, where J maps tangent coordinates into the world.
  @inline(__always)
  private func addSquares(_ cell: UnsafePointer<Lanes>, _ weight: Lanes, _ x: [Lanes], to sums: inout [Lanes]) {
    let (p, frame) = (cell + covarianceOffset, LaneFrame(cell))
    // Rows of P J^T, then columns of J (P J^T).
    let rows = (
      frame.outward(LaneVector(p[0], p[1], p[3])), frame.outward(LaneVector(p[1], p[2], p[4])),
      frame.outward(LaneVector(p[3], p[4], p[5]))
    )
    let x0 = frame.outward(LaneVector(rows.0.x, rows.1.x, rows.2.x))
    let x1 = frame.outward(LaneVector(rows.0.y, rows.1.y, rows.2.y))
    let x2 = frame.outward(LaneVector(rows.0.z, rows.1.z, rows.2.z))
    sums[0] += (x0.x + x[0] * x[0]).weighted(weight)
    sums[1] += (x0.y + x[1] * x[0]).weighted(weight)
    sums[2] += (x1.y + x[1] * x[1]).weighted(weight)
    sums[3] += (x0.z + x[2] * x[0]).weighted(weight)
    sums[4] += (x1.z + x[2] * x[1]).weighted(weight)
    sums[5] += (x2.z + x[2] * x[2]).weighted(weight)
    for r in 3..<dimension {
      let start = Self.triangle(r)
      let cross = frame.outward(LaneVector(p + start))
      sums[start] += (cross.x + x[r] * x[0]).weighted(weight)
      sums[start + 1] += (cross.y + x[r] * x[1]).weighted(weight)
      sums[start + 2] += (cross.z + x[r] * x[2]).weighted(weight)
      for c in 3...r { sums[start + c] += (p[start + c] + x[r] * x[c]).weighted(weight) }
    }
  }

  /// Means of a cell over (t, biases).
  @inline(__always)
  private func readState(_ cell: UnsafePointer<Lanes>, into state: inout [Lanes]) {
    let position = LaneVector(repeating: anchor) + cell[Self.scalarsOffset] * LaneVector(cell)
    (state[0], state[1], state[2]) = (position.x, position.y, position.z)
    for k in 3..<dimension { state[k] = cell[Self.scalarsOffset + k - 2] }
  }

  /// Calls `body` for every cell with a nonzero weight, in order, with its weights.
  @inline(__always)
  private func forEachWeighted(_ weights: [Double], _ body: (UnsafePointer<Lanes>, Lanes) -> Void) {
    cells.withUnsafeBufferPointer { cells in
      for cell in 0..<(2 * groups) {
        var four = Lanes.zero
        let first = cell / 2 * 8 + cell % 2
        for lane in 0..<4 where first + 2 * lane < count { four[lane] = weights[first + 2 * lane] }
        if four != .zero { body(cells.baseAddress! + cell * cellSize, four) }
      }
    }
  }
}

extension Lanes {
  /// Product with a weight, zero where the weight is zero: unused lanes of a cell hold arbitrary values.
  @inline(__always)
  fileprivate func weighted(_ weight: Lanes) -> Lanes { (weight * self).replacing(with: 0, where: weight .== 0) }
}

/// What an update does not tell some noise candidates.
extension GaussianSum {
  /// Puts the components of some noise candidates back to what they were before an update, and keeps these candidates'
  /// probability.
  ///
  /// For a candidate m that learns nothing from a range, `p(z | i, m)` is the same for all its components i, and its
  /// evidence is that of the others together: `p(m | z) = p(m)`.
  ///
  /// - Parameters:
  ///   - candidates: whether each noise candidate is put back.
  ///   - before: the same components before the update; weights normalised up to a common factor.
  /// - Returns: log density of the range under the others, 1/m; nil where there are none.
  @discardableResult
  package mutating func restore(_ candidates: [Bool], from before: GaussianSum) -> Double? {
    guard before.count == count, let peakBefore = before.logWeight.max(), let peak = logWeight.max(), peak.isFinite
    else {
      return nil
    }
    var (kept, all, others) = (0.0, 0.0, 0.0)
    for i in 0..<count {
      let weight = exp(before.logWeight[i] - peakBefore)
      all += weight
      if candidates[Int(noise[i])] { kept += weight } else { others += exp(logWeight[i] - peak) }
    }
    guard kept > 0 else { return nil }
    // In units of the weights before the update, in which all of them sum up to `all`.
    let rescaling = others > 0 && all > kept ? log((all - kept) / others) : 0
    for i in 0..<count {
      if candidates[Int(noise[i])] {
        copyNumbers(of: i, from: before)
        logWeight[i] = before.logWeight[i] - peakBefore
      } else {
        logWeight[i] += rescaling - peak
      }
    }
    for k in noises.indices where candidates[k] { noises[k] = before.noises[k] }
    return others > 0 && all > kept ? log(others / (all - kept)) + peak - peakBefore : nil
  }
}

/// Unit vectors sorted along the axis of their largest variance, for neighbour queries that test few candidates.
package struct DirectionIndex {
  /// Coordinates along the axis in ascending order, and the index of each one's vector.
  private let coordinates: [Double]
  private let owners: [Int]
  /// Rank of each vector in that order.
  private let ranks: [Int]

  /// O(n log n).
  package init(_ directions: [Vector3]) {
    let mean = directions.reduce(Vector3.zero, +) / Double(max(directions.count, 1))
    let spread = directions.reduce(Vector3.zero) { $0 + ($1 - mean) * ($1 - mean) }
    let axis = (0..<3).max { spread[$0] < spread[$1] }!
    owners = directions.indices.sorted { (directions[$0][axis], $0) < (directions[$1][axis], $1) }
    coordinates = owners.map { directions[$0][axis] }
    var ranks = owners
    for (rank, owner) in owners.enumerated() { ranks[owner] = rank }
    self.ranks = ranks
  }

  /// All vectors within an angle of vector `i`, and some beyond it, in unspecified order. O(result).
  ///
  /// - Parameter sine: sine of the angle, at most a right angle; from 1 on the angle is a right one.
  package func candidates(near i: Int, sine: Double) -> ArraySlice<Int> {
    // The chord of the angle bounds the difference along any axis.
    let chord = (2 * (1 - max(1 - sine * sine, 0).squareRoot())).squareRoot() + 1e-9
    var (first, end) = (ranks[i], ranks[i] + 1)
    let own = coordinates[first]
    while first > 0, own - coordinates[first - 1] <= chord { first -= 1 }
    while end < coordinates.count, coordinates[end] - own <= chord { end += 1 }
    return owners[first..<end]
  }
}
