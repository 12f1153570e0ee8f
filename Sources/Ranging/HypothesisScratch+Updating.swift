import Foundation
import Geometry

/// Bayes' rule for one hypothesis.
extension HypothesisScratch {
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
    let x = scalars + slot * m
    let gains = numbers(ph)
    let columns = evidence.columns
    var s = linearise(slot, direction[slot], tangent[slot], anchor, evidence.antenna, columns)
    let biases = x[1] + x[columns.coloured - 2] + (columns.constant.map { x[$0 - 2] } ?? 0) + x[m - 1]
    var innovation = evidence.range - s.distance * (1 + x[2]) - biases
    let likelihood = RangeLikelihood(
      innovation: innovation, variance: s.variance + r, grossShare: evidence.configuration.grossShare,
      grossSpread: evidence.configuration.grossSpread)
    let outcome = Outcome(
      innovation: innovation, variance: s.variance + r, responsibility: likelihood.responsibility)
    share[slot] *= likelihood.total
    guard outcome.responsibility > 0.02 else { return outcome }
    let noise = r / outcome.responsibility
    let positive = positiveExcess(slot)

    if s.curvature > 0.1 * outcome.variance.squareRoot() {
      // A second pass at the updated point: z - h(x1) - H (x0 - x1), the biases being linear.
      let gain = innovation / (s.variance + noise)
      let (d0, d1, d2) = (gains[0] * gain, gains[1] * gain, gains[2] * gain)
      var moved = direction[slot]
      var basis = tangent[slot]
      HypothesisSet.move(&moved, &basis, d0, d1)
      let rho = x[0]
      x[0] = max(rho + d2, 0.05)
      s = linearise(slot, moved, basis, anchor, evidence.antenna, columns)
      x[0] = rho
      innovation = evidence.range - s.distance * (1 + x[2]) - biases + h[0][0] * d0 + h[0][1] * d1 + h[0][2] * d2
    }

    let k = 1 / (s.variance + noise)
    HypothesisSet.move(&direction[slot], &tangent[slot], gains[0] * k * innovation, gains[1] * k * innovation)
    for c in 2..<n { x[c - 2] += gains[c] * k * innovation }
    x[0] = max(x[0], 0.05)
    for r in 0..<n {
      let (scale, p) = (gains[r] * k, row(slot, r))
      for c in 0..<width { p[c] -= scale * ph[c] }
    }
    share[slot] *= positiveExcess(slot) / positive
    return outcome
  }

  /// The Kalman update of a slot by a cosine whose row H is `row` over the place (two tangent angles and the distance) and zero
  /// elsewhere; its share is multiplied by the likelihood. A strange cosine is anywhere between -1 and 1.
  func assimilate(_ slot: Int, row: Vector3, innovation: Double, noiseVariance r: Double, strangeShare: Double) {
    let (p0, p1, p2) = (self.row(slot, 0), self.row(slot, 1), self.row(slot, 2))
    for c in 0..<width { ph[c] = row.x * p0[c] + row.y * p1[c] + row.z * p2[c] }
    let gains = numbers(ph)
    let variance = max(row.x * gains[0] + row.y * gains[1] + row.z * gains[2], 0)
    let regular = (1 - strangeShare) * RangeLikelihood.normal(innovation, variance + r)
    let responsibility = regular / (regular + 0.5 * strangeShare + 1e-300)
    share[slot] *= regular + 0.5 * strangeShare
    guard responsibility > 0.02 else { return }
    let k = 1 / (variance + r / responsibility)
    let x = scalars + slot * (n - 2)
    HypothesisSet.move(&direction[slot], &tangent[slot], gains[0] * k * innovation, gains[1] * k * innovation)
    for c in 2..<n { x[c - 2] += gains[c] * k * innovation }
    x[0] = max(x[0], 0.05)
    for row in 0..<n {
      let (scale, p) = (gains[row] * k, self.row(slot, row))
      for c in 0..<width { p[c] -= scale * ph[c] }
    }
  }

  /// Predicted distance, its variance `H P H^T`, and how far the range bends over the hypothesis' width (metres).
  private struct Linearisation {
    var distance: Double
    var variance: Double
    var curvature: Double
  }

  /// Fills `h` (the row H) and `ph` (`P H^T`) for a slot with its direction and tangent at `u` and `e1`.
  private func linearise(
    _ slot: Int, _ u: Vector3, _ e1: Vector3, _ anchor: Vector3, _ antenna: Vector3, _ columns: BiasColumns
  ) -> Linearisation {
    let x = scalars + slot * (n - 2)
    let range = RangeRow(u, e1, rho: x[0], anchor: anchor, antenna: antenna)
    let scale = 1 + x[2]
    let (h0, h1, h2, h4) = (scale * range.alpha1, scale * range.alpha2, scale * range.rho, range.distance)
    for c in 0..<width { h[c] = .zero }
    let entries = numbers(h)
    (entries[0], entries[1], entries[2], entries[3], entries[4]) = (h0, h1, h2, 1, h4)
    (entries[columns.coloured], entries[n - 1]) = (1, 1)
    let (p0, p1, p2, p3, p4) = (row(slot, 0), row(slot, 1), row(slot, 2), row(slot, 3), row(slot, 4))
    let (coloured, excess) = (row(slot, columns.coloured), row(slot, n - 1))
    for c in 0..<width {
      let place = h0 * p0[c] + h1 * p1[c] + h2 * p2[c]
      ph[c] = place + h4 * p4[c] + p3[c] + coloured[c] + excess[c]
    }
    if let constant = columns.constant {
      entries[constant] = 1
      for c in 0..<width { ph[c] += row(slot, constant)[c] }
    }
    var variance = 0.0
    for c in 0..<width { variance += (h[c] * ph[c]).sum() }
    let curvature = 0.5 * max(abs(range.bend1) * p0[0][0], abs(range.bend2) * p1[0][1])
    return Linearisation(distance: range.distance, variance: max(variance, 0), curvature: curvature)
  }

  /// The row H of a slot over its whole state, and `H P H^T`.
  func foretold(_ slot: Int, anchor: Vector3, antenna: Vector3, columns: BiasColumns) -> (
    row: [Double], variance: Double
  ) {
    let found = linearise(slot, direction[slot], tangent[slot], anchor, antenna, columns)
    return ((0..<n).map { numbers(h)[$0] }, found.variance)
  }
}
