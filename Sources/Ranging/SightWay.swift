import Geometry

/// One of the four ways in which the sight of a pair can go at a range, for four pairs side by side: from which half it comes, in
/// which it ends, and Bayes' rule on that way.
///
/// The covariance is not touched: `P' = P - k (P h)(P h)^T` is worked out when the ways that end alike are merged.
struct SightWay {
  /// What there is of the excess `e`, the last number of the state.
  enum Excess {
    /// A free sight: none.
    case none
    /// The one that the half it comes from has.
    case kept
    /// A new one, apart from everything else.
    case new(ExcessPrior)
  }

  /// A range, in the few numbers that are wanted again and again.
  struct Reading {
    let range: Double
    let anchor, antenna: Vector3
    let columns: BiasColumns
    let grossShare, grossSpread: Double

    init(_ evidence: RangeEvidence, anchor: Vector3) {
      (range, self.anchor, antenna, columns) = (evidence.range, anchor, evidence.antenna, evidence.columns)
      (grossShare, grossSpread) = (evidence.configuration.grossShare, evidence.configuration.grossSpread)
    }
  }

  /// Size of the state.
  let n: Int
  let excess: Excess
  /// Weights within the pair; updates multiply them by likelihoods.
  var share = Lanes.zero
  var direction, tangent: LaneVector
  /// `n - 2` numbers.
  let scalars: UnsafeMutablePointer<Lanes>
  /// `P h`, `n` numbers.
  let ph: UnsafeMutablePointer<Lanes>
  /// `1 / (h^T P h + R)`; zero where nothing is moved.
  var k = Lanes.zero
  /// Variance of a new excess, m^2.
  var fresh = Lanes.zero
  /// The lower triangle of the covariance of the half that it comes from.
  var covariance: UnsafePointer<Lanes>

  /// - Parameter work: room for `2 n` lanes.
  init(_ excess: Excess, dimension: Int, work: UnsafeMutablePointer<Lanes>) {
    n = dimension
    self.excess = excess
    (direction, tangent) = (LaneVector(repeating: .zero), LaneVector(repeating: .zero))
    (scalars, ph) = (work, work + dimension)
    covariance = UnsafePointer(work)
  }

  /// Begins at a cell.
  @inline(__always)
  mutating func begin(_ cell: UnsafePointer<Lanes>, share: Lanes) {
    self.share = share
    direction = LaneVector(cell)
    tangent = LaneVector(cell + HypothesisSet.tangentOffset)
    let start = cell + HypothesisSet.scalarsOffset
    for c in 0..<(n - 2) { scalars[c] = start[c] }
    switch excess {
    case .none: scalars[n - 3] = .zero
    case .kept: break
    case .new(let prior):
      (scalars[n - 3], fresh) = (Lanes(repeating: prior.near.mean), Lanes(repeating: prior.near.variance))
    }
    covariance = start + (n - 2)
    k = .zero
  }

  /// Row `n - 1` of the covariance, of the excess, where it is kept.
  @inline(__always)
  private var excessRow: UnsafePointer<Lanes> { covariance + HypothesisSet.triangle(n - 1) }

  /// Probability that the excess is positive, after a gain of `k` has narrowed it.
  @inline(__always)
  func positiveExcess(where mask: SIMDMask<SIMD4<Int64>>) -> Lanes {
    var variance: Lanes
    switch excess {
    case .none: return Lanes(repeating: 1)
    case .kept: variance = excessRow[n - 1]
    case .new: variance = fresh
    }
    variance -= k * ph[n - 1] * ph[n - 1]
    // A number that is known is taken as given.
    let known = variance .<= 0
    let share = Lanes.normalShare(below: scalars[n - 3] / variance.replacing(with: 1, where: known).squareRoot())
    return share.replacing(with: 1, where: known .| .!mask)
  }

  /// The range's row at a place, the distance it foretells, and `h^T P h`; fills `ph`.
  @inline(__always)
  func linearise(
    _ u: LaneVector, _ e1: LaneVector, rho: Lanes, _ reading: Reading
  ) -> (row: RangeRow, variance: Lanes) {
    let row = RangeRow(u, e1, rho: rho, anchor: reading.anchor, antenna: reading.antenna)
    let scale = 1 + scalars[2]
    let (h0, h1, h2) = (scale * row.alpha1, scale * row.alpha2, scale * row.rho)
    let rows = n - 1
    let p = covariance
    // Rows 0...4 and the antenna's: place, bias, scale error, coloured and constant bias.
    for r in 0..<rows {
      let t = HypothesisSet.triangle(r)
      func entry(_ c: Int) -> Lanes { c <= r ? p[t + c] : p[HypothesisSet.triangle(c) + r] }
      var sum = h0 * entry(0) + h1 * entry(1) + h2 * entry(2) + entry(3) + row.distance * entry(4)
      sum += entry(reading.columns.coloured)
      if let constant = reading.columns.constant { sum += entry(constant) }
      ph[r] = sum
    }
    func form(_ v: UnsafePointer<Lanes>) -> Lanes {
      let sum = h0 * v[0] + h1 * v[1] + h2 * v[2] + v[3] + row.distance * v[4] + v[reading.columns.coloured]
      return reading.columns.constant.map { sum + v[$0] } ?? sum
    }
    var variance = form(ph)
    switch excess {
    case .none: ph[n - 1] = .zero
    case .kept:
      let cross = form(excessRow)
      for r in 0..<rows { ph[r] += excessRow[r] }
      ph[n - 1] = cross + excessRow[n - 1]
      variance += cross + ph[n - 1]
    case .new:
      ph[n - 1] = fresh
      variance += fresh
    }
    return (row, variance.atLeast(0))
  }
}
