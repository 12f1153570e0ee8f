import Foundation
import Geometry

/// The exact Bayes posterior of a stationary peer's position, given the true path: the reference for every
/// approximation.
///
/// Given a position, the biases of `RangeErrorModel` are linear and Gaussian, and their Kalman filter has the same gain
/// at every position: a lattice cell stores two means and a weight only, and a range costs a few nanoseconds per cell.
/// The prior is flat over directions but for the elevation prior, and flat in the distance from the antenna position of
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

  /// Error model of the ranges.
  package let model: RangeErrorModel
  /// Updates ignored: range or position not finite, range negative, or either over 1000 km.
  package private(set) var ignored = 0
  /// False when a limit kept cells wider than the posterior requires.
  package private(set) var isResolved = true

  private let cellsPerSigma: Double
  private let limit: Int
  private var filter: BiasFilter
  private var ranges: [BiasFilter.Step] = []
  private var cells: ObserverCells?

  /// An observer before the first range.
  ///
  /// - Parameters:
  ///   - cellsPerSigma: least resolution of the lattice; half of it in distance, of which only means are taken.
  ///   - limit: largest number of cells; the first range alone needs about 40 000.
  package init(_ model: RangeErrorModel, cellsPerSigma: Double = 1.5, limit: Int = 400_000) {
    self.model = model
    self.cellsPerSigma = cellsPerSigma
    self.limit = limit
    filter = BiasFilter(model)
  }

  /// How many cells there are now.
  package var count: Int { cells?.count ?? 0 }
  /// Size of a cell: azimuth and elevation in radians, distance in metres, as seen from the antenna position of the
  /// first range.
  package var cellSize: Vector3? { cells?.size }

  /// The cells with normalised weights; nil before the first range.
  var posterior: [WeightedCell]? {
    guard let cells else { return nil }
    var total = 0.0
    var result: [WeightedCell] = []
    result.reserveCapacity(cells.count)
    for i in 0..<cells.count {
      let (position, weight) = (cells.position(i), exp(cells.logWeight(i) - cells.best))
      total += weight
      result.append(
        WeightedCell(
          position: position, weight: weight,
          edges: ObserverCells.edges(at: position, from: cells.anchor, size: cells.size)))
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
  ///   - seconds: since the previous range; unused for the first one, negative counts as 0.
  package mutating func update(range: Double, antenna: Vector3, after seconds: Double) {
    guard range >= 0, range <= Self.farthest, antenna.norm <= Self.farthest, !seconds.isNaN else {
      ignored += 1
      return
    }
    let step = filter.step(range: range, antenna: antenna, after: cells == nil ? 0 : max(seconds, 0))
    ranges.append(step)
    var cells = self.cells.take() ?? start(range: range, antenna: antenna)
    cells.advance(step)
    isResolved = refine(&cells)
    self.cells = cells
  }

  private func start(range: Double, antenna: Vector3) -> ObserverCells {
    let spread = Self.reach * model.total
    return ObserverCells(
      anchor: antenna, distances: max(range - spread, 0)...(range + spread), angle: .pi / 45,
      distance: 2 * model.total / cellsPerSigma, elevationPrior: model.elevationPrior)
  }

  /// Prunes negligible cells, and halves cells until they are small enough; false when a limit forbids it.
  private func refine(_ cells: inout ObserverCells) -> Bool {
    while true {
      // (width / sigma)^2 of a cell along each axis, the largest over cells with posterior weight.
      var coarseness = Vector3.zero
      for i in cells.sample(24, within: 6) {
        let here = cells.information(at: i, ranges)
        coarseness.replace(with: here, where: here .> coarseness)
      }
      // The best point of a cell may be half a diagonal from its mid-point.
      let reach = Self.reach + 0.5 * coarseness.sum().squareRoot()
      cells.prune(below: 0.5 * reach * reach)
      let ratio = coarseness * (cellsPerSigma * cellsPerSigma) / Vector3(1, 1, 4)
      guard any(ratio .> 1) else { return true }
      let divisible = ratio.replacing(with: 0, where: 0.5 * cells.size .< Self.smallest)
      var parts = Vector3(1, 1, 1).replacing(with: 2, where: divisible .> 1)
      // Split only the coarsest axis where all at once would exceed the limit.
      if cells.count * Int(parts.x * parts.y * parts.z) > limit {
        parts = Vector3(1, 1, 1).replacing(with: 2, where: divisible .== divisible.max())
      }
      guard any(divisible .> 1), cells.count * Int(parts.x * parts.y * parts.z) <= limit else { return false }
      cells.split(into: SIMD3<Int32>(parts), after: ranges)
    }
  }
}
