import CGaussianSum
import LeastSquares
import Ranging

/// Damped descents of estimates of a link, four side by side: one that ends makes room for the next.
///
/// The cost of an estimate `[x, b]`, position in the world and bias, metres, is
/// `((b - m) / B)^2 + 2 sum_i w_i rho((z_i - s |x - p_i| - b) / sigma)` with Huber's loss rho of three sigmas. Each
/// descent has the bits that it would have alone.
package struct LinkDescent {
  /// Position in the world and bias, metres.
  package typealias State = SIMD4<Double>
  /// Where a descent ended.
  package typealias End = (cost: Double, state: State)

  private let rows: [fuse_link_row]
  private let scale: Double
  private let biasMean, inverseBiasVariance: Double
  private let usesBaseline: Bool

  /// Of ranges along a path.
  ///
  /// - Parameters:
  ///   - biasSigma: prior 1-sigma of the bias, metres; its mean and the scale are the model's.
  ///   - usesBaseline: without the processor's wider vectors; the bits are the same.
  package init(_ rows: [LinkFit.Row], _ model: LinkFit.Model, biasSigma: Double, usesBaseline: Bool = false) {
    self.rows = rows.map { fuse_link_row(place: ($0.place.x, $0.place.y, $0.place.z), range: $0.range) }
    (scale, biasMean, inverseBiasVariance) = (model.scale, model.biasMean, 1 / (biasSigma * biasSigma))
    self.usesBaseline = usesBaseline
  }

  /// What the bias's prior adds to a cost.
  package func penalty(_ x: State) -> Double { (x.w - biasMean) * (x.w - biasMean) * inverseBiasVariance }

  /// Residuals of the ranges, metres.
  package func residuals(_ x: State) -> [Double] {
    rows.map { row in
      let away = State(x.x - row.place.0, x.y - row.place.1, x.z - row.place.2, 0)
      let distance = max((away * away).sum().squareRoot(), 1e-6)
      return row.range - scale * distance - x.w
    }
  }

  /// Descents from `starts` in so many steps at most, all ranges with the weight 1 and this 1-sigma, metres.
  package func ends(from starts: [State], sigma: Double, steps: Int) -> [End] {
    ends(from: starts, weights: [], sigmas: State(repeating: sigma), steps: steps)
  }

  /// Descents from four starts at most, each with weights of the ranges and a 1-sigma of its own, metres.
  package func ends(from starts: [(state: State, weights: [Double], sigma: Double)], steps: Int) -> [End] {
    precondition(starts.count <= 4, "one descent a lane")
    var weights = [Double](repeating: 0, count: 4 * rows.count), sigmas = Lanes.one
    for (lane, start) in starts.enumerated() {
      sigmas[lane] = start.sigma
      for (i, weight) in start.weights.enumerated() { weights[4 * i + lane] = weight }
    }
    return ends(from: starts.map(\.state), weights: weights, sigmas: sigmas, steps: steps)
  }

  private func ends(from starts: [State], weights: [Double], sigmas: Lanes, steps: Int) -> [End] {
    rows.withUnsafeBufferPointer { rows in
      weights.withUnsafeBufferPointer { weights in
        var link = fuse_link(
          rows: rows.baseAddress, weights: weights.isEmpty ? nil : weights.baseAddress, count: Int32(rows.count),
          usesBaseline: usesBaseline ? 1 : 0, scale: scale, biasMean: biasMean,
          inverseBiasVariance: inverseBiasVariance, sigma: sigmas)
        var ends = Self.begin(starts, &link)
        Self.descend(&ends, &link, steps)
        return ends
      }
    }
  }

  /// The starts with their costs.
  private static func begin(_ starts: [State], _ link: inout fuse_link) -> [End] {
    var ends: [End] = []
    ends.reserveCapacity(starts.count)
    for first in stride(from: 0, to: starts.count, by: 4) {
      let four = starts[first..<min(first + 4, starts.count)]
      var columns = Columns(), costs = Lanes.zero
      for (lane, start) in four.enumerated() { columns[lane] = start }
      columns.withPointer { fuse_link_costs(&link, $0, &costs) }
      for (lane, start) in four.enumerated() { ends.append((costs[lane], start)) }
    }
    return ends
  }

  private static func descend(_ ends: inout [End], _ link: inout fuse_link, _ steps: Int) {
    let damping = LevenbergMarquardt.Damping(from: 1e-2, ease: 1 / 0.3, least: 0, raise: 8, most: 1e6)
    let fresh = LevenbergMarquardt(steps: steps, absolute: 1e-2, damping: damping)
    // The descents in the lanes: which, and how far.
    var lanes = [(place: Int, descent: LevenbergMarquardt)?](repeating: nil, count: 4)
    var next = 0
    func refill(_ lane: Int) {
      lanes[lane] = next < ends.count ? (next, fresh) : nil
      next += 1
    }
    for lane in 0..<4 { refill(lane) }
    while lanes.contains(where: { $0 != nil }) {
      var columns = Columns(), mus = Lanes.one, costs = Lanes.zero, isSolved = SIMD4<Int64>.zero
      for lane in 0..<4 {
        guard let (place, descent) = lanes[lane] else { continue }
        (columns[lane], mus[lane]) = (ends[place].state, descent.mu)
      }
      columns.withPointer { fuse_link_step(&link, $0, &mus, &costs, &isSolved) }
      for lane in 0..<4 {
        guard let (place, before) = lanes[lane] else { continue }
        var (descent, end) = (before, ends[place])
        let ending = descent.step(&end.state, cost: &end.cost) { _, _ in
          isSolved[lane] != 0 ? .candidate(columns[lane], cost: costs[lane]) : .singular
        }
        ends[place] = end
        lanes[lane] = (place, descent)
        if ending != nil || descent.isUsedUp { refill(lane) }
      }
    }
  }

  /// Four states by their parts.
  private struct Columns {
    private var parts = (Lanes.zero, Lanes.zero, Lanes.zero, Lanes.zero)

    subscript(lane: Int) -> State {
      get { State(parts.0[lane], parts.1[lane], parts.2[lane], parts.3[lane]) }
      set {
        (parts.0[lane], parts.1[lane], parts.2[lane], parts.3[lane]) = (newValue.x, newValue.y, newValue.z, newValue.w)
      }
    }

    mutating func withPointer(_ body: (UnsafeMutablePointer<Lanes>) -> Void) {
      withUnsafeMutablePointer(to: &parts) { parts in
        parts.withMemoryRebound(to: Lanes.self, capacity: 4, body)
      }
    }
  }
}
