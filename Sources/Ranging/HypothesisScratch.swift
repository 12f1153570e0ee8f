import Foundation
import Geometry

/// A few hypotheses in working memory: loaded from the arrays, updated, merged, stored back. Allocated once per range.
struct HypothesisScratch {
  /// Shares of the slots, 0...1, within their pair; updates multiply them by likelihoods.
  let share: UnsafeMutableBufferPointer<Double>
  private let n: Int
  private let direction: UnsafeMutableBufferPointer<Vector3>
  private let tangent: UnsafeMutableBufferPointer<Vector3>
  private let scalars: UnsafeMutableBufferPointer<Double>
  private let covariance: UnsafeMutableBufferPointer<Double>
  /// The row H and the column `P H^T` of the slot at work.
  private let h: UnsafeMutableBufferPointer<Double>
  private let ph: UnsafeMutableBufferPointer<Double>

  init(count: Int, dimension: Int) {
    n = dimension
    share = .allocate(capacity: count)
    direction = .allocate(capacity: count)
    tangent = .allocate(capacity: count)
    scalars = .allocate(capacity: count * (dimension - 2))
    covariance = .allocate(capacity: count * dimension * dimension)
    h = .allocate(capacity: dimension)
    ph = .allocate(capacity: dimension)
    share.initialize(repeating: 0)
    direction.initialize(repeating: .zero)
    tangent.initialize(repeating: .zero)
    scalars.initialize(repeating: 0)
    covariance.initialize(repeating: 0)
    h.initialize(repeating: 0)
    ph.initialize(repeating: 0)
  }

  func free() {
    share.deallocate()
    direction.deallocate()
    tangent.deallocate()
    scalars.deallocate()
    covariance.deallocate()
    h.deallocate()
    ph.deallocate()
  }

  // MARK: - In and out

  func load(_ slot: Int, from set: borrowing HypothesisSet, at i: Int, share: Double) {
    self.share[slot] = share
    direction[slot] = set.direction[i]
    tangent[slot] = set.tangent[i]
    let m = n - 2
    for k in 0..<m { scalars[slot * m + k] = set.scalars[i * m + k] }
    for k in 0..<(n * n) { covariance[slot * n * n + k] = set.covariance[i * n * n + k] }
  }

  /// Writes a slot back and returns the logarithm of its share.
  func store(_ slot: Int, into set: inout HypothesisSet, at i: Int) -> Double {
    set.direction[i] = direction[slot]
    set.tangent[i] = tangent[slot]
    let m = n - 2
    for k in 0..<m { set.scalars[i * m + k] = scalars[slot * m + k] }
    for k in 0..<(n * n) { set.covariance[i * n * n + k] = covariance[slot * n * n + k] }
    return log(max(share[slot], 1e-300))
  }

  // MARK: - The excess, last of the state

  /// Sets the excess apart from everything else, with a new mean (metres) and variance.
  func setExcess(_ slot: Int, mean: Double, variance: Double) {
    let base = slot * n * n
    for k in 0..<n {
      covariance[base + (n - 1) * n + k] = 0
      covariance[base + k * n + n - 1] = 0
    }
    covariance[base + n * n - 1] = variance
    scalars[slot * (n - 2) + n - 3] = mean
  }

  func widenExcess(_ slot: Int, by variance: Double) { covariance[slot * n * n + n * n - 1] += variance }

  /// Probability that the excess is positive; 1 for a free sight.
  private func positiveExcess(_ slot: Int) -> Double {
    CutNormal(mean: scalars[slot * (n - 2) + n - 3], variance: covariance[slot * n * n + n * n - 1]).share
  }

  // MARK: - One range

  struct Outcome {
    var innovation: Double
    var variance: Double
    /// Probability that the range was no gross error.
    var responsibility: Double
  }

  /// The Kalman update of a slot, iterated once where the range bends, weighted down by the probability of a gross error
  /// (`R / p(regular)`); its share is multiplied by the likelihood. An excess cannot be negative: the evidence for a normal
  /// distribution cut at zero is that for the whole one times the ratio of the shares above zero after and before.
  ///
  /// Source of the iterated update: Bell and Cathey, IEEE TAC 38(2), 1993, doi:10.1109/9.250476.
  func assimilate(_ slot: Int, _ evidence: RangeEvidence, anchor: Vector3, noiseVariance r: Double) -> Outcome {
    let m = n - 2
    let x = UnsafeMutableBufferPointer(rebasing: scalars[(slot * m)..<((slot + 1) * m)])
    let p = UnsafeMutableBufferPointer(rebasing: covariance[(slot * n * n)..<((slot + 1) * n * n)])
    let (columns, configuration) = (evidence.columns, evidence.configuration)
    var s = linearise(direction[slot], tangent[slot], x, p, anchor, evidence.antenna, columns)
    let biases = x[1] + x[columns.coloured - 2] + (columns.constant.map { x[$0 - 2] } ?? 0) + x[m - 1]
    var innovation = evidence.range - s.distance * (1 + x[2]) - biases
    let likelihood = RangeLikelihood(
      innovation: innovation, variance: s.variance + r, grossShare: configuration.grossShare,
      grossSpread: configuration.grossSpread)
    let outcome = Outcome(
      innovation: innovation, variance: s.variance + r, responsibility: likelihood.responsibility)
    share[slot] *= likelihood.total
    guard outcome.responsibility > 0.02 else { return outcome }
    let noise = r / outcome.responsibility
    let positive = positiveExcess(slot)

    if s.curvature > 0.1 * outcome.variance.squareRoot() {
      // A second pass at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
      let gain = innovation / (s.variance + noise)
      let (d0, d1, d2) = (ph[0] * gain, ph[1] * gain, ph[2] * gain)
      var moved = direction[slot]
      var basis = tangent[slot]
      HypothesisSet.move(&moved, &basis, d0, d1)
      let rho = x[0]
      x[0] = max(rho + d2, 0.05)
      s = linearise(moved, basis, x, p, anchor, evidence.antenna, columns)
      x[0] = rho
      innovation = evidence.range - s.distance * (1 + x[2]) - biases + h[0] * d0 + h[1] * d1 + h[2] * d2
    }

    let k = 1 / (s.variance + noise)
    HypothesisSet.move(&direction[slot], &tangent[slot], ph[0] * k * innovation, ph[1] * k * innovation)
    for c in 2..<n { x[c - 2] += ph[c] * k * innovation }
    x[0] = max(x[0], 0.05)
    for row in 0..<n {
      let scale = ph[row] * k
      for column in 0..<n { p[row * n + column] -= scale * ph[column] }
    }
    share[slot] *= positiveExcess(slot) / positive
    return outcome
  }

