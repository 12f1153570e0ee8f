import Foundation
import Geometry

extension HypothesisSet {
  /// Splits hypotheses that are wider than the range's curvature allows into three narrower ones each.
  ///
  /// A Gaussian that spans a curved ring would foretell its edges wrongly; a third of its width bends a ninth as much. The
  /// weights and the width of the parts (0.2252, 0.5495, 0.2252; 0.6716 sigma) are from DeMars, Bishop and Jah, JGCD 36(4),
  /// 2013, doi:10.2514/1.58987; their offsets (1.0575 sigma) fit the density best but lose 4.5 % of the variance at each
  /// split, so ours are those that keep mean and covariance of the sum. The split is along the tangent axis that bends.
  package mutating func splitWhereCurved(antenna: Vector3, limit: Int) {
    let n = dimension
    let m = n - 2
    for i in 0..<count {
      guard count + 2 <= limit else { return }
      let (metres, axis) = bend(i, antenna: antenna)
      guard metres > 0.7 * noises[Int(noise[i])].white else { continue }
      let base = i * n * n
      let variance = covariance[base + axis * n + axis]
      let sigma = variance.squareRoot()
      guard sigma > 1e-4 else { continue }
      // Direction of the split in state space: the regression of everything on the bending axis.
      let column = (0..<n).map { covariance[base + $0 * n + axis] / sigma }
      let shrink = 1 - 0.6716 * 0.6716
      // 2 w offset^2 + width^2 = 1.
      let offset = (shrink / (2 * 0.22525)).squareRoot()
      var narrowed = Array(covariance[base..<(base + n * n)])
      for r in 0..<n { for c in 0..<n { narrowed[r * n + c] -= shrink * column[r] * column[c] } }
      let u = direction[i]
      let e1 = tangent[i]
      let s = Array(scalars[(i * m)..<((i + 1) * m)])
      for side in [-offset, offset] {
        var moved = u
        var basis = e1
        Self.move(&moved, &basis, side * column[0], side * column[1])
        var shifted = s
        for k in 0..<m { shifted[k] += side * column[k + 2] }
        shifted[0] = max(shifted[0], 0.05)
        append(
          logWeight: logWeight[i] + log(0.22525), direction: moved, tangent: basis, noise: Int(noise[i]),
          scalars: shifted, covariance: narrowed)
      }
      logWeight[i] += log(0.5495)
      for k in 0..<(n * n) { covariance[base + k] = narrowed[k] }
    }
  }
}
