import Foundation
import Geometry
import SensorData

/// The cells of an ideal observer: a lattice of azimuth, elevation and distance about the antenna position of the first
/// range, or a sector of it.
///
/// All cells have the same size. Each represents its mid-point and stores the means of the errors and the weight after
/// all ranges so far. Four cells make a lane group. A range updates every group once, in order.
struct ObserverCells: Sendable {
  /// Four cells: positions (world, metres), bias means (metres), log weights.
  private struct LaneGroup: Sendable {
    var x = SIMD4<Double>.zero
    var y = SIMD4<Double>.zero
    var z = SIMD4<Double>.zero
    var constant = SIMD4<Double>.zero
    var coloured = SIMD4<Double>.zero
    var logWeight = SIMD4<Double>(repeating: -.infinity)

    /// The conditional filter of `BiasFilter` and Bayes' rule.
    @inline(__always)
    mutating func advance(_ step: BiasFilter.Step) {
      let (dx, dy, dz) = (x - step.antenna.x, y - step.antenna.y, z - step.antenna.z)
      let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
      let predicted = step.decay * coloured
      let innovation = step.range - distance - constant - predicted
      logWeight -= (0.5 * step.information) * innovation * innovation
      constant += step.constantGain * innovation
      coloured = predicted + step.colouredGain * innovation
    }
  }

  /// Antenna position of the first range, world, metres.
  let anchor: Vector3
  /// Least distance, metres.
  private let nearest: Double
  let heights: HeightPrior
  /// Of one cell: azimuth and elevation in radians, distance in metres.
  private(set) var size: Vector3
  private(set) var count = 0
  /// The logarithm of the largest weight.
  private(set) var best = -Double.infinity
  private var groups: [LaneGroup] = []
  /// Means of the normals of `PoseErrorBasis`, one list of all groups for each.
  private var normals: [[SIMD4<Double>]] = []
  /// Steps of azimuth (from 0), elevation (from -90 degrees) and distance (from `nearest`) of each cell.
  private var steps: [SIMD3<Int32>] = []

  /// Every direction or those of a sector, and every distance in `distances`.
  ///
  /// - Parameters:
  ///   - angle: size of a cell in both angles, radians; pi over a whole number.
  ///   - distance: size of a cell in distance, metres.
  ///   - sector: steps of azimuth and of elevation; nil: all.
  init(
    anchor: Vector3, distances: ClosedRange<Double>, angle: Double, distance: Double, heights: HeightPrior,
    sector: (azimuths: Range<Int>, elevations: Range<Int>)? = nil
  ) {
    self.anchor = anchor
    self.heights = heights
    nearest = distances.lowerBound
    let depth = max(((distances.upperBound - nearest) / distance).rounded(.up), 1)
    size = Vector3(angle, angle, (distances.upperBound - nearest) / depth)
    let (around, upwards) = (Int((2 * .pi / angle).rounded()), Int((.pi / angle).rounded()))
    for a in sector?.azimuths ?? 0..<around {
      for e in sector?.elevations ?? 0..<upwards {
        for d in 0..<Int(depth) { steps.append(SIMD3(Int32(a), Int32(e), Int32(d))) }
      }
    }
    rebuild(after: [])
  }

