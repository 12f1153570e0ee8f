import Foundation
import Geometry

/// The cells of an ideal observer: a lattice of azimuth, elevation and distance about the antenna position of the first
/// range.
///
/// All cells have the same size. Each represents its mid-point and stores the two bias means and the weight after all
/// ranges so far. Four cells make a lane group. A range updates every group once, in order, without allocating.
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
  let elevationPrior: Double
  /// Of one cell: azimuth and elevation in radians, distance in metres.
  private(set) var size: Vector3
  private(set) var count = 0
  /// The logarithm of the largest weight.
  private(set) var best = -Double.infinity
  private var groups: [LaneGroup] = []
  /// Steps of azimuth (from 0), elevation (from -90 degrees) and distance (from `nearest`) of each cell.
  private var steps: [SIMD3<Int32>] = []

  /// Every direction, and every distance in `distances`.
  ///
  /// - Parameters:
  ///   - angle: size of a cell in both angles, radians; pi over a whole number.
  ///   - distance: size of a cell in distance, metres.
  init(anchor: Vector3, distances: ClosedRange<Double>, angle: Double, distance: Double, elevationPrior: Double) {
    self.anchor = anchor
    self.elevationPrior = elevationPrior
    nearest = distances.lowerBound
    let depth = max(((distances.upperBound - nearest) / distance).rounded(.up), 1)
    size = Vector3(angle, angle, (distances.upperBound - nearest) / depth)
    let (around, upwards) = (Int((2 * .pi / angle).rounded()), Int((.pi / angle).rounded()))
    for a in 0..<around {
      for e in 0..<upwards { for d in 0..<Int(depth) { steps.append(SIMD3(Int32(a), Int32(e), Int32(d))) } }
    }
    rebuild(after: [])
  }

  /// Computes positions, weights and means of all cells from the first range.
  private mutating func rebuild(after ranges: [BiasFilter.Step]) {
    count = steps.count
    groups = [LaneGroup](repeating: LaneGroup(), count: (count + 3) / 4)
    func table(_ length: Int32, _ f: (Double) -> Double) -> [Double] { (0..<length).map { f(Double($0) + 0.5) } }
    let (around, upwards) = (Int32((2 * .pi / size.x).rounded()), Int32((.pi / size.y).rounded()))
    let cosines = table(around) { cos($0 * size.x) }
    let sines = table(around) { sin($0 * size.x) }
    let horizontal = table(upwards) { sin($0 * size.y) }
    let vertical = table(upwards) { -cos($0 * size.y) }
    let prior = table(upwards) { step in
      let elevation = (step * size.y - .pi / 2) / elevationPrior
      return log(sin(step * size.y)) - 0.5 * elevation * elevation
    }
    for (i, step) in steps.enumerated() {
      let (a, e, r) = (Int(step.x), Int(step.y), nearest + (Double(step.z) + 0.5) * size.z)
      groups[i / 4].x[i % 4] = anchor.x + r * horizontal[e] * cosines[a]
      groups[i / 4].y[i % 4] = anchor.y + r * horizontal[e] * sines[a]
      groups[i / 4].z[i % 4] = anchor.z + r * vertical[e]
      groups[i / 4].logWeight[i % 4] = prior[e]
    }
    // All ranges over 64 groups at a time, which stay in the cache.
    groups.withUnsafeMutableBufferPointer { groups in
      for start in stride(from: 0, to: groups.count, by: 64) {
        for range in ranges { for g in start..<min(start + 64, groups.count) { groups[g].advance(range) } }
      }
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
    groups.withUnsafeMutableBufferPointer { groups in
      for g in groups.indices { groups[g].advance(range) }
    }
    best = largestWeight
  }

  /// Number of cells with at least `exp(-drop)` of the largest weight.
  func count(within drop: Double) -> Int {
    var found = SIMD4<Int64>.zero
    for group in groups { found.replace(with: found &+ 1, where: group.logWeight .>= best - drop) }
    return Int(found.wrappedSum())
  }

  /// Up to `wanted` cells, evenly chosen among those with at least `exp(-drop)` of the largest weight.
  func sample(_ wanted: Int, within drop: Double) -> [Int] {
    let stride = max(count(within: drop) / wanted, 1)
    var (seen, chosen) = (0, [Int]())
    for g in groups.indices where any(groups[g].logWeight .>= best - drop) {
      for lane in 0..<4 where groups[g].logWeight[lane] >= best - drop {
        if seen % stride == stride / 2 { chosen.append(4 * g + lane) }
        seen += 1
      }
    }
    return chosen
  }

  /// Removes the cells below `exp(-drop)` of the largest weight.
  mutating func prune(below drop: Double) {
    let kept = count(within: drop)
    // Compacting costs more than keeping a few negligible cells.
    guard kept * 8 < count * 7 else { return }
    var to = 0
    for i in 0..<count where logWeight(i) >= best - drop {
      let (g, lane, h, other) = (to / 4, to % 4, i / 4, i % 4)
      groups[g].x[lane] = groups[h].x[other]
      groups[g].y[lane] = groups[h].y[other]
      groups[g].z[lane] = groups[h].z[other]
      groups[g].constant[lane] = groups[h].constant[other]
      groups[g].coloured[lane] = groups[h].coloured[other]
      groups[g].logWeight[lane] = groups[h].logWeight[other]
      steps[to] = steps[i]
      to += 1
    }
    count = to
    steps.removeLast(steps.count - to)
    groups.removeLast(groups.count - (to + 3) / 4)
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
}