  /// Predicted distance, its variance `H P H^T`, and how far the range bends over the hypothesis' width (metres).
  private struct Linearisation {
    var distance: Double
    var variance: Double
    var curvature: Double
  }

  /// Fills `h` (the row H) and `ph` (`P H^T`).
  private func linearise(
    _ u: Vector3, _ e1: Vector3, _ x: UnsafeMutableBufferPointer<Double>, _ p: UnsafeMutableBufferPointer<Double>,
    _ anchor: Vector3, _ antenna: Vector3, _ columns: BiasColumns
  ) -> Linearisation {
    let rho = x[0]
    let row = RangeRow(u, e1, rho: rho, anchor: anchor, antenna: antenna)
    let scale = 1 + x[2]
    h[0] = scale * row.alpha1
    h[1] = scale * row.alpha2
    h[2] = scale * row.rho
    h[4] = row.distance
    for r in 0..<n {
      let base = r * n
      var sum = p[base] * h[0] + p[base + 1] * h[1] + p[base + 2] * h[2] + p[base + 3]
      sum += p[base + 4] * h[4] + p[base + columns.coloured] + p[base + n - 1]
      if let constant = columns.constant { sum += p[base + constant] }
      ph[r] = sum
    }
    var variance = h[0] * ph[0] + h[1] * ph[1] + h[2] * ph[2] + ph[3] + h[4] * ph[4] + ph[columns.coloured] + ph[n - 1]
    if let constant = columns.constant { variance += ph[constant] }
    let curvature = 0.5 * max(abs(row.bend1) * p[0], abs(row.bend2) * p[n + 1])
    return Linearisation(distance: row.distance, variance: max(variance, 0), curvature: curvature)
  }

  /// The row H of a slot over its whole state, and `H P H^T`.
  func foretold(_ slot: Int, anchor: Vector3, antenna: Vector3, columns: BiasColumns) -> (
    row: [Double], variance: Double
  ) {
    let m = n - 2
    let x = UnsafeMutableBufferPointer(rebasing: scalars[(slot * m)..<((slot + 1) * m)])
    let p = UnsafeMutableBufferPointer(rebasing: covariance[(slot * n * n)..<((slot + 1) * n * n)])
    let found = linearise(direction[slot], tangent[slot], x, p, anchor, antenna, columns)
    var full = Array(h)
    for k in [3, columns.coloured, n - 1] + (columns.constant.map { [$0] } ?? []) { full[k] = 1 }
    return (full, found.variance)
  }

  // MARK: - Two ways that end alike

  /// Makes slot `a` one Gaussian with the mean and covariance of both, in the tangent plane of the heavier; `b` is spent.
  func merge(_ a: Int, _ b: Int) {
    let sum = share[a] + share[b]
    guard share[b] > 1e-9 * sum else {
      share[a] = sum
      return
    }
    if share[b] > share[a] { swap(a, b) }
    let w = share[b] / max(sum, 1e-300)
    share[a] = sum
    guard w > 1e-9 else { return }
    let m = n - 2
    h[0] = tangent[a].dot(direction[b])
    h[1] = direction[a].cross(tangent[a]).dot(direction[b])
    for k in 0..<m { h[k + 2] = scalars[b * m + k] - scalars[a * m + k] }
    HypothesisSet.move(&direction[a], &tangent[a], w * h[0], w * h[1])
    for k in 0..<m { scalars[a * m + k] += w * h[k + 2] }
    for r in 0..<n {
      for c in 0..<n {
        let (ka, kb) = (a * n * n + r * n + c, b * n * n + r * n + c)
        covariance[ka] = (1 - w) * covariance[ka] + w * covariance[kb] + w * (1 - w) * h[r] * h[c]
      }
    }
  }

  private func swap(_ a: Int, _ b: Int) {
    share.swapAt(a, b)
    direction.swapAt(a, b)
    tangent.swapAt(a, b)
    for k in 0..<(n - 2) { scalars.swapAt(a * (n - 2) + k, b * (n - 2) + k) }
    for k in 0..<(n * n) { covariance.swapAt(a * n * n + k, b * n * n + k) }
  }
}