  /// Computes positions, weights and means of all cells from the first range.
  private mutating func rebuild(after ranges: [BiasFilter.Step]) {
    count = steps.count
    groups = [LaneGroup](repeating: LaneGroup(), count: (count + 3) / 4)
    var (first, last) = (steps.first ?? .zero, steps.first ?? .zero)
    for step in steps {
      first.replace(with: step, where: step .< first)
      last.replace(with: step, where: step .> last)
    }
    func table(_ axis: Int, _ f: (Double) -> Double) -> [Double] {
      (first[axis]...last[axis]).map { f(Double($0) + 0.5) }
    }
    let cosines = table(0) { cos($0 * size.x) }
    let sines = table(0) { sin($0 * size.x) }
    let horizontal = table(1) { sin($0 * size.y) }
    let vertical = table(1) { -cos($0 * size.y) }
    let depths = table(2) { nearest + $0 * size.z }
    let prior = (0..<horizontal.count * depths.count).map { k in
      let (e, r) = (k / depths.count, depths[k % depths.count])
      // Heights over a distance are uniform where directions are, so the density in height is the factor; a floor keeps its logarithm finite.
      return log(horizontal[e]) + log(max(2 * r * heights.density(r * vertical[e], distance: r), 1e-300))
    }
    for (i, step) in steps.enumerated() {
      let (a, e, d) = (Int(step.x - first.x), Int(step.y - first.y), Int(step.z - first.z))
      let r = depths[d]
      groups[i / 4].x[i % 4] = anchor.x + r * horizontal[e] * cosines[a]
      groups[i / 4].y[i % 4] = anchor.y + r * horizontal[e] * sines[a]
      groups[i / 4].z[i % 4] = anchor.z + r * vertical[e]
      groups[i / 4].logWeight[i % 4] = prior[e * depths.count + d]
    }
    normals = []
    addNormals(ranges.last?.features.count ?? 0)
    // All ranges over 64 groups at a time, which stay in the cache.
    for start in stride(from: 0, to: groups.count, by: 64) {
      for range in ranges { advance(range, start..<min(start + 64, groups.count)) }
    }
    best = largestWeight
  }

  private var largestWeight: Double {
    var largest = SIMD4<Double>(repeating: -.infinity)
    for group in groups { largest.replace(with: group.logWeight, where: group.logWeight .> largest) }
    return largest.max()
  }

  /// Bayes' rule for a range at every cell.
  mutating func advance(_ range: BiasFilter.Step) {
    addNormals(range.features.count)
    advance(range, groups.indices)
    best = largestWeight
  }

  private mutating func addNormals(_ count: Int) {
    while normals.count < count { normals.append([SIMD4<Double>](repeating: .zero, count: groups.count)) }
  }

  private mutating func advance(_ range: BiasFilter.Step, _ part: Range<Int>) {
    guard range.features.isEmpty, range.excess == nil else { return advanceBound(range, part) }
    groups.withUnsafeMutableBufferPointer { groups in for g in part { groups[g].advance(range) } }
  }

  /// The same with errors bound to the pose and a known excess.
  private mutating func advanceBound(_ range: BiasFilter.Step, _ part: Range<Int>) {
    var innovations = groups[part].map { group in
      let (dx, dy, dz) = (group.x - range.antenna.x, group.y - range.antenna.y, group.z - range.antenna.z)
      let distance = (dx * dx + dy * dy + dz * dz).squareRoot()
      var innovation = range.range - distance - group.constant - range.decay * group.coloured
      if let excess = range.excess {
        for lane in 0..<4 { innovation[lane] -= excess(Vector3(dx[lane], dy[lane], dz[lane])) }
      }
      return innovation
    }
    for (j, feature) in range.features.enumerated() {
      normals[j].withUnsafeBufferPointer { means in
        for g in part { innovations[g - part.lowerBound] -= feature * means[g] }
      }
    }
    groups.withUnsafeMutableBufferPointer { groups in
      for g in part {
        let innovation = innovations[g - part.lowerBound]
        groups[g].logWeight -= (0.5 * range.information) * innovation * innovation + range.penalty
        groups[g].constant += range.constantGain * innovation
        groups[g].coloured = range.decay * groups[g].coloured + range.colouredGain * innovation
      }
    }
    for (j, gain) in range.featureGains.enumerated() {
      normals[j].withUnsafeMutableBufferPointer { means in
        for g in part { means[g] += gain * innovations[g - part.lowerBound] }
      }
    }
  }

  /// Number of cells with at least this log weight.
  func count(above floor: Double) -> Int {
    var found = SIMD4<Int64>.zero
    for group in groups { found.replace(with: found &+ 1, where: group.logWeight .>= floor) }
    return Int(found.wrappedSum())
  }

