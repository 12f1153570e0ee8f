import Foundation
import Geometry

/// The exact Bayes posterior of a stationary peer's position, given the true path: the reference for every
/// approximation.
///
/// Given a position, the errors of `RangeErrorModel` are linear and Gaussian, and their Kalman filter has the same gain
/// at every position: a lattice cell stores means and a weight only, and a range costs a few nanoseconds per cell and
/// mean. An antenna's pattern makes the gains depend on the direction; there every sector of 8 degrees has a filter.
/// The prior is flat over directions but for the prior of the height, and flat in the distance from the antenna position of
/// the first range.
///
/// Exact means as fine as the posterior requires. J is the information of all ranges about a cell's position. A cell is
/// at most two thirds of `J_jj^(-1/2)` wide in either angle and twice that in distance. The error of sums over such a
/// lattice is far below that of anything compared with them. Wider cells are halved, and the new ones process all
/// ranges from the first: nothing is interpolated. See docs/ideal-observer.md.
package struct IdealObserver: Sendable {
  /// Cells below e^-20 of the best, 6.3 sigma, are pruned.
  private static let reach = 40.0.squareRoot()
  /// No cell is halved below this: radians, radians, metres.
  private static let smallest = Vector3(2e-5, 2e-5, 1e-4)
  /// Largest accepted range, metres.
  private static let farthest = 1e6

  /// Steps of the first lattice, in either angle, that share one covariance of an antenna's pattern.
  private static let sectorSteps = 2

  /// Cells with the filter that is common to them: all, or those of a sector of the directions where an antenna's pattern
  /// makes the covariance of the ranges depend on it.
  private struct Sector: Sendable {
    var filter: BiasFilter
    var ranges: [BiasFilter.Step] = []
    var cells: ObserverCells
  }

  /// Excess of a range that is known for a given attitude of the device, as a function of the vector from the antenna to
  /// the peer, world axes; metres, at least 0.
  package typealias Excess = @Sendable (Rotation) -> @Sendable (Vector3) -> Double

  /// Error model of the ranges.
  package let model: RangeErrorModel
  /// Updates ignored: range or position not finite, range negative, or either over 1000 km.
  package private(set) var ignored = 0
  /// False when a limit kept cells wider than the posterior requires.
  package private(set) var isResolved = true

  private let excess: Excess?
  private let cellsPerSigma: Double
  private let limit: Int
  private var sectors: [Sector] = []

  /// An observer before the first range.
  ///
  /// - Parameters:
  ///   - excess: what ranges are known to be too long by, such as the shadow of a body; nil: nothing.
  ///   - cellsPerSigma: least resolution of the lattice; half of it in distance, of which only means are taken.
  ///   - limit: largest number of cells; the first range alone needs about 40 000.
  package init(_ model: RangeErrorModel, excess: Excess? = nil, cellsPerSigma: Double = 1.5, limit: Int = 400_000) {
    self.model = model
    self.excess = excess
    self.cellsPerSigma = cellsPerSigma
    self.limit = limit
  }

  /// How many cells there are now.
  package var count: Int { sectors.reduce(0) { $0 + $1.cells.count } }
  /// Size of a cell: azimuth and elevation in radians, distance in metres, as seen from the antenna position of the
  /// first range.
  package var cellSize: Vector3? { sectors.first?.cells.size }

  private var best: Double { sectors.reduce(-.infinity) { max($0, $1.cells.best) } }

  /// The cells with normalised weights; nil before the first range.
  var posterior: [WeightedCell]? {
    guard !sectors.isEmpty else { return nil }
    let best = best
    var total = 0.0
    var result: [WeightedCell] = []
    result.reserveCapacity(count)
    for cells in sectors.map(\.cells) {
      for i in 0..<cells.count {
        let (position, weight) = (cells.position(i), exp(cells.logWeight(i) - best))
        total += weight
        result.append(
          WeightedCell(
            position: position, weight: weight,
            edges: ObserverCells.edges(at: position, from: cells.anchor, size: cells.size)))
      }
    }
    for i in result.indices { result[i].weight /= total }
    return result
  }

  /// Mean of a function of the position (world, metres) over the posterior; nil before the first range.
  package func mean(of f: (Vector3) -> Double) -> Double? {
    posterior?.reduce(0) { $0 + $1.weight * f($1.position) }
  }

  /// Bayes' rule for a range.
  ///
  /// - Parameters:
  ///   - range: metres.
  ///   - antenna: antenna position, world, metres.
  ///   - worldFromDevice: attitude of the device; it matters to errors that are bound to it.
  ///   - antennaID: which of several antennas.
  ///   - seconds: since the previous range; unused for the first one, negative counts as 0.
  package mutating func update(
    range: Double, antenna: Vector3, worldFromDevice: Rotation = .identity, antennaID: String? = nil,
    after seconds: Double
  ) {
    guard range >= 0, range <= Self.farthest, antenna.norm <= Self.farthest, !seconds.isNaN else {
      ignored += 1
      return
    }
    let pose = RangingPose(antenna: antenna, worldFromDevice: worldFromDevice, antennaID: antennaID)
    let excess = excess?(worldFromDevice)
    let isFirst = sectors.isEmpty
    if isFirst { start(range: range, at: antenna, excess: excess) }
    for i in sectors.indices {
      var step = sectors[i].filter.step(range: range, at: pose, after: isFirst ? 0 : max(seconds, 0))
      step.excess = excess
      if model.pattern != nil { step.penalty = -0.5 * log(step.information) }
      sectors[i].ranges.append(step)
      sectors[i].cells.advance(step)
    }
    isResolved = refine()
  }

  private mutating func start(range: Double, at anchor: Vector3, excess: ((Vector3) -> Double)?) {
    let spread = Self.reach * model.total
    let (angle, steps) = (Double.pi / 45, 45)
    func direction(_ azimuth: Double, _ elevation: Double) -> Vector3 {
      let (a, e) = (azimuth * angle, elevation * angle - .pi / 2)
      return Vector3(cos(e) * cos(a), cos(e) * sin(a), sin(e))
    }
    var largest = 0.0
    if let excess {
      for a in 0..<2 * steps {
        for e in 0..<steps { largest = max(largest, excess(range * direction(Double(a) + 0.5, Double(e) + 0.5))) }
      }
    }
    func sector(_ parts: (azimuths: Range<Int>, elevations: Range<Int>)?, peer: Vector3) -> Sector {
      Sector(
        filter: BiasFilter(model, peer: peer),
        cells: ObserverCells(
          anchor: anchor, distances: max(range - spread - largest, 0)...(range + spread), angle: angle,
          distance: 2 * model.total / cellsPerSigma, heights: model.heights, sector: parts))
    }
    guard model.pattern != nil else {
      sectors = [sector(nil, peer: anchor)]
      return
    }
    for a in stride(from: 0, to: 2 * steps, by: Self.sectorSteps) {
      for e in stride(from: 0, to: steps, by: Self.sectorSteps) {
        let (azimuths, elevations) = (a..<min(a + Self.sectorSteps, 2 * steps), e..<min(e + Self.sectorSteps, steps))
        let middle = direction(
          0.5 * Double(azimuths.lowerBound + azimuths.upperBound),
          0.5 * Double(elevations.lowerBound + elevations.upperBound))
        sectors.append(sector((azimuths, elevations), peer: anchor + max(range - 0.5 * largest, 0.1) * middle))
      }
    }
  }

  /// Prunes negligible cells, and halves cells until they are small enough; false when a limit forbids it.
  private mutating func refine() -> Bool {
    while true {
      // (width / sigma)^2 of a cell along each axis, the largest over cells with posterior weight.
      var coarseness = Vector3.zero
      let best = best
      let stride = max(sectors.reduce(0) { $0 + $1.cells.count(above: best - 6) } / 24, 1)
      var seen = 0
      for sector in sectors {
        for i in sector.cells.sample(every: stride, above: best - 6, seen: &seen) {
          let here = sector.cells.information(at: i, sector.ranges)
          coarseness.replace(with: here, where: here .> coarseness)
        }
      }
      // The best point of a cell may be half a diagonal from its mid-point.
      let reach = Self.reach + 0.5 * coarseness.sum().squareRoot()
      for i in sectors.indices { sectors[i].cells.prune(below: best - 0.5 * reach * reach) }
      sectors.removeAll { $0.cells.count == 0 }
      let ratio = coarseness * (cellsPerSigma * cellsPerSigma) / Vector3(1, 1, 4)
      guard any(ratio .> 1) else { return true }
      let divisible = ratio.replacing(with: 0, where: 0.5 * sectors[0].cells.size .< Self.smallest)
      var parts = Vector3(1, 1, 1).replacing(with: 2, where: divisible .> 1)
      // Split only the coarsest axis where all at once would exceed the limit.
      if count * Int(parts.x * parts.y * parts.z) > limit {
        parts = Vector3(1, 1, 1).replacing(with: 2, where: divisible .== divisible.max())
      }
      guard any(divisible .> 1), count * Int(parts.x * parts.y * parts.z) <= limit else { return false }
      for i in sectors.indices { sectors[i].cells.split(into: SIMD3<Int32>(parts), after: sectors[i].ranges) }
    }
  }
}