  /// Every `stride`th cell of those with at least this log weight; `seen` counts them over several lattices.
  func sample(every stride: Int, above floor: Double, seen: inout Int) -> [Int] {
    var chosen: [Int] = []
    for g in groups.indices where any(groups[g].logWeight .>= floor) {
      for lane in 0..<4 where groups[g].logWeight[lane] >= floor {
        if seen % stride == stride / 2 { chosen.append(4 * g + lane) }
        seen += 1
      }
    }
    return chosen
  }

  /// Removes the cells below a log weight.
  mutating func prune(below floor: Double) {
    let kept = count(above: floor)
    // Compacting costs more than keeping a few negligible cells.
    guard kept * 8 < count * 7 else { return }
    var to = 0
    for i in 0..<count where logWeight(i) >= floor {
      let (g, lane, h, other) = (to / 4, to % 4, i / 4, i % 4)
      groups[g].x[lane] = groups[h].x[other]
      groups[g].y[lane] = groups[h].y[other]
      groups[g].z[lane] = groups[h].z[other]
      groups[g].constant[lane] = groups[h].constant[other]
      groups[g].coloured[lane] = groups[h].coloured[other]
      groups[g].logWeight[lane] = groups[h].logWeight[other]
      for j in normals.indices { normals[j][g][lane] = normals[j][h][other] }
      steps[to] = steps[i]
      to += 1
    }
    count = to
    steps.removeLast(steps.count - to)
    let spare = groups.count - (to + 3) / 4
    groups.removeLast(spare)
    for j in normals.indices { normals[j].removeLast(spare) }
    guard to > 0 else { return }
    for lane in (to - 1) % 4 + 1..<4 { groups[groups.count - 1].logWeight[lane] = -.infinity }
  }

  /// Divides every cell by `parts` (1 or 2) along each axis; the new cells process all `ranges` from the first.
  mutating func split(into parts: SIMD3<Int32>, after ranges: [BiasFilter.Step]) {
    size /= Vector3(parts)
    var finer: [SIMD3<Int32>] = []
    finer.reserveCapacity(steps.count * Int(parts.x * parts.y * parts.z))
    for step in steps {
      for a in 0..<parts.x {
        for e in 0..<parts.y { for d in 0..<parts.z { finer.append(step &* parts &+ SIMD3(a, e, d)) } }
      }
    }
    steps = finer
    rebuild(after: ranges)
  }

  func logWeight(_ i: Int) -> Double { groups[i / 4].logWeight[i % 4] }
  func position(_ i: Int) -> Vector3 {
    let (g, lane) = (i / 4, i % 4)
    return Vector3(groups[g].x[lane], groups[g].y[lane], groups[g].z[lane])
  }

  /// Change of the position over one cell along azimuth, elevation and distance, metres: the columns.
  @inline(__always)
  static func edges(at position: Vector3, from anchor: Vector3, size: Vector3) -> Matrix3 {
    let d = position - anchor
    let level = max(d.horizontalNorm, 1e-12)
    return Matrix3(
      columns: size.x * Vector3(-d.y, d.x, 0), size.y * Vector3(-d.z * d.x / level, -d.z * d.y / level, level),
      size.z / max(d.norm, 1e-12) * d)
  }

  /// Square of a cell's width over the posterior's conditional 1-sigma along each axis.
  ///
  /// `width^2 J_jj` with J the Gauss-Newton information of all `ranges`, the errors eliminated: the derivative of the
  /// range, or its change over the cell where its excess is known, passes through the same filter as the range itself.
  func information(at i: Int, _ ranges: [BiasFilter.Step]) -> Vector3 {
    let position = position(i)
    let edges = Self.edges(at: position, from: anchor, size: size)
    var (constant, coloured) = (Vector3.zero, Vector3.zero)
    var normals = [Vector3](repeating: .zero, count: ranges.last?.features.count ?? 0)
    let prior = edges.c1.z / heights.sigma
    var information = Vector3(0, prior * prior, 0)
    for range in ranges {
      let line = (position - range.antenna).normalized
      coloured *= range.decay
      var change = Vector3(line.dot(edges.c0), line.dot(edges.c1), line.dot(edges.c2))
      if let excess = range.excess {
        let toPeer = position - range.antenna
        func changed(along edge: Vector3) -> Double { excess(toPeer + 0.5 * edge) - excess(toPeer - 0.5 * edge) }
        change += Vector3(changed(along: edges.c0), changed(along: edges.c1), changed(along: edges.c2))
      }
      var innovation = change - constant - coloured
      for (j, feature) in range.features.enumerated() { innovation -= feature * normals[j] }
      information += range.information * innovation * innovation
      constant += range.constantGain * innovation
      coloured += range.colouredGain * innovation
      for (j, gain) in range.featureGains.enumerated() { normals[j] += gain * innovation }
    }
    return information
  }
}

/// A cell of the ideal observer's posterior.
struct WeightedCell {
  /// Its mid-point, world, metres.
  var position: Vector3
  /// Its weight, 0...1; all sum to 1.
  var weight: Double
  /// Its three edges in the world, metres: the columns.
  var edges: Matrix3

  /// Change over the cell of a function of the position with this gradient: the width of its box.
  @inline(__always)
  func width(along gradient: Vector3) -> Double {
    Vector3(gradient.dot(edges.c0), gradient.dot(edges.c1), gradient.dot(edges.c2)).norm
  }
}

/// The marginal posterior of an angle about its circular mean, as a sum of boxes: one per cell, as wide as the cell.
struct CellMarginal {
  /// Offsets from the mean in (-pi, pi] and widths, radians, and weights, which sum to 1.
  private let boxes: [SIMD3<Double>]

  /// A marginal; widths are limited to pi, and the part of a box beyond +-pi is wrapped to the other side.
  init(_ input: [SIMD3<Double>]) {
    var boxes: [SIMD3<Double>] = []
    boxes.reserveCapacity(input.count + input.count / 8)
    for box in input {
      let width = min(max(box.y, 1e-12), .pi)
      let over = abs(box.x) + 0.5 * width - .pi
      if over > 0 {
        let (side, inside) = (box.x < 0 ? -1.0 : 1.0, width - over)
        boxes.append(SIMD3(side * (.pi - 0.5 * inside), inside, box.z * inside / width))
        boxes.append(SIMD3(-side * (.pi - 0.5 * over), over, box.z * over / width))
      } else {
        boxes.append(SIMD3(box.x, width, box.z))
      }
    }
    self.boxes = boxes
  }

  /// Probability below `offset` radians from the mean, 0...1.
  func probability(below offset: Double) -> Double {
    var probability = 0.0
    for box in boxes { probability += box.z * min(max((offset - box.x) / box.y + 0.5, 0), 1) }
    return probability
  }

  /// Probability more than `halfWidth` radians from the mean, 0...1.
  func probability(beyond halfWidth: Double) -> Double {
    probability(below: -halfWidth) + 1 - probability(below: halfWidth)
  }

  /// The quantile `p` of the offset from the mean, radians, to within 1e-6.
  ///
  /// Newton's method inside a shrinking bracket: a few passes over the boxes.
  func quantile(_ p: Double) -> Double {
    var (low, high) = (-Double.pi, Double.pi)
    var x = min(deviation, 1.9) * (p < 0.5 ? -1.6 : 1.6)
    for _ in 0..<60 {
      var (missing, density) = (p, 0.0)
      for box in boxes {
        let part = (x - box.x) / box.y + 0.5
        missing -= box.z * min(max(part, 0), 1)
        density += part > 0 && part < 1 ? box.z / box.y : 0
      }
      if missing > 0 { low = x } else { high = x }
      let newton = x + missing / density
      let next = newton > low && newton < high ? newton : 0.5 * (low + high)
      if abs(next - x) < 1e-6 { return next }
      x = next
    }
    return x
  }

  /// 1-sigma about the mean, radians.
  var deviation: Double { boxes.reduce(0) { $0 + $1.z * $1.x * $1.x }.squareRoot() }
}
